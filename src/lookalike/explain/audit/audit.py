"""Data audit: probable mislabels, duplicates, train/test leakage, outliers and hubs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.explain.audit.duplicates import (
    group_sizes,
    groups_within,
    in_conflict,
    near_radius,
    typical_dimension,
)
from lookalike.explain.audit.mislabels import (
    label_errors,
    leave_one_out_voters,
    leave_one_out_votes,
)
from lookalike.explain.audit.wrong_numbers import differing, number_errors, usual_gap
from lookalike.explain.self_search import SelfSearch, self_search
from lookalike.models.cross_validation import as_groups
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.models.targets import coded_target
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_float, check_int, typed

KINDS = ("mislabel", "duplicate", "near_duplicate", "conflict", "leak", "outlier", "hub")
FAR = 5.0  # robust deviations that make an outlier
OFTEN = 3  # times k: a row that is a neighbor of more rows is a hub


@dataclass(frozen=True)
class Leakage:
    """Train/test leakage: the nearest training row of every test row, and whether it is a copy."""

    row: Rows
    distance: Array
    exact: AnyArray  # bool: the same row
    near: AnyArray  # bool: the same, or nearer than chance would put it


@dataclass(frozen=True)
class Audit:
    """The result of `audit`: an entry for every row, and `rows(kind)` for the worst of them.

    Attributes
    ----------
    k : int
        Neighbors of each row.
    mislabel : ndarray or None
        Probability that the label, or the number, is wrong; None without them.
    suggested : ndarray or None
        The class that fits best among the others; of numbers the neighbors' median.
    deviation : ndarray or None
        Of numbers, how far each is from that median, in deviations that are usual there.
    duplicate_of, near_duplicate_of : ndarray
        The first row that is the same, or nearly so; the row itself where there is none.
    conflict : ndarray of bool, or None
        Whether (near) duplicates have other labels, or numbers that differ much.
    outlier : ndarray
        Outlier score by local density: how far a row is from its neighbors, compared with how
        far they are from theirs, in robust deviations.
    occurrences : ndarray
        How many rows have this one among their k nearest.
    bad_occurrences : ndarray or None
        How many of those have another label; None of numbers.
    leaks : Leakage or None
        Of the rows of `test`.
    dimension : float
        Intrinsic, around a typical row; it sets what counts as near.
    decisions : Decisions
        What was decided, and why.
    """

    k: int
    mislabel: Array | None
    suggested: AnyArray | None
    deviation: Array | None
    duplicate_of: Rows
    near_duplicate_of: Rows
    conflict: AnyArray | None
    outlier: Array
    occurrences: Rows
    bad_occurrences: Rows | None
    leaks: Leakage | None
    dimension: float
    decisions: Decisions

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that were searched for: some need labels, some test rows."""
        lacking = set() if self.mislabel is not None else {"mislabel", "conflict"}
        if self.leaks is None:
            lacking.add("leak")
        return tuple(kind for kind in KINDS if kind not in lacking)

    def rows(self, kind: str, *, least: float = 0.5) -> Rows:
        """Return the rows of one kind, the worst first, equal ones by number.

        Parameters
        ----------
        kind : {"mislabel", "duplicate", "near_duplicate", "conflict", "leak", "outlier", "hub"}
            The kind. Duplicates come group by group; leaks are rows of `test`.
        least : float, default=0.5
            The probability from which on a label or number counts as wrong.
        """
        check_choice("kind", kind, KINDS)
        if kind not in self.kinds:
            need = "test=" if kind == "leak" else "y"
            raise ParameterError(f"{kind!r} was not searched for: audit had no {need}. Give it.")
        flagged, score = self._flagged(kind, check_float("least", least, least=0.0, most=1.0))
        rows = np.flatnonzero(flagged)
        return rows[np.argsort(-score[rows], kind="stable")]

    def _flagged(self, kind: str, least: float) -> tuple[AnyArray, AnyArray]:
        """Return which rows are of a kind, and the score of each."""
        if kind == "mislabel" and self.mislabel is not None:
            return self.mislabel >= least, self.mislabel
        if kind == "leak" and self.leaks is not None:
            return self.leaks.near, -self.leaks.distance
        if kind == "conflict" and self.conflict is not None:
            return self.conflict, -self.near_duplicate_of
        if kind == "outlier":
            return self.outlier > FAR, self.outlier
        if kind == "hub":
            return self.occurrences > OFTEN * self.k, self.occurrences
        near, same = self.near_duplicate_of, self.duplicate_of
        copied = group_sizes(same)
        return (copied > 1, -same) if kind == "duplicate" else (group_sizes(near) > copied, -near)

    def __str__(self) -> str:
        counts = [f"{kind} {len(self.rows(kind))}" for kind in self.kinds]
        return f"{len(self.outlier)} rows: " + ", ".join(counts)


