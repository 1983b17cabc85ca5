"""Weight, mean and scatter of the rows of every class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.errors import ParameterError, ShapeError
from lookalike.kernels.scatter import Moments
from lookalike.reductions.covariance import Covariance
from lookalike.typing import AnyArray, Array


class ClassSummary(NamedTuple):
    """What is known of each class, in the sorted order of the labels."""

    classes: AnyArray  # (c,)
    count: Array  # type: ignore[assignment]  # hides tuple.count; (c,)
    mean: Array  # (c, d)
    scatter: Array  # (c, d, d), sum over the class of w (x - mean)(x - mean)'


class Classes:
    r"""Weight, mean and scatter of the rows of every class.

    .. math:: S_c = \sum_{n \in c} w_n (x_n - \bar x_c)(x_n - \bar x_c)^\top

    Classes are named by the labels met; one that first appears in the last chunk counts as any
    other.

    Parameters
    ----------
    limit : int
        The most classes; more of them are an error, for the state must stay small.
    """

    def __init__(self, *, limit: int = 10_000) -> None:
        self.limit = limit
        self._moments = Covariance()

    def init(self, n_features: int) -> dict[Any, Moments]:  # noqa: ARG002 - classes come later
        """Return the moments of no classes."""
        return {}

    def update(self, state: Mapping[Any, Moments], chunk: Chunk) -> dict[Any, Moments]:
        """Join the rows of `chunk` to their classes."""
        if chunk.y is None:
            raise ShapeError("Class moments need a label for every row. Give y.")
        labels, place = np.unique(chunk.y, return_inverse=True)
        empty = self._moments.init(chunk.X.shape[1])
        found = {}
        for number, label in enumerate(labels.tolist()):
            here = np.flatnonzero(place == number)
            weight = None if chunk.weight is None else chunk.weight[here]
            part = Chunk(chunk.X[here], weight=weight, offset=chunk.offset)
            found[label] = self._moments.update(empty, part)
        return self.merge(state, found)

    def merge(
        self, left: Mapping[Any, Moments], right: Mapping[Any, Moments]
    ) -> dict[Any, Moments]:
        """Join two groups of rows, class by class."""
        joined = dict(left)
        for label, moments in right.items():
            joined[label] = (
                self._moments.merge(joined[label], moments) if label in joined else moments
            )
        if len(joined) > self.limit:
            raise ParameterError(
                f"y has more than {self.limit} distinct labels, such as {label!r}. "
                "Is it a number to predict rather than a class?"
            )
        return joined

    def finalize(self, state: Mapping[Any, Moments]) -> ClassSummary:
        """Return the moments of the classes in sorted order."""
        labels = sorted(state)
        count, mean, _, scatter = zip(*(state[label] for label in labels), strict=True)
        return ClassSummary(np.array(labels), np.array(count), np.stack(mean), np.stack(scatter))
