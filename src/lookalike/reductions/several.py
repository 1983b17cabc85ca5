"""Several statistics gathered in one pass over the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lookalike.data.chunk import Chunk
from lookalike.reductions.base import Reduction


class Several:
    """Reductions side by side: the state and the result have one entry for each.

    Parameters
    ----------
    reductions : sequence of Reduction
    """

    reductions: tuple[Reduction[object, object], ...]

    def __init__(self, reductions: Sequence[Reduction[Any, object]]) -> None:
        self.reductions = tuple(reductions)

    def init(self, n_features: int) -> tuple[object, ...]:
        """Return the states of no rows."""
        return tuple(reduction.init(n_features) for reduction in self.reductions)

    def update(self, state: tuple[object, ...], chunk: Chunk) -> tuple[object, ...]:
        """Add the rows of `chunk` to each."""
        pairs = zip(self.reductions, state, strict=True)
        return tuple(reduction.update(part, chunk) for reduction, part in pairs)

    def merge(self, left: tuple[object, ...], right: tuple[object, ...]) -> tuple[object, ...]:
        """Join the states of two groups of rows."""
        parts = zip(self.reductions, left, right, strict=True)
        return tuple(reduction.merge(mine, theirs) for reduction, mine, theirs in parts)

    def finalize(self, state: tuple[object, ...]) -> tuple[object, ...]:
        """Return the statistics."""
        return tuple(
            reduction.finalize(part) for reduction, part in zip(self.reductions, state, strict=True)
        )
