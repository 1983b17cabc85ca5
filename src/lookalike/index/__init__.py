"""Where the nearest rows are found: build, query, add, remove."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookalike.index.exact import ExactIndex as ExactIndex
    from lookalike.index.kdtree import KDTreeIndex as KDTreeIndex
    from lookalike.index.scan import ScanIndex as ScanIndex

_HOME = {"ExactIndex": "exact", "KDTreeIndex": "kdtree", "ScanIndex": "scan"}

__all__ = ["ExactIndex", "KDTreeIndex", "ScanIndex"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lookalike.index' has no attribute {name!r}")
    return getattr(import_module(f"lookalike.index.{_HOME[name]}"), name)
