"""Indexes that find nearest rows: build, query, add, remove."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "disk": ["DiskIndex"],
        "exact": ["ExactIndex"],
        "kdtree": ["KDTreeIndex"],
        "lsh": ["LSHIndex"],
        "scan": ["ScanIndex"],
    },
)
