"""Reports: plots, the page of a study, and the files that a study leaves."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "card": ["model_card", "write_model_card"],
        "save": ["save_axes", "save_rows"],
    },
)
