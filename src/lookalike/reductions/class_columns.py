"""Count, mean and scatter of every column within every class, without covariances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.errors import ParameterError, ShapeError
from lookalike.kernels.moments import ColumnMoments
from lookalike.reductions.columns import Columns
from lookalike.typing import AnyArray, Array


class ClassColumnSummary(NamedTuple):
    """What is known of each column in each class, in the sorted order of the labels."""

    classes: AnyArray  # (c,)
    count: Array  # type: ignore[assignment]  # hides tuple.count; (c, d), of the values present
    mean: Array  # (c, d), 0 where nothing is present
    scatter: Array  # (c, d), sum over the class of w (x - mean)^2
    least: Array  # (d,)
    most: Array


class ClassColumns:
    r"""Count, mean and scatter of the values present in each column, class by class.

    .. math:: s_{cj} = \sum_{n \in c} w_n (x_{nj} - \bar x_{cj})^2

    What the filters that compare classes need: 3 d numbers a class, where
    :class:`~lookalike.reductions.classes.Classes` keeps d x d. Pieces of a class are joined with
    the pairwise update of [Chan83]. Rows without weight name no class.

    Parameters
    ----------
    limit : int
        The most classes; more of them are an error, for the state must stay small.
    """

    def __init__(self, *, limit: int = 10_000) -> None:
        self.limit = limit
        self._moments = Columns()

    def init(self, n_features: int) -> dict[Any, ColumnMoments]:  # noqa: ARG002 - classes come later
        """Return the moments of no classes."""
        return {}

    def update(self, state: Mapping[Any, ColumnMoments], chunk: Chunk) -> dict[Any, ColumnMoments]:
        """Join the rows of `chunk` to their classes."""
        if chunk.y is None:
            raise ShapeError("Class moments need a label for every row. Give y.")
        labels, place = np.unique(chunk.y, return_inverse=True)
        order = np.argsort(place, kind="stable")
        ends = np.cumsum(np.bincount(place, minlength=len(labels)))
        empty = self._moments.init(chunk.X.shape[1])
        found = {}
        for label, rows in zip(labels.tolist(), np.split(order, ends[:-1]), strict=True):
            weight = None if chunk.weight is None else chunk.weight[rows]
            if weight is None or weight.any():
                found[label] = self._moments.update(empty, Chunk(chunk.X[rows], weight=weight))
        return self.merge(state, found)

    def merge(
        self, left: Mapping[Any, ColumnMoments], right: Mapping[Any, ColumnMoments]
    ) -> dict[Any, ColumnMoments]:
        """Join two groups of rows, class by class."""
        joined = dict(left)
        for label, moments in right.items():
            mine = joined.get(label)
            joined[label] = moments if mine is None else self._moments.merge(mine, moments)
        if len(joined) > self.limit:
            raise ParameterError(
                f"y has more than {self.limit} distinct labels, such as {label!r}. "
                "Is it a number to predict rather than a class?"
            )
        return joined

    def finalize(self, state: Mapping[Any, ColumnMoments]) -> ClassColumnSummary:
        """Return the moments with the classes in sorted order."""
        labels = sorted(state)
        count, mean, _, scatter, least, most = map(
            np.stack, zip(*(state[label] for label in labels), strict=True)
        )
        return ClassColumnSummary(
            np.array(labels), count, mean, scatter, least.min(axis=0), most.max(axis=0)
        )
