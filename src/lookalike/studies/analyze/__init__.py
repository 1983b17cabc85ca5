"""Analyses of the data: structure, clusters, feature importance, bounds, suspicious rows."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "clusters": ["clusters_of"],
    },
)
