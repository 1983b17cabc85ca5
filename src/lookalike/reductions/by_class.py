"""The moments of the rows of every class: columns by themselves, or with their covariances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.errors import ParameterError, ShapeError
from lookalike.kernels.moments import ColumnMoments
from lookalike.kernels.scatter import Moments
from lookalike.reductions.base import Reduction, runs_on_gpu
from lookalike.reductions.columns import Columns
from lookalike.reductions.covariance import Covariance
from lookalike.typing import AnyArray, Array

State = TypeVar("State")
MAX_CLASSES_COUNTED = 10_000  # classes


class ByClass(Generic[State]):
    """Another reduction for the rows of each class.

    Classes are the labels of the rows; one that first appears in the last chunk counts as any
    other.

    Parameters
    ----------
    reduction : Reduction
        The reduction of the rows of a class.
    limit : int
        The most classes; more of them are an error, since the state must stay small.
    weightless : bool
        Whether a label whose rows have no weight is a class.
    """

    def __init__(
        self,
        reduction: Reduction[State, object],
        *,
        limit: int = MAX_CLASSES_COUNTED,
        weightless: bool = True,
    ) -> None:
        self.reduction = reduction
        self.limit = limit
        self.weightless = weightless

    @property
    def on_gpu(self) -> bool:
        """Whether rows may lie on a GPU."""
        return runs_on_gpu(self.reduction)

    def init(self, n_features: int) -> dict[Any, State]:  # noqa: ARG002 - no class is known yet
        """Return the states of no classes."""
        return {}

    def update(self, state: Mapping[object, State], chunk: Chunk) -> dict[Any, State]:
        """Add the rows of `chunk` to their classes."""
        labels, code = np.unique(labels_of(chunk), return_inverse=True)
        order = np.argsort(code, kind="stable")
        ends = np.cumsum(np.bincount(code, minlength=len(labels)))
        empty = self.reduction.init(chunk.X.shape[1])
        classes = {}
        for label, rows in zip(labels.tolist(), np.split(order, ends[:-1]), strict=True):
            part = chunk.part(rows)
            if self.weightless or part.weight is None or part.weight.any():
                classes[label] = self.reduction.update(empty, part)
        return self.merge(state, classes)

    def merge(
        self, left: Mapping[object, State], right: Mapping[object, State]
    ) -> dict[Any, State]:
        """Join two groups of rows, class by class."""
        joined = dict(left)
        for label, state in right.items():
            mine = joined.get(label)
            joined[label] = state if mine is None else self.reduction.merge(mine, state)
        require_few_classes(joined, self.limit)
        return joined

    def finalize(self, state: Mapping[Any, State]) -> object:
        """Return the statistic of every class, in the sorted order of the labels."""
        return {label: self.reduction.finalize(state[label]) for label in sorted(state)}


class ClassSummary(NamedTuple):
    """Weight and mean of each class, in the sorted order of the labels, and scatter.

    Of columns by themselves, counts and scatters are those of the values present in each.
    """

    classes: AnyArray  # (c,)
    count: Array  # type: ignore[assignment]  # hides tuple.count; (c,), or (c, d) of columns
    mean: Array  # (c, d), 0 where nothing is present
    scatter: Array  # (c, d, d) of each class, (d, d) within all of them, or (c, d) of columns
    least: Array = np.empty(0)  # (d,), of columns alone
    most: Array = np.empty(0)


class ClassCovariance(ByClass[Moments]):
    r"""Weight, mean and scatter of the rows of every class.

    .. math:: S_c = \sum_{n \in c} w_n (x_n - \bar x_c)(x_n - \bar x_c)^\top

    Parameters
    ----------
    limit : int
        The most classes; more of them are an error, since the state must stay small.
    """

    def __init__(self, *, limit: int = MAX_CLASSES_COUNTED) -> None:
        super().__init__(Covariance(), limit=limit)

    def finalize(self, state: Mapping[Any, Moments]) -> ClassSummary:
        """Return the moments of the classes in sorted order."""
        labels = sorted(state)
        count, mean, _, scatter = zip(*(state[label] for label in labels), strict=True)
        return ClassSummary(np.array(labels), np.array(count), np.stack(mean), np.stack(scatter))


class ClassColumns(ByClass[ColumnMoments]):
    r"""Count, mean and scatter of the values present in each column, class by class.

    .. math:: s_{cj} = \sum_{n \in c} w_n (x_{nj} - \bar x_{cj})^2

    What the filters that compare classes need: 3 d numbers a class, where
    :class:`ClassCovariance` keeps d x d. Pieces of a class are joined with the pairwise update of
    [Chan83]. A label whose rows have no weight is not a class.

    Parameters
    ----------
    limit : int
        The most classes; more of them are an error, since the state must stay small.
    """

    def __init__(self, *, limit: int = MAX_CLASSES_COUNTED) -> None:
        super().__init__(Columns(), limit=limit, weightless=False)

    def finalize(self, state: Mapping[Any, ColumnMoments]) -> ClassSummary:
        """Return the moments with the classes in sorted order."""
        labels = sorted(state)
        count, mean, _, scatter, least, most = map(
            np.stack, zip(*(state[label] for label in labels), strict=True)
        )
        return ClassSummary(
            np.array(labels), count, mean, scatter, least.min(axis=0), most.max(axis=0)
        )


def labels_of(chunk: Chunk) -> AnyArray:
    """Return the labels of the rows, which must have them."""
    if chunk.y is None:
        raise ShapeError("Statistics by class need a label for every row. Give y.")
    return chunk.y


def with_weight(chunk: Chunk) -> Chunk:
    """Return the rows of `chunk` whose weight is above zero."""
    if chunk.weight is None or np.all(chunk.weight > 0):
        return chunk
    return chunk.part(np.flatnonzero(chunk.weight > 0))


def require_few_classes(classes: dict[object, Any], limit: int) -> None:
    """Raise ParameterError where there are more than `limit` classes."""
    if len(classes) > limit:
        label = next(reversed(classes))
        raise ParameterError(
            f"y has more than {limit} distinct labels, for example {label!r}. "
            "Is it a number to predict rather than a class?"
        )
