"""Computation on arrays: distances, metrics, neighbors, votes, sums; wraps the native loops."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "gram": ["Kernel"],
        "metrics": ["Metric", "metric_from"],
    },
)
