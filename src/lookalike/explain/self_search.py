"""The neighbors of every row among the others, searched once for audit, curves and bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.index.base import Neighbors
from lookalike.models.feature_target import TASKS, as_numbers, task_of
from lookalike.models.labels import read_labels
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_int


@dataclass(frozen=True)
class SelfSearch:
    """The nearest rows of every row, itself left out by its number; made by `self_search`.

    Attributes
    ----------
    model : NearestNeighbors
        The fitted search.
    distance, row : ndarray of shape (n_rows, k)
        Nearest first, equal distances by row number: k neighbors are the first of k + 1.
    """

    model: NearestNeighbors
    distance: Array
    row: Rows

    @property
    def n_rows(self) -> int:
        """How many rows were searched."""
        return len(self.row)

    @property
    def n_features(self) -> int:
        """How many columns they have."""
        return int(self.model.n_features_in_)

    @property
    def decisions(self) -> Decisions:
        """What the search decided."""
        return Decisions(self.model.decisions_)

    def first(self, k: int) -> Neighbors:
        """Return the `k` nearest of every row, searching again only where there are fewer."""
        k = check_int("k", k, least=1)
        if k <= self.row.shape[1]:
            return Neighbors(self.distance[:, :k], self.row[:, :k])
        distance, row = self.model.kneighbors(None, k)
        return Neighbors(np.asarray(distance, np.float64), row)

    def of(self, part: Rows, k: int) -> Neighbors:
        """Return the `k` nearest of some rows by number, from the same index."""
        if k <= self.row.shape[1]:
            return Neighbors(self.distance[part, :k], self.row[part, :k])
        queries, _ = self.model._queries(None)
        some = _safe_indexing(queries, part)
        return self.model._index.query(some, k, exclude=part, threads=self.model._query_threads())


def self_search(X: Any, k: int = 10, *, search: NearestNeighbors | None = None) -> SelfSearch:
    """Find the `k` nearest rows of every row of `X`, for `audit`, `learning_curve` and others.

    Parameters
    ----------
    X : table or SelfSearch
        Anything that :func:`lookalike.data.open_source` takes. A search that was made before is
        returned, widened where it holds fewer than `k`.
    k : int, default=10
        Neighbors of each row.
    search : NearestNeighbors, optional
        How to search, such as ``NearestNeighbors(metric="cosine", engine="stream")``.

    Examples
    --------
    >>> neighbors = self_search([[0.0], [1.0], [3.0]], k=1)
    >>> neighbors.row.ravel()
    array([1, 0, 1])
    """
    searched = X if isinstance(X, SelfSearch) and search is None else unsearched(X, search)
    if k <= searched.row.shape[1]:
        return searched
    return SelfSearch(searched.model, *searched.first(k))


def unsearched(X: Any, search: NearestNeighbors | None) -> SelfSearch:
    """Return the rows of `X` indexed for search, with no neighbors yet."""
    if isinstance(X, SelfSearch):
        raise ParameterError("X was searched already, so search= would have no effect. Drop one.")
    model = NearestNeighbors() if search is None else search
    if not isinstance(model, NearestNeighbors):
        raise ParameterTypeError(f"search={search!r} is no NearestNeighbors. Give one, not fitted.")
    model = clone(model).fit(X)
    shape = (model.n_samples_fit_, 0)
    return SelfSearch(model, np.empty(shape), np.empty(shape, np.int64))


class TargetValues(NamedTuple):
    """The target of every row: a class by its place among all classes, or a number."""

    classes: AnyArray | None  # in sorted order; None for numbers
    codes: Rows
    numbers: Array

    @property
    def values(self) -> AnyArray:
        """The places of the classes, or the numbers."""
        return self.numbers if self.classes is None else self.codes


def target_of(y: Any, n_rows: int, task: str, decisions: Decisions) -> TargetValues:
    """Return the labels or numbers `y`, by `task` or by what they look like."""
    check_choice("task", task, TASKS)
    _require_one_a_row(y, n_rows)
    if task == "auto":
        task, why = task_of(y)
        decisions.add("task", task, why)
    if task == "classification":
        return TargetValues(*coded(y, n_rows), np.empty(0))
    return TargetValues(None, np.empty(0, np.int64), as_numbers(y))


def coded(y: Any, n_rows: int) -> tuple[AnyArray, Rows]:
    """Return the classes of `y` in sorted order, and the place of each row's label among them."""
    _require_one_a_row(y, n_rows)
    labels = read_labels(y)
    return labels.classes[0], labels.codes[:, 0]


def _require_one_a_row(y: Any, n_rows: int) -> None:
    shape = np.shape(y)
    if shape != (n_rows,):
        raise ShapeError(f"y has shape {shape}, X has {n_rows} rows. Give one a row.")
