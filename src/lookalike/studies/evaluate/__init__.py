"""Evaluation: cross-validated scores, and scores on held-out rows."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "evaluation": ["HeldOutResult", "evaluate"],
    },
)
