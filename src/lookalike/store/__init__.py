"""Model files: plain data, checksummed, replaced in one step."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "file": ["load", "save"],
    },
)
