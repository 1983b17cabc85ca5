"""Model selection: the split, the candidates, their preparation, and the time budget."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "budget": ["Budget", "Deadline"],
        "candidates": ["CANDIDATES", "CandidateSpec"],
        "model_selection": ["ModelSelection", "select_model"],
        "split": ["Split", "split_rows"],
        "text_candidates": ["TEXT_CANDIDATES"],
    },
)
