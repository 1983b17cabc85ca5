"""Findings of a study: one function for each kind of sentence, and the figures that it states."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "claim": ["CLAIM_KINDS", "Claim", "ClaimKind", "Figures"],
    },
)
