"""Conformal prediction: sets of classes and intervals with a given coverage."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from lookalike.data.targets import as_finite
from lookalike.errors import ParameterError, ShapeError
from lookalike.explain.prediction.adapters import class_codes, n_neighbors, numbers
from lookalike.models.labels import as_labels, join_label_arrays
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_float, check_pair, typed

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

Labeled: TypeAlias = tuple[object, object]  # rows that fit has not seen, and their targets


@dataclass(frozen=True)
class PredictionSets:
    """For every query a set of classes that contains the true one with the given coverage.

    Attributes
    ----------
    member : ndarray of bool, shape (n_queries, n_classes)
        Which classes are in the set. A set may be empty: no class has votes enough.
    classes : ndarray
        The labels in sorted order.
    threshold : float
        A class is in when one less its share of the votes is at most this.
    coverage : float
        The coverage that was requested.
    """

    member: AnyArray
    classes: AnyArray
    threshold: float
    coverage: float

    def labels(self) -> list[list[object]]:
        """Return the sets as lists of labels."""
        return [self.classes[inside].tolist() for inside in self.member]

    def contains(self, y: object) -> AnyArray:
        """Tell for every query whether its set contains the label given."""
        inside: AnyArray = (self.member & (self.classes == np.asarray(y)[:, None])).any(axis=1)
        return inside


@dataclass(frozen=True)
class PredictionIntervals:
    """For every query an interval: prediction less and plus `reach` times its scale."""

    low: Array
    high: Array
    prediction: Array
    reach: float
    coverage: float

    def contains(self, y: object) -> AnyArray:
        """Tell for every query whether its interval contains the number given."""
        value = np.asarray(y, np.float64)
        return (self.low <= value) & (value <= self.high)


@typed
def conformal_sets(
    model: BaseEstimator, X: object, *, coverage: float = 0.9, calibration: Labeled | None = None
) -> PredictionSets:
    r"""Return for every row of `X` a set of classes that contains the true one with `coverage`.

    The score of a row is one less the share of votes that its true class has. With q the
    :math:`\lceil (n + 1) \cdot \text{coverage} \rceil`-th smallest of n scores, the set is every
    class whose score would be at most q [Vovk05].

    With `calibration` rows, which fit has not seen, the coverage is at least that requested, on
    average over such data, whatever their distribution. Without, every training row is scored
    leave-one-out in one search: nothing is set aside, and the guarantee is that of the jackknife,
    approximate as long as one row changes little.

    Parameters
    ----------
    model : fitted classifier
        Of lookalike, or any whose `predict_proba(None)` is leave-one-out.
    X : table
        The queries.
    coverage : float, default=0.9
        Between 0 and 1.
    calibration : (table, labels), optional
        Rows to calibrate by.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier(10).fit(X, y)
    >>> conformal_sets(model, X[[0, 70]], coverage=0.99).labels()
    [[0], [1, 2]]
    """
    codes, labels = class_codes(model), np.asarray(model.classes_)
    if calibration is None:
        share = np.asarray(model.predict_proba(None))
    else:
        rows, truth = check_pair("calibration", calibration, "(X, y)")
        share = np.asarray(model.predict_proba(rows))
        codes = _known(truth, labels, len(share))
    known = codes >= 0
    score = np.ones(len(codes))  # a class that fit has not seen has no votes
    score[known] = 1 - share[known, codes[known]]
    threshold = conformal_quantile(score, coverage)
    return PredictionSets(1 - model.predict_proba(X) <= threshold, labels, threshold, coverage)


@typed
def conformal_intervals(
    model: BaseEstimator,
    X: object,
    *,
    coverage: float = 0.9,
    calibration: Labeled | None = None,
    local: bool = False,
) -> PredictionIntervals:
    r"""Return for every row of `X` an interval that contains the true value with `coverage`.

    The score of a row is :math:`|y - \hat y| / \sigma`, and the interval
    :math:`\hat y \pm q \sigma`, q as for :func:`conformal_sets`, with the same guarantees.

    Parameters
    ----------
    model : fitted regressor
        Of lookalike, or any whose `predict(None)` is leave-one-out.
    X, coverage, calibration
        As in :func:`conformal_sets`; `calibration` is of rows and numbers.
    local : bool, default=False
        Whether :math:`\sigma` is the deviation among the neighbors, so that intervals are wide
        where these differ (a hundredth of the overall deviation is added), or 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> x = np.arange(100.0)[:, None]
    >>> model = KNeighborsRegressor(1).fit(x, x[:, 0])
    >>> interval = conformal_intervals(model, [[50.2]], coverage=0.8)
    >>> float(interval.low[0]), float(interval.high[0])
    (49.0, 51.0)
    """
    targets = numbers(model)
    rows, truth = None, targets
    if calibration is not None:
        rows, truth = check_pair("calibration", calibration, "(X, y)")
    truth = as_finite(truth, "y of calibration")
    expected = np.asarray(model.predict(rows), np.float64).reshape(-1)
    if truth.shape != expected.shape:
        raise ShapeError(
            f"calibration has {len(expected)} rows and numbers of shape {truth.shape}. "
            "Give one number per row."
        )
    score = np.abs(truth - expected) / _scale(model, rows, targets, local)
    reach = conformal_quantile(score, coverage)
    prediction = np.asarray(model.predict(X), np.float64).reshape(-1)
    width = reach * _scale(model, X, targets, local)
    return PredictionIntervals(prediction - width, prediction + width, prediction, reach, coverage)


def conformal_quantile(score: Array, coverage: float) -> float:
    """Return the score that `coverage` of n + 1 rows do not exceed; infinite for too few rows."""
    coverage = check_float("coverage", coverage, least=0.0, most=1.0)
    if coverage in (0, 1):
        raise ParameterError(f"coverage={coverage:g} is a certainty. Give 0 < coverage < 1.")
    position = math.ceil((len(score) + 1) * coverage - 1e-9)
    return math.inf if position > len(score) else float(np.sort(score)[position - 1])


def _known(y: object, classes: AnyArray, n_rows: int) -> Rows:
    """Return the place of each label among `classes`, -1 for one that is not there."""
    labels = as_labels(y)
    join_label_arrays(classes, labels)  # raises where they are of another type
    if labels.shape != (n_rows,):
        raise ShapeError(
            f"calibration has {n_rows} rows and labels of shape {labels.shape}. Give one per row."
        )
    code = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    return np.where(classes[code] == labels, code, -1)


def _scale(model: BaseEstimator, X: object, targets: Array, local: bool) -> Any:
    if not local:
        return 1.0
    row = model.kneighbors(X, n_neighbors(model), return_distance=False)
    return targets[row].std(axis=1) + 0.01 * targets.std()
