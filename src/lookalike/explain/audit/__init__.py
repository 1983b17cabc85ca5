"""The data audit: duplicates, train/test leakage, likely mislabels and implausible targets."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "audit": ["Audit"],
    },
)
