"""Nearest neighbors: search, K-NN, radius, kernel, forest, boosted models, metrics, prototypes."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "boosted_classifier": ["BoostedNeighborsClassifier"],
        "boosted_regressor": ["BoostedNeighborsRegressor"],
        "classifier": ["KNeighborsClassifier"],
        "forest_classifier": ["ForestNeighborsClassifier"],
        "forest_regressor": ["ForestNeighborsRegressor"],
        "kernel_classifier": ["SoftNeighborsClassifier"],
        "kernel_regressor": ["RBFSmoother"],
        "kernel_smoother_classifier": ["RBFSmootherClassifier"],
        "nca": ["NeighborhoodComponentsAnalysis"],
        "prototypes": ["CondensedNeighbors", "EditedNeighbors"],
        "radius": ["RadiusNeighborsClassifier", "RadiusNeighborsRegressor"],
        "regressor": ["KNeighborsRegressor"],
        "neighbor_file": ["save_neighbors"],
        "search": ["NearestNeighbors"],
    },
)
