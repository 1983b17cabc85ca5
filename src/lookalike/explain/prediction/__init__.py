"""The evidence for one prediction: its neighbors, their votes, each feature's contribution."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "evidence": ["explain_prediction"],
    },
)
