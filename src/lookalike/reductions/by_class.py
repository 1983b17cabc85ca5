"""The states of another reduction for the rows of every class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.errors import ParameterError, ShapeError
from lookalike.reductions.base import Reduction

State = TypeVar("State")


class ByClass(Generic[State]):
    """Another reduction for each class; one that first appears in the last chunk counts too.

    Parameters
    ----------
    reduction : Reduction
        What is gathered of the rows of a class.
    limit : int
        The most classes; more of them are an error, for the state must stay small.
    weightless : bool
        Whether rows without weight name a class.
    """

    def __init__(
        self, reduction: Reduction[State, Any], *, limit: int, weightless: bool = True
    ) -> None:
        self.limit = limit
        self._each = reduction
        self._weightless = weightless

    def init(self, n_features: int) -> dict[Any, State]:  # noqa: ARG002 - classes come later
        """Return the states of no classes."""
        return {}

    def update(self, state: Mapping[Any, State], chunk: Chunk) -> dict[Any, State]:
        """Join the rows of `chunk` to their classes."""
        if chunk.y is None:
            raise ShapeError("Class moments need a label for every row. Give y.")
        labels, place = np.unique(chunk.y, return_inverse=True)
        order = np.argsort(place, kind="stable")
        ends = np.cumsum(np.bincount(place, minlength=len(labels)))
        empty = self._each.init(chunk.X.shape[1])
        found = {}
        for label, rows in zip(labels.tolist(), np.split(order, ends[:-1]), strict=True):
            weight = None if chunk.weight is None else chunk.weight[rows]
            if self._weightless or weight is None or weight.any():
                part = Chunk(chunk.X[rows], weight=weight, offset=chunk.offset)
                found[label] = self._each.update(empty, part)
        return self.merge(state, found)

    def merge(self, left: Mapping[Any, State], right: Mapping[Any, State]) -> dict[Any, State]:
        """Join two groups of rows, class by class."""
        joined = dict(left)
        for label, theirs in right.items():
            joined[label] = self._each.merge(joined[label], theirs) if label in joined else theirs
        if len(joined) > self.limit:
            raise ParameterError(
                f"y has more than {self.limit} distinct labels, such as {label!r}. "
                "Is it a number to predict rather than a class?"
            )
        return joined
