"""Radial basis function networks for classification and regression."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "classifier": ["RBFNetworkClassifier"],
        "network": ["RBFNetworkRegressor"],
    },
)
