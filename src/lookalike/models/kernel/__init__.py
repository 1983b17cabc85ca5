"""Kernel models: all training rows count, weighted by a kernel of their distance."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "classifier": ["KernelClassifier"],
        "density": ["KernelDensity"],
        "density_classifier": ["KernelDensityClassifier"],
        "regressor": ["KernelRegressor"],
    },
)
