"""Nearest neighbors: search, K-NN and radius models, learned metrics, prototypes."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "classifier": ["KNeighborsClassifier"],
        "nca": ["NeighborhoodComponentsAnalysis"],
        "outliers": ["LocalOutlierFactor"],
        "prototypes": ["CondensedNearestNeighbour", "EditedNearestNeighbours"],
        "radius": ["RadiusNeighborsClassifier", "RadiusNeighborsRegressor"],
        "regressor": ["KNeighborsRegressor"],
        "neighbor_file": ["save_neighbors"],
        "search": ["NearestNeighbors"],
    },
)
