"""Dual weights: linear and kernel models as sums over the training rows they were fitted to.

A kernel ridge model is a sum of kernels around training rows; a model with an L2 penalty has
coefficients that are a sum of training rows, each times what the loss still wants of it (the
representer theorem). With these weights a prediction is a sum over rows, like that of K-NN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression, RidgeCV

from lookalike.models.rbf.network import RBFNetwork
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


ROWS_AT_ONCE = 2000  # whose basis functions are averaged together


class DualWeights(NamedTuple):
    """What each of some training rows is multiplied by, in the sums that a model is made of.

    Attributes
    ----------
    row : ndarray of shape (n,)
        Numbers of training rows.
    weight : ndarray of shape (n, outputs)
        Of the kernels around them, or of their products with a query.
    mean : ndarray of shape (n,) or (columns,)
        The mean over all training rows of these kernels; or of the columns, which is subtracted
        from rows and queries.
    base : ndarray of shape (outputs,)
        The mean of the targets, of which each training row has an equal part.
    n_rows : int
        How many of the training rows the model was fitted to, the first ones.
    X : ndarray of shape (n, columns), or None
        The rows whose products are summed; None of kernels.
    """

    row: Rows
    weight: Array
    mean: Array
    base: Array
    n_rows: int
    X: Any = None


def dual_weights(member: object, X: object, targets: AnyArray) -> DualWeights | None:
    """Return the dual weights of a fitted model; None where it has none, or needs none."""
    steps = getattr(member, "steps", [("model", member)])
    last = steps[-1][1]
    if not isinstance(last, (RBFNetwork, RidgeCV, LogisticRegression)):
        return None
    for _, step in steps[:-1]:
        X = step.transform(X)
    if not isinstance(X, np.ndarray):  # rows of texts, which keep their zeros
        logistic = isinstance(last, LogisticRegression)
        return _of_logistic(last, sp.csr_array(X), targets) if logistic else None
    if isinstance(last, RBFNetwork):
        return _of_kernels(last, X, targets)
    if isinstance(last, RidgeCV):
        return _of_ridge(last, np.asarray(X, np.float64), targets)
    return _of_logistic(last, np.asarray(X, np.float64), targets)


def _of_kernels(model: BaseEstimator, X: AnyArray, targets: AnyArray) -> DualWeights | None:
    """Return the weights of the kernels around training rows; None where centers are others."""
    row = _places(np.asarray(X, np.float64), np.asarray(model.centers_, np.float64))
    if row is None:
        return None
    total = np.zeros(len(row))
    for begin in range(0, len(X), ROWS_AT_ONCE):
        total += np.asarray(model.basis_functions(X[begin : begin + ROWS_AT_ONCE])).sum(axis=0)
    weight = np.atleast_2d(np.asarray(model.coef_, np.float64)).T
    return DualWeights(row, weight, total / len(X), _base(model, targets), len(X))


def _of_ridge(model: BaseEstimator, X: Array, targets: AnyArray) -> DualWeights | None:
    if np.ndim(model.coef_) != 1 or not model.alpha_ > 0:
        return None
    residual = targets - np.asarray(model.predict(X), np.float64)
    all_rows = np.arange(len(X))
    weight = (residual / model.alpha_)[:, None]
    return DualWeights(all_rows, weight, X.mean(axis=0), _base(model, targets), len(X), X)


def _of_logistic(model: BaseEstimator, X: Any, targets: AnyArray) -> DualWeights:
    codes = np.searchsorted(model.classes_, targets)
    residual = np.eye(len(model.classes_))[codes] - model.predict_proba(X)
    residual = residual[:, 1:] if len(model.classes_) == 2 else residual
    all_rows = np.arange(X.shape[0])
    zero = np.zeros(X.shape[1])
    return DualWeights(all_rows, model.C * residual, zero, _base(model, targets), len(all_rows), X)


def _base(model: object, targets: AnyArray) -> Array:
    """Return the mean of the targets, or the share of each class."""
    if not hasattr(model, "classes_"):
        return np.array([float(np.mean(targets))])
    share = np.bincount(np.searchsorted(model.classes_, targets), minlength=len(model.classes_))
    return np.asarray(share / share.sum())


def _places(X: Array, centers: Array) -> Rows | None:
    """Return for every center the first training row that it is; None if one is not a row."""
    known = {row.tobytes(): number for number, row in reversed(list(enumerate(X + 0.0)))}
    rows = [known.get(center.tobytes(), -1) for center in np.ascontiguousarray(centers) + 0.0]
    numbers = np.array(rows, np.int64)
    return None if (numbers < 0).any() else numbers
