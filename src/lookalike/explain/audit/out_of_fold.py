"""Class probabilities for each row from models, or neighbors, that did not see its label."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, softmax

from lookalike.data.targets import as_finite
from lookalike.decisions import Decisions
from lookalike.errors import ParameterTypeError, ShapeError
from lookalike.explain.self_search import SelfSearch
from lookalike.models.cross_validation import as_groups, deal_folds
from lookalike.models.estimator import cloned
from lookalike.models.inputs import as_rows
from lookalike.models.targets import coded_labels
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_int, check_kind

MAX_WIDTH_PER_K = 4  # times k: the most neighbors searched for k of other groups
CLASS_PRIOR_VOTES = 1.0  # votes that the frequencies of the classes count for


def out_of_fold_probabilities(
    classifier: object, X: Any, y: object, *, folds: int = 5, groups: object = None, seed: int = 0
) -> Array:
    """Return the class probabilities of every row by a classifier fitted on the other folds.

    Parameters
    ----------
    classifier : estimator
        Has `predict_proba` or `decision_function`; it is cloned for each fold.
    X : array or sparse matrix of shape (n_rows, n_features)
        The rows.
    y : array of shape (n_rows,)
        Labels; the columns of the result are the classes in sorted order.
    folds : int, default=5
        Folds, classes in proportion.
    groups : array of shape (n_rows,), optional
        Rows of one group stay in one fold.
    seed : int, default=0
        Seed of the random folds.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> p = out_of_fold_probabilities(LogisticRegression(), np.eye(6), [0, 1, 0, 1, 0, 1], folds=3)
    >>> p.shape
    (6, 2)
    """
    check_int("folds", folds, least=2)
    scores = "predict_proba" if hasattr(classifier, "predict_proba") else "decision_function"
    cloned(classifier, "classifier", method=scores)
    X = sp.csr_array(X) if sp.issparse(X) and X.ndim == 2 else as_rows(X)
    n_rows = X.shape[0]
    classes, codes = coded_labels(y, n_rows)
    rng = np.random.default_rng(check_int("seed", seed, least=0))
    if groups is None:
        fold = deal_folds(codes, min(folds, n_rows), stratify=True, rng=rng)
    else:
        member = as_groups(groups, n_rows)
        fold = deal_folds(np.arange(member.max() + 1), folds, stratify=False, rng=rng)[member]
    probability = np.zeros((n_rows, len(classes)))
    for one in np.unique(fold):
        held_out, train = np.flatnonzero(fold == one), np.flatnonzero(fold != one)
        present = np.unique(codes[train])
        if len(present) == 1:
            probability[held_out, present[0]] = 1.0
            continue
        with warnings.catch_warnings():  # those of the model that is kept are shown
            warnings.simplefilter("ignore")
            model = cloned(classifier, "classifier", method=scores).fit(X[train], codes[train])
            part = _class_probabilities(model, X[held_out])
        probability[np.ix_(held_out, present)] = part
    return probability


def _class_probabilities(model: object, X: object) -> Array:
    """Return probabilities, or those that the logistic function makes of decision values."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), np.float64)
    if not hasattr(model, "decision_function"):
        raise ParameterTypeError(
            f"{type(model).__name__} has no predict_proba and no decision_function. "
            "Give another classifier."
        )
    values = np.asarray(model.decision_function(X), np.float64)
    if values.ndim == 1:
        values = np.column_stack([-values, values])
        return np.asarray(expit(2 * values))
    return np.asarray(softmax(2 * values, axis=1))


def neighbor_probabilities(
    search: SelfSearch, codes: Rows, k: int, groups: Rows | None, decisions: Decisions
) -> Array:
    r"""Return class probabilities by the votes of the `k` nearest rows, the row itself left out.

    A neighbor at distance d counts :math:`1 / (1 + (d / r)^2)`, where r is the mean distance of
    the voters, so that probabilities are continuous; the frequencies of the classes count as one
    more voter.
    """
    n_rows, n_classes = search.n_rows, int(codes.max()) + 1
    distance, row, may = leave_one_out_voters(search, k, groups, decisions)
    count = np.maximum(may.sum(axis=1, keepdims=True), 1)
    reach = np.where(may, distance, 0.0).sum(axis=1, keepdims=True) / count
    near = np.divide(distance, reach, out=np.zeros_like(distance), where=reach > 0)
    weight = np.where(may, 1 / (1 + near**2), 0.0)
    cell = np.arange(n_rows)[:, None] * n_classes + codes[row]
    votes = np.bincount(cell.ravel(), weight.ravel(), minlength=n_rows * n_classes)
    frequency = np.bincount(codes, minlength=n_classes) / n_rows
    smoothed = votes.reshape(n_rows, n_classes) + CLASS_PRIOR_VOTES * frequency
    probability: Array = smoothed / smoothed.sum(axis=1, keepdims=True)
    return probability


def leave_one_out_voters(
    search: SelfSearch, k: int, groups: Rows | None, decisions: Decisions
) -> tuple[Array, Rows, AnyArray]:
    """Return distances, neighbors of every row, and which are its `k` nearest of other groups."""
    if groups is None:
        distance, row = search.first(k)
        return distance, row, np.ones(row.shape, bool)
    largest = int(np.bincount(groups).max())
    width = min(k + largest - 1, MAX_WIDTH_PER_K * k, search.n_rows - 1)
    distance, row = search.first(width)
    may = groups[row] != groups[:, None]
    may &= np.cumsum(may, axis=1) <= k
    short = np.count_nonzero(may.sum(axis=1) < k)
    if short:
        reason = f"no more rows of other groups are among the {width} nearest"
        decisions.add("groups", f"{short} rows have fewer than {k} voters", reason)
    return distance, row, may


def checked_probabilities(probabilities: Any, n_rows: int, n_classes: int) -> list[Array]:
    """Return the probabilities that models gave, one array for each of them, or raise."""
    check_kind("probabilities", probabilities, list, tuple)
    checked = [as_finite(table, "probabilities") for table in probabilities]
    for table in checked:
        if table.shape != (n_rows, n_classes):
            raise ShapeError(
                f"probabilities have shape {table.shape}, and there are {n_rows} rows of "
                f"{n_classes} classes. Give one column for each class."
            )
    return checked
