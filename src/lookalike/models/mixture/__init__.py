"""Gaussian mixtures, fitted by EM, and the classifier made of one mixture per class."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "classifier": ["GaussianMixtureClassifier"],
        "gaussian": ["GaussianMixture"],
    },
)
