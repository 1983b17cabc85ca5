"""Evaluation: losses, cross-validated scores, and the held-out estimate."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "metrics": ["Score"],
    },
)
