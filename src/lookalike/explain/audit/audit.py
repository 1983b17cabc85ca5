"""Data audit: probable label errors, duplicates, train/test leakage, outliers and hubs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.explain.audit.duplicates import (
    group_sizes,
    identical_rows,
    in_conflict,
    joined_groups,
)
from lookalike.explain.audit.label_errors import MOST_FITTED, label_errors
from lookalike.explain.audit.near_duplicates import (
    NearRule,
)
from lookalike.explain.audit.out_of_fold import (
    checked_probabilities,
    leave_one_out_voters,
    neighbor_probabilities,
)
from lookalike.explain.audit.outliers import outlier_scores
from lookalike.explain.audit.wrong_numbers import differing, number_errors, usual_gap
from lookalike.explain.self_search import SelfSearch, self_search
from lookalike.index.base import Neighbors
from lookalike.models.cross_validation import as_groups
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.models.targets import coded_target
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_float, check_int, check_kind, typed

FLAG_KINDS = (
    "mislabel", "duplicate", "near_duplicate", "conflict", "leak", "empty", "outlier", "hub",
)  # fmt: skip
OUTLIER_DEVIATIONS, HUB_OCCURRENCES_PER_K = 5.0, 3  # robust deviations; neighbor of 3 k rows


@dataclass(frozen=True)
class RowContents:
    """What rows hold besides the features that they are searched by.

    Attributes
    ----------
    copies : ndarray, optional
        A number for each row, equal for rows that are the same, such as
        :func:`lookalike.explain.audit.duplicates.identical_rows` gives; where absent, rows at
        distance 0 are. Rows of a test table have the numbers of the data's rows they copy.
    categories : ndarray of shape (n_rows, n_columns), optional
        The categories of each row by number: near duplicates agree in all of them, or, where rows
        have nothing else, in nearly all.
    empty : ndarray of bool, optional
        Rows without content, such as empty texts: reported as empty and as nothing else.
    ordinary : ndarray of bool, optional
        Rows whose content others have as well, as often as chance makes it with few discrete
        columns: rows at distance 0 are not duplicates of them.
    """

    copies: Rows | None = None
    categories: AnyArray | None = None
    empty: AnyArray | None = None
    ordinary: AnyArray | None = None


@dataclass(frozen=True)
class Audit:
    """The result of `audit`: an entry for every row, and `rows(kind)` for the worst of them.

    Attributes
    ----------
    k : int
        Neighbors of each row.
    mislabel : ndarray or None
        Probability that the label, or the number, is wrong; None without them.
    cutoff : float
        The probability from which on a row is flagged: of labels the one of the largest expected
        F1, or 1/2 where few are wrong; of numbers 1/2; above 1 where labels show no noise.
    is_clear : bool
        Whether labels are wrong beyond doubt (1%), or may be right where classes overlap.
    suggested : ndarray or None
        The class that fits best among the others; of numbers the neighbors' median.
    deviation : ndarray or None
        Of numbers, how far each is from that median, in deviations that are usual there.
    duplicate_of, near_duplicate_of : ndarray
        The first row that is the same, or nearly so; the row itself where there is none.
    conflict : ndarray of bool, or None
        Whether (near) duplicates have other labels, or numbers that differ much.
    empty : ndarray of bool
        Rows without content, which are of no other kind.
    outlier : ndarray
        Outlier score by local density: how far a row is from its neighbors, compared with how
        far they are from theirs, in robust deviations.
    occurrences : ndarray
        How many rows have this one among their k nearest.
    bad_occurrences : ndarray or None
        How many of those have another label; None of numbers.
    test_row, test_distance : ndarray or None
        The nearest row of every row of `test`, and its distance; None without `test`.
    test_exact, test_near : ndarray of bool, or None
        Train/test leakage: whether that is the same row; whether it is the same, or nearer than
        chance would put it.
    dimension : float
        Intrinsic, around a typical row; it sets what counts as near.
    decisions : Decisions
        What was decided, and why.
    """

    k: int
    duplicate_of: Rows
    near_duplicate_of: Rows
    dimension: float
    empty: AnyArray
    outlier: Array
    occurrences: Rows
    decisions: Decisions
    mislabel: Array | None = None
    cutoff: float = np.inf
    is_clear: bool = True
    suggested: AnyArray | None = None
    deviation: Array | None = None
    conflict: AnyArray | None = None
    bad_occurrences: Rows | None = None
    test_row: Rows | None = None
    test_distance: Array | None = None
    test_exact: AnyArray | None = None
    test_near: AnyArray | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that were searched for: some need labels, some test rows."""
        lacking = set() if self.mislabel is not None else {"mislabel", "conflict"}
        if self.test_near is None:
            lacking.add("leak")
        if not self.empty.any():
            lacking.add("empty")
        return tuple(kind for kind in FLAG_KINDS if kind not in lacking)

    def rows(self, kind: str, *, least: float | None = None) -> Rows:
        """Return the rows of one kind, the worst first, equal ones by number.

        Parameters
        ----------
        kind : str
            One of mislabel, duplicate, near_duplicate, conflict, leak, empty, outlier, hub.
            Duplicates come group by group; leaks are rows of `test`.
        least : float, optional
            The probability from which on a label or number counts as wrong; `cutoff` when None.
        """
        check_choice("kind", kind, FLAG_KINDS)
        if kind == "empty":
            return np.flatnonzero(self.empty)
        if kind not in self.kinds:
            need = "test=" if kind == "leak" else "y"
            raise ParameterError(f"{kind!r} was not searched for: audit had no {need}. Give it.")
        if least is None:
            least = self.cutoff
        else:
            check_float("least", least, least=0.0, most=1.0)
        flagged, score = self._flagged(kind, least)
        rows = np.flatnonzero(flagged)
        return rows[np.argsort(-score[rows], kind="stable")]

    def _flagged(self, kind: str, least: float) -> tuple[AnyArray, AnyArray]:
        """Return which rows are of a kind, and the score of each."""
        if kind == "mislabel" and self.mislabel is not None:
            return self.mislabel >= least, self.mislabel
        if kind == "leak" and self.test_near is not None and self.test_distance is not None:
            return self.test_near, -self.test_distance
        if kind == "conflict" and self.conflict is not None:
            return self.conflict, -self.near_duplicate_of
        if kind == "outlier":
            return self.outlier > OUTLIER_DEVIATIONS, self.outlier
        if kind == "hub":
            return self.occurrences > HUB_OCCURRENCES_PER_K * self.k, self.occurrences
        near, same = self.near_duplicate_of, self.duplicate_of
        copied = group_sizes(same)
        return (copied > 1, -same) if kind == "duplicate" else (group_sizes(near) > copied, -near)

    def n_redundant(self, kind: str) -> tuple[int, int]:
        """Return how many rows repeat an earlier one, and in how many groups of rows.

        Of near duplicates those that repeat no earlier row exactly.

        Parameters
        ----------
        kind : str
            duplicate or near_duplicate.
        """
        check_choice("kind", kind, ("duplicate", "near_duplicate"))
        n_contents = len(np.unique(self.duplicate_of))
        if kind == "duplicate":
            rows = self.rows(kind)
            return len(self.duplicate_of) - n_contents, len(np.unique(self.duplicate_of[rows]))
        rows = self.rows(kind)
        n_groups = len(np.unique(self.near_duplicate_of))
        return n_contents - n_groups, len(np.unique(self.near_duplicate_of[rows]))

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
    probabilities: Sequence[Array] = (),
    contents: RowContents | None = None,
    test_contents: RowContents | None = None,
) -> Audit:
    r"""Flag rows that may be wrong, by one search of each row's neighbors.

    ==================  ==================================================================
    ``mislabel``        the probability that a label is wrong, by
                        :func:`lookalike.explain.audit.label_errors.label_errors` from the
                        neighbors and `probabilities`, is at least `cutoff`; of numbers by
                        :func:`lookalike.explain.audit.wrong_numbers.number_errors`
    ``duplicate``       another row is the same
    ``near_duplicate``  another row is not the same, has the same categories (and columns of two
                        values), and is in the numbers nearer than chance would put one in 0.01 / N
                        of cases, see
                        :func:`lookalike.explain.audit.near_duplicates.near_radius`; of rows of
                        categories alone, so few differ; groups of more than k near duplicates
                        look like a dense region and are not found
    ``conflict``        (near) duplicates have different labels; or numbers that differ by more
                        than 5 robust deviations of numbers from their neighbors' median
    ``leak``            a row of `test` is a duplicate or near duplicate of one of `X`
    ``empty``           a row has no content, by `contents`
    ``outlier``         low local density, by more than 5 robust deviations, see
                        :func:`lookalike.explain.audit.outliers.outlier_scores`
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
    probabilities : sequence of array of shape (n_rows, n_classes), optional
        Class probabilities, classes in sorted order, from models that did not see the row, such
        as :func:`lookalike.explain.out_of_fold_probabilities` gives; they are combined with
        those of the neighbors.
    contents, test_contents : RowContents, optional
        What the rows hold besides their features.

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
    check_kind("contents", contents, RowContents, type(None))
    columns_alone, contents = contents is None, contents or RowContents()
    empty = _no_rows(neighbors.n_rows) if contents.empty is None else contents.empty
    rule = NearRule(neighbors, k, contents.categories, from_columns=columns_alone)
    decisions, reason = neighbors.decisions, "0.01 rows are expected near by chance"
    decisions.add("near", f"dimension {rule.dimension:.3g}", reason)
    same, near = _duplicates(neighbors.first(k), rule, contents, empty)
    outlier = outlier_scores(*rule.category_distances(neighbors.first(k)))
    occurrences = np.bincount(neighbors.first(k).row.ravel(), minlength=neighbors.n_rows)
    result = Audit(k, same, near, rule.dimension, empty, outlier, occurrences, decisions)
    if test is not None:
        result = _with_test(result, neighbors, (contents, test, test_contents), rule)
    del rule  # it holds the numbers of all rows
    if y is not None:
        member = None if groups is None else as_groups(groups, neighbors.n_rows)
        result = _with_target(result, neighbors, (y, task), probabilities, member)
    elif groups is not None:
        raise ParameterError("groups say who may vote on labels, and there are none. Give y.")
    for values in (outlier, occurrences, result.mislabel, result.conflict):
        if values is not None:
            values[empty] = 0
    return result


def _duplicates(
    neighbors: Neighbors, rule: NearRule, contents: RowContents, empty: AnyArray
) -> tuple[Rows, Rows]:
    """Return the groups of exact and of near duplicates, empty rows in none."""
    distance, row = neighbors
    alone = np.arange(len(row))
    full = ~empty[:, None] & ~empty[row]
    if contents.copies is None:
        same = joined_groups(row, (distance == 0) & full, alone)
    else:
        same = np.where(empty, alone, identical_rows(contents.copies[:, None], empty[:, None]))
    near = rule.near_pairs(neighbors) & full
    if contents.ordinary is not None:
        near &= ~(contents.ordinary[:, None] & (distance == 0))
    return same, joined_groups(row, near, same)


def _with_target(
    result: Audit,
    search: SelfSearch,
    target: tuple[object, str],
    probabilities: Sequence[Array],
    member: Rows | None,
) -> Audit:
    """Return the audit with how probable it is that each label or number is wrong.

    On the target of a row vote `k` neighbors of other groups.
    """
    k, near, decisions = result.k, result.near_duplicate_of, result.decisions
    classes, values = coded_target(target[0], search.n_rows, target[1], decisions)
    if classes is None:
        _, row_of, may = leave_one_out_voters(search, k, member, decisions)
        around = np.where(may, values[row_of], np.nan)
        probability, suggested, noise, deviation = number_errors(around, values)
        conflict = differing(near, values, OUTLIER_DEVIATIONS * usual_gap(values, suggested))
        decisions.add("noise", f"{noise:.3g}", "estimated share of wrong target values")
        return replace(
            result,
            mislabel=probability,
            cutoff=0.5,
            suggested=suggested,
            deviation=deviation,
            conflict=conflict,
        )
    probabilities = checked_probabilities(probabilities, search.n_rows, len(classes))
    of_neighbors = neighbor_probabilities(search, values, k, member, decisions)
    errors = label_errors([of_neighbors, *probabilities], values)
    models = f"{len(probabilities)} models and neighbors" if probabilities else "neighbors"
    reason = f"share of wrong labels by the probabilities of {models} that did not see the label"
    if search.n_rows > MOST_FITTED:
        reason += f"; of {MOST_FITTED:,} rows, at random"
    decisions.add("noise", f"{errors.noise:.3g}", reason)
    row = search.first(k).row
    other = row[values[row] != values[:, None]]
    return replace(
        result,
        mislabel=errors.probability,
        cutoff=errors.cutoff,
        is_clear=errors.is_clear,
        suggested=classes[errors.suggested],
        conflict=in_conflict(near, values),
        bad_occurrences=np.bincount(other, minlength=search.n_rows),
    )


def _with_test(
    result: Audit,
    search: SelfSearch,
    tables: tuple[RowContents, object, RowContents | None],
    rule: NearRule,
) -> Audit:
    """Return the audit with the nearest row of every test row; empty rows copy nothing."""
    contents, test, others = tables
    found = Neighbors(*search.model.kneighbors(test, result.k))
    distance, row = np.asarray(found.distance, np.float64), found.row
    nearest, exact = row[:, 0].copy(), distance[:, 0] == 0
    categories = None if others is None else others.categories
    near = rule.near_pairs(found, rule.parts_of(test, categories))[:, 0]
    if others is not None and others.copies is not None and contents.copies is not None:
        first = dict(zip(contents.copies[::-1], np.arange(search.n_rows)[::-1], strict=True))
        copied = np.array([first.get(copy, -1) for copy in others.copies.tolist()], np.int64)
        exact = copied >= 0
        nearest[exact] = copied[exact]
    if others is not None and others.empty is not None:
        exact, near = exact & ~others.empty, near & ~others.empty
    if others is not None and others.ordinary is not None:
        near &= ~(others.ordinary & (distance[:, 0] == 0))
    return replace(
        result,
        test_row=nearest,
        test_distance=distance[:, 0],
        test_exact=exact,
        test_near=exact | near,
    )


def _no_rows(n_rows: int) -> AnyArray:
    return np.zeros(n_rows, bool)
