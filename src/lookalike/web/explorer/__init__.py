"""A study behind its page: rows on maps, the evidence of each, and labels under review."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "exploration": ["Exploration"],
        "open": ["explore_model", "explore_study", "open_exploration"],
    },
)