@typed
def audit(
    X: object,
    y: object = None,
    *,
    k: int = 10,
    groups: object = None,
    test: object = None,
    search: NearestNeighbors | None = None,
    task: str = "auto",
) -> Audit:
    r"""Flag rows that may be wrong, by one search of each row's neighbors.

    ==================  ==================================================================
    ``mislabel``        the probability that a label is wrong is at least 1/2; the model is
                        that of :func:`lookalike.explain.audit.mislabels.label_errors`, of numbers
                        that of :func:`lookalike.explain.audit.wrong_numbers.number_errors`
    ``duplicate``       another row is at distance 0
    ``near_duplicate``  another row is not the same, and nearer than chance would put one in
                        0.01 / N of cases,
                        see :func:`lookalike.explain.audit.duplicates.near_radius`; groups of more
                        than k near duplicates look like a dense region and are not found
    ``conflict``        (near) duplicates have different labels; or numbers that differ by more
                        than 5 robust deviations of numbers from their neighbors' median
    ``leak``            a row of `test` is a duplicate or near duplicate of one of `X`
    ``outlier``         low local density, by more than 5 robust deviations: the score is
                        :math:`\ln r_k(i) - \text{median}_{j \in N(i)} \ln r_k(j)`, the distance
                        to the k-th neighbor against that of the neighbors [Breunig00]; a
                        deviation is 1.4826 times the median one
    ``hub``             a neighbor of more than 3k rows, where k are expected
    ==================  ==================================================================

    Parameters
    ----------
    X : table or SelfSearch
        The rows, or a search of them made by :func:`self_search`.
    y : array of shape (n_rows,), optional
        Labels of any one kind, or numbers.
    k : int, default=10
        Neighbors of each row, at least 2.
    groups : array of shape (n_rows,), optional
        Rows of one group do not vote on each other's labels or numbers.
    test : table, optional
        Rows that must not be found among those of `X`.
    search : NearestNeighbors, optional
        How to search: metric, engine, threads.
    task : {"auto", "classification", "regression"}, default="auto"
        What `y` holds; "auto" goes by :func:`lookalike.models.targets.infer_task`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> report = audit(X, y)
    >>> report.rows("mislabel")
    array([], dtype=int64)
    >>> report.rows("duplicate")
    array([101, 142])
    """
    k = check_int("k", k, least=2)
    neighbors = self_search(X, k, search=search)
    decisions = neighbors.decisions
    distance, row = neighbors.first(k)
    dimension = typical_dimension(distance, neighbors.n_features)
    decisions.add("near", f"dimension {dimension:.3g}", "0.01 rows are expected near by chance")
    near = groups_within(distance, row, near_radius(distance, dimension))
    probability, suggested, deviation, conflict, bad_occurrences = (None,) * 5
    if y is not None:
        member = None if groups is None else as_groups(groups, neighbors.n_rows)
        classes, target = coded_target(y, neighbors.n_rows, task, decisions)
        if classes is None:
            row_of, may = leave_one_out_voters(neighbors, k, member, decisions)
            values = np.where(may, target[row_of], np.nan)
            probability, suggested, noise, deviation = number_errors(values, target)
            conflict = differing(near, target, FAR * usual_gap(target, suggested))
        else:
            votes = leave_one_out_votes(neighbors, target, k, member, decisions)
            probability, codes, noise = label_errors(votes, target)
            suggested = classes[codes]
            conflict = in_conflict(near, target)
            other = target[row] != target[:, None]
            bad_occurrences = np.bincount(row[other], minlength=neighbors.n_rows)
        what = "numbers by the model of values" if classes is None else "labels by the vote model"
        decisions.add("noise", f"{noise:.3g}", f"share of wrong {what}")
    elif groups is not None:
        raise ParameterError("groups say who may vote on labels, and there are none. Give y.")
    return Audit(
        k,
        probability,
        suggested,
        deviation,
        groups_within(distance, row, np.zeros(neighbors.n_rows)),
        near,
        conflict,
        _outlier_scores(distance, row),
        np.bincount(row.ravel(), minlength=neighbors.n_rows),
        bad_occurrences,
        None if test is None else _leakage(neighbors, test, k, dimension),
        dimension,
        decisions,
    )


def _leakage(search: SelfSearch, test: object, k: int, dimension: float) -> Leakage:
    distance, row = search.model.kneighbors(test, k)
    distance = np.asarray(distance, np.float64)
    exact = distance[:, 0] == 0
    near = exact | (distance[:, 0] <= near_radius(distance, dimension))
    return Leakage(row[:, 0], distance[:, 0], exact, near)


def _outlier_scores(distance: Array, row: Rows) -> Array:
    """Return the outlier score of every row by local density, in robust deviations."""
    reach = distance[:, -1]
    if not reach.any():
        return np.zeros(len(reach))
    size = np.log(np.maximum(reach, reach[reach > 0].min()))  # copies are as near as anything
    score = size - np.median(size[row], axis=1)
    gap: Array = score - np.median(score)
    spread = 1.4826 * np.median(np.abs(gap)) or 1.2533 * np.mean(np.abs(gap)) or 1.0
    return gap / spread
