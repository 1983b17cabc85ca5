"""Linear algebra that models share: eigenvectors, centered rows, Krylov, truncated SVD."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "centered": ["CenteredRows"],
        "eigenvectors": ["fix_signs", "principal_axes"],
        "krylov": ["leading_pairs"],
    },
)
