"""Rows of whatever holds them: arrays, frames, sparse matrices, clusters, generators, queries."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__, {"arrays": ["ArraySource"], "columns_source": ["ColumnsSource"]}
)
