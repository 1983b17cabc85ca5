"""Analyses of the data: structure, clusters, feature importance, learning curve, data audit."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "analyses": ["run_analyses"],
    },
)
