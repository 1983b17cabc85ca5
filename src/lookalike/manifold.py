"""Measures of how well a map of rows in the plane keeps neighbors together."""

from lookalike.models.manifold.quality import (
    continuity,
    map_quality,
    neighbor_preservation,
    torn_neighbors,
    trustworthiness,
)

__all__ = [
    "continuity",
    "map_quality",
    "neighbor_preservation",
    "torn_neighbors",
    "trustworthiness",
]
