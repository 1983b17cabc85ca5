"""Kernels of a GPU in Triton, each with a plain torch twin that runs on any device."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "candidates": ["CandidateGroups"],
        "exact": ["build_codes", "nearest", "within"],
    },
)
