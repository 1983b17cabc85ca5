"""Weight, mean and scatter of the rows of every class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.scatter import Moments
from lookalike.reductions.by_class import ByClass
from lookalike.reductions.covariance import Covariance
from lookalike.typing import AnyArray, Array


class ClassSummary(NamedTuple):
    """What is known of each class, in the sorted order of the labels."""

    classes: AnyArray  # (c,)
    count: Array  # type: ignore[assignment]  # hides tuple.count; (c,)
    mean: Array  # (c, d)
    scatter: Array  # (c, d, d), sum over the class of w (x - mean)(x - mean)'


class Classes(ByClass[Moments]):
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
        super().__init__(Covariance(), limit=limit)

    def finalize(self, state: Mapping[Any, Moments]) -> ClassSummary:
        """Return the moments of the classes in sorted order."""
        labels = sorted(state)
        count, mean, _, scatter = zip(*(state[label] for label in labels), strict=True)
        return ClassSummary(np.array(labels), np.array(count), np.stack(mean), np.stack(scatter))
