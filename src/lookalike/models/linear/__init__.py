"""Linear models with an L2 penalty (ridge)."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ridge": ["Ridge"],
    },
)
