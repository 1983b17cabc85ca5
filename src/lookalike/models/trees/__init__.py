"""Trees that say which training rows are near: forests and boosted models."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "boosted_classifier": ["BoostedNeighborsClassifier"],
        "boosted_regressor": ["BoostedNeighborsRegressor"],
        "forest_classifier": ["ForestNeighborsClassifier"],
        "forest_regressor": ["ForestNeighborsRegressor"],
    },
)
