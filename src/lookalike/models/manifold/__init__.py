"""Maps of rows in the plane that keep neighbors together, and measures of how well they do."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "neighbor_map": ["NeighborMap"],
        "quality": [
            "continuity",
            "map_quality",
            "neighbor_preservation",
            "torn_neighbors",
            "trustworthiness",
        ],
    },
)
