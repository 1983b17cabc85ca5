"""What a study says of all rows where only a sample of them is in memory."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {"stage": ["study_all_rows"]},
)
