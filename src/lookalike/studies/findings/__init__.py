"""Findings of a study: sentences, each with the figures that it rests on."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "evidence": ["StatedFigures"],
    },
)
