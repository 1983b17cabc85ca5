"""Redundancy of features: what pairs of columns share, and the mRMR ranking that avoids it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Unpack

import numpy as np

from lookalike.data.source import open_source
from lookalike.models.feature_selection.univariate_formulas import (
    correlation_of_numbers,
    information_of_tables,
)
from lookalike.models.feature_selection.univariate_inputs import (
    FilterOptions,
    FilterRows,
    filter_rows,
)
from lookalike.progress import progress
from lookalike.reductions.joint_counts import Coding
from lookalike.reductions.target_columns import TargetColumns
from lookalike.reductions.wrappers import AgainstColumn
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice, typed

REDUNDANCY_MEASURES = ("pearson", "mutual_info")
MIN_REDUNDANCY = 1e-3  # the least redundancy that relevance is divided by


class Redundancy(NamedTuple):
    """Correlation or mutual information of every pair of columns."""

    matrix: Array  # (n_features, n_features): |r|, or information in nats
    names: tuple[str, ...]
    measure: str


@typed
def feature_redundancy(
    X: object, *, measure: str = "pearson", **options: Unpack[FilterOptions]
) -> Redundancy:
    """Measure how much every pair of columns has in common, in one pass per column.

    Parameters
    ----------
    X : table
        Anything that :func:`lookalike.data.open_source` takes.
    measure : {"pearson", "mutual_info"}, default="pearson"
        The size of the correlation of numbers, or the information of any columns in nats.
    **options
        `discrete_features`, `missing`, `engine` and `n_jobs`, as for :func:`mutual_info_classif`.

    Examples
    --------
    >>> from lookalike.feature_selection import feature_redundancy
    >>> feature_redundancy([[1.0, -1.0, 0.0], [2.0, -2.0, 5.0], [3.0, -3.0, 0.0]]).matrix
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    check_choice("measure", measure, REDUNDANCY_MEASURES)
    source = open_source(X)
    rows = filter_rows(source, "regression", **options)
    shared = pairwise(rows, measure)
    with progress("columns", source.n_features) as advance:
        matrix = []
        for column in range(source.n_features):
            matrix.append(shared(column))
            advance(1)
    return Redundancy(np.stack(matrix), tuple(c.name for c in source.columns), measure)


def pairwise(rows: FilterRows, measure: str) -> Callable[[int], Array]:
    """Return the function that measures what all columns share with one of them."""
    rows.require_repeat("Redundant columns")
    if measure == "pearson":
        rows.require_numbers("pearson")

        def correlation(column: int) -> Array:
            reduction = AgainstColumn(TargetColumns(), column)
            return np.abs(rows.score(reduction, correlation_of_numbers)[0])

        return correlation
    codings: list[Coding] = rows.codings(None)

    def information(column: int) -> Array:
        tables = rows.tables(codings, column)
        return rows.score(tables, information_of_tables, rows.mixed)[0]

    return information


def rank_without_redundancy(
    relevance: Array, shared: Callable[[int], Array], count: int, *, difference: bool
) -> tuple[list[int], Array]:
    r"""Return columns in mRMR order, and what all columns share with each of them.

    .. math:: \max_j \; D_j - \frac{1}{|S|} \sum_{s \in S} R_{js}
              \quad\text{or}\quad \max_j \; D_j \Big/ \frac{1}{|S|} \sum_{s \in S} R_{js}

    [Peng05]: the difference where both are of one unit, else the quotient [Ding05]. Of equal
    columns the first. Columns whose relevance is not finite are never taken.
    """
    candidate = np.isfinite(relevance)
    order: list[int] = []
    rows: list[Array] = []
    while len(order) < count and candidate.any():
        if rows:
            share = np.nanmean(rows, axis=0)
            merit = (
                relevance - share if difference else relevance / np.maximum(share, MIN_REDUNDANCY)
            )
        else:
            merit = relevance
        best = int(np.argmax(np.where(candidate, merit, -np.inf)))
        order.append(best)
        candidate[best] = False
        if len(order) < count:
            rows.append(shared(best))
    return order, np.array(rows)


def score_by_redundancy(shared: Callable[[int], Array], varies: AnyArray) -> Array:
    """Return 1 less the largest correlation of each column with those that are taken before it.

    First the column is taken that shares most with all others, then always the one that shares
    least with those taken; of equal columns the first. A column that never varies scores 0.
    """
    columns = np.flatnonzero(varies)
    scores = np.zeros(len(varies))
    if not len(columns):
        return scores
    matrix = np.nan_to_num(np.stack([shared(int(column))[columns] for column in columns]))
    largest = np.zeros(len(columns))
    waiting = np.ones(len(columns), bool)
    taken = int(matrix.sum(axis=1).argmax())
    for _ in columns:
        scores[columns[taken]] = 1.0 - min(largest[taken], 1.0)
        waiting[taken] = False
        largest = np.maximum(largest, matrix[taken])
        taken = int(np.where(waiting, -largest, -np.inf).argmax())
    return scores
