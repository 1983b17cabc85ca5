"""Studies: from a file to compared models, a held-out estimate and analyses of the data."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "results": ["Study"],
    },
)
