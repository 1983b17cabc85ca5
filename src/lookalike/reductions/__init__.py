"""Statistics that are gathered chunk by chunk, in any order, and merged."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "base": ["Reduction"],
        "columns": ["Columns"],
        "covariance": ["Covariance"],
    },
)
