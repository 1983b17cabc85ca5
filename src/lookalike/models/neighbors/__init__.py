"""Nearest neighbors: search, K-NN and radius models, kernel models, prototype selection."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "classifier": ["KNeighborsClassifier"],
        "kernel_classifier": ["SoftNeighborsClassifier"],
        "kernel_regressor": ["RBFSmoother"],
        "prototypes": ["CondensedNeighbors", "EditedNeighbors"],
        "radius": ["RadiusNeighborsClassifier", "RadiusNeighborsRegressor"],
        "regressor": ["KNeighborsRegressor"],
        "search": ["NearestNeighbors"],
    },
)
