"""Count, mean and scatter of every column within every class, without covariances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.moments import ColumnMoments
from lookalike.reductions.by_class import ByClass
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


class ClassColumns(ByClass[ColumnMoments]):
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
        super().__init__(Columns(), limit=limit, weightless=False)

    def finalize(self, state: Mapping[Any, ColumnMoments]) -> ClassColumnSummary:
        """Return the moments with the classes in sorted order."""
        labels = sorted(state)
        count, mean, _, scatter, least, most = map(
            np.stack, zip(*(state[label] for label in labels), strict=True)
        )
        return ClassColumnSummary(
            np.array(labels), count, mean, scatter, least.min(axis=0), most.max(axis=0)
        )
