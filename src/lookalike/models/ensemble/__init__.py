"""Weighted means of the predictions of several models, the weights chosen out of fold."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "classifier": ["WeightedEnsembleClassifier"],
        "regressor": ["WeightedEnsembleRegressor"],
    },
)
