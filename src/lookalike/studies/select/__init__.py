"""Model selection: the split, the candidates, their preparation, and the time budget."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "budget": ["Budget", "Deadline"],
        "candidates": ["ALL_CANDIDATES", "CandidateSpec"],
        "comparison": ["CandidateComparison"],
        "kept_model": ["KeptModel"],
        "split": ["Split", "split_rows"],
        "text_candidates": ["TEXT_CANDIDATES"],
    },
)
