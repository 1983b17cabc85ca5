"""The explanation of one prediction: its neighbors, their votes, what would change it."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "evidence": ["explain_prediction"],
    },
)
