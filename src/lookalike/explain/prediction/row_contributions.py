r"""What every training row adds to a prediction: numbers that sum to it, for any kind of member.

Votes, means and kernels add up as they are. The scores of boosting and of linear models add up
before the softmax; each row then has the part of the probability that its score moves it by, on
the straight way from the class shares to the prediction [Aumann-Shapley]:

.. math:: p(s) - p(s_0) = \Big( \int_0^1 \frac{\partial p}{\partial s}(s_0 + t (s - s_0))\, dt
          \Big) \sum_n a_n
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

from lookalike.errors import ParameterTypeError
from lookalike.explain.prediction.contributions import number_contributions
from lookalike.explain.prediction.neighborhood import NeighborVote
from lookalike.models.calibration.temperature import TemperatureScaling
from lookalike.models.ensemble.base import WeightedEnsemble, ensemble_members
from lookalike.models.ensemble.duals import DualWeights
from lookalike.models.kernel.contributions import kernel_contributions, kernel_probabilities
from lookalike.models.neighbors.neighbors_model import NeighborsModel
from lookalike.models.neighbors.training_rows import compared_queries, training_targets
from lookalike.models.rbf.network import RBFNetwork
from lookalike.models.trees.boosted import BoostedNeighbors, boosted_targets
from lookalike.models.trees.forest import ForestNeighbors, forest_contributions
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


QUADRATURE_NODES, QUADRATURE_WEIGHTS = np.polynomial.legendre.leggauss(12)
SCORE_PER_PANEL = 1.0  # by how much a score changes within a panel of the quadrature
MAX_PANELS = 400
LEAST_CLASS_SHARE = 1e-12  # of a class, whose logarithm is finite


class RowContributions(NamedTuple):
    """What the training rows add to the prediction of one row.

    Attributes
    ----------
    added : ndarray of shape (n_training_rows, outputs)
        To the number, or to the probability of every class.
    constant : ndarray of shape (outputs,)
        What no row adds: an intercept, a background, rounding.
    """

    added: Array
    constant: Array

    @property
    def prediction(self) -> Array:
        """The sum of all of it."""
        total: Array = self.added.sum(axis=0) + self.constant
        return total

    def scaled(self, factor: Array | float) -> RowContributions:
        """Return the contributions times a factor, of each output."""
        return RowContributions(self.added * factor, self.constant * factor)


def row_contributions(model: WeightedEnsemble, x: object) -> RowContributions:
    """Return what every training row adds to what an ensemble predicts for the one row `x`.

    Examples
    --------
    >>> from lookalike import KNeighborsRegressor
    >>> from lookalike.models.ensemble import WeightedEnsembleRegressor
    >>> members = [("one", KNeighborsRegressor(1)), ("two", KNeighborsRegressor(2))]
    >>> model = WeightedEnsembleRegressor(members, weights=[0.5, 0.5])
    >>> model = model.fit([[0.0], [1.0], [5.0]], [1.0, 4.0, 9.0])
    >>> row_contributions(model, np.array([[0.1]])).added.ravel().tolist()
    [0.75, 1.0, 0.0]
    """
    given: object = model
    if not isinstance(given, WeightedEnsemble):
        kind = type(given).__name__
        raise ParameterTypeError(f"model is a {kind}, and not a weighted ensemble. Give one.")
    parts = [
        _of_member(model, member, x, dual).scaled(weight)
        for _, member, weight, dual in ensemble_members(model)
    ]
    added, constant = (np.sum(pieces, axis=0) for pieces in zip(*parts, strict=True))
    return RowContributions(added, constant)


def calibrated(
    contributions: RowContributions, calibration: TemperatureScaling
) -> RowContributions:
    """Return contributions to calibrated probabilities: each is scaled as its class is."""
    before = contributions.prediction
    after = calibration(np.maximum(before, 0.0)[None])[0]
    factor = np.divide(after, before, out=np.zeros_like(after), where=before > LEAST_CLASS_SHARE)
    scaled = contributions.scaled(factor)
    return scaled._replace(constant=scaled.constant + after - scaled.prediction)


def _of_member(
    model: WeightedEnsemble, member: object, x: object, dual: DualWeights | None
) -> RowContributions:
    """Return what the training rows add to the prediction of a member; what is left, no row."""
    predicted = np.atleast_1d(model.member_outputs(member, x)[0])
    steps = getattr(member, "steps", [("model", member)])
    for _, step in steps[:-1]:
        x = step.transform(x)
    last, classes = steps[-1][1], getattr(model, "classes_", None)
    known = None if classes is None else np.searchsorted(classes, last.classes_)
    outputs = len(predicted) if known is None else len(known)
    own = predicted if known is None else predicted[known]
    if isinstance(last, BoostedNeighbors):
        added = _of_boosting(last, x)
    elif dual is not None:
        y = model.targets_[: dual.n_rows]
        y = y if known is None else np.searchsorted(known, y)
        added = _of_dual(last, x, dual, y, own)
    elif isinstance(last, (NeighborsModel, ForestNeighbors)):
        added = _of_voters(last, x, own)
    else:
        added = np.zeros((0, outputs))
    every = np.zeros((model.n_samples_fit_, len(predicted)))
    columns = np.arange(outputs) if known is None else known
    every[: len(added), columns] = added
    return RowContributions(every, predicted - every.sum(axis=0))


def _of_voters(model: object, x: object, predicted: Array) -> Array:
    """Return the parts of rows that vote, or whose mean is taken: (rows, outputs)."""
    targets = np.asarray(training_targets(model))
    targets = targets.reshape(len(targets), -1)[:, 0]
    added = np.zeros((len(targets), len(predicted)))
    if not hasattr(model, "classes_"):
        query = compared_queries(model, x) if hasattr(model, "bandwidth_") else x
        row, _, weight = number_contributions(model, query, None)
        total = float(weight.sum())
        added[row, 0] = weight / total * targets[row] if total > 0 else 0.0
        return added
    row, weight = _voters(model, x, targets.astype(np.int64))
    codes = targets[row].astype(np.int64)
    if not hasattr(model, "bandwidth_"):  # whose background is of no row
        of_class = np.bincount(codes, weight, len(predicted))[codes]
        share = np.divide(weight, of_class, out=np.zeros(len(row)), where=of_class > 0)
        weight = share * predicted[codes]
    added[row, codes] = weight
    return added


def _voters(model: object, x: object, codes: Rows) -> tuple[Rows, Array]:
    """Return the rows that decide on a class, each once, and their weights."""
    if isinstance(model, ForestNeighbors):
        row, _, weight = forest_contributions(model, x, None)
        return row, weight
    if hasattr(model, "bandwidth_"):
        query = compared_queries(model, x)
        parts = kernel_contributions(model, query, None)
        (row, _, weight), _ = kernel_probabilities(model, query, parts)
        return row, weight
    neighbors = NeighborVote(model, x, codes, None)
    row, _, weight = neighbors.voters(neighbors.decide())
    return row, weight


def _of_boosting(model: BaseEstimator, x: Any) -> Array:
    """Return the parts of rows in a boosted model; its start is the mean of all of them."""
    score = np.asarray(model.contributions(x))[0]
    score = score.reshape(len(score), -1)
    targets = boosted_targets(model)
    if not hasattr(model, "classes_"):
        return np.asarray(score + targets[:, None] / len(targets))
    share = np.bincount(targets, minlength=len(model.classes_)) / len(targets)
    score = _of_every_class(score)
    start = np.log(share)
    return _through_softmax(score, share, targets, start + score.sum(axis=0))


def _of_dual(model: object, x: object, dual: DualWeights, y: AnyArray, predicted: Array) -> Array:
    """Return the parts of rows in a kernel model, or in a linear one; `y` are their targets."""
    if isinstance(model, RBFNetwork):
        strength = np.asarray(model.basis_functions(x))[0] - dual.mean
    else:
        strength = _products(dual, x)
    score = np.zeros((len(y), dual.weight.shape[1]))
    score[dual.row] = strength[:, None] * dual.weight
    if not hasattr(model, "classes_"):
        return np.asarray(score + y[:, None] / len(y))
    if not isinstance(model, RBFNetwork):
        end = np.log(np.maximum(predicted, LEAST_CLASS_SHARE))
        return _through_softmax(_of_every_class(score), dual.base, y, end)
    score[np.arange(len(y)), y] += 1.0 / len(y)
    output = score.sum(axis=0)  # clipped to [0, 1], and scaled to sum to 1
    positive = output > LEAST_CLASS_SHARE
    factor = np.divide(predicted, output, out=np.zeros(len(output)), where=positive)
    return np.asarray(score * factor)


def _products(dual: DualWeights, x: object) -> Array:
    """Return the products of the training rows and a query, without their means."""
    if sp.issparse(dual.X):  # whose means are not subtracted
        return np.asarray((dual.X @ sp.csr_array(x).T).toarray())[:, 0]
    return np.asarray((dual.X - dual.mean) @ (np.asarray(x, np.float64)[0] - dual.mean))


def _of_every_class(score: Array) -> Array:
    """Return scores with a column for each class; of two, the first has the score 0."""
    return np.column_stack([np.zeros(len(score)), score]) if score.shape[1] == 1 else score


def _through_softmax(score: Array, share: Array, codes: Rows, end: Array) -> Array:
    """Return parts of probabilities for parts of scores, and of the shares that they start from."""
    added = score @ _mean_jacobian(np.log(share), end)
    added[np.arange(len(codes)), codes] += 1.0 / len(codes)
    return np.asarray(added)


def _mean_jacobian(start: Array, end: Array) -> Array:
    """Return the mean derivative of the softmax on the straight way between two scores."""
    way = end - start
    panels = int(np.clip(np.ceil(np.ptp(way) / SCORE_PER_PANEL), 1, MAX_PANELS))
    within = (QUADRATURE_NODES + 1) / 2
    places = ((np.arange(panels)[:, None] + within) / panels).ravel()
    weight = np.tile(QUADRATURE_WEIGHTS / 2 / panels, panels)
    p = softmax(start + places[:, None] * way, axis=1)
    mean = np.diag(weight @ p)
    return np.asarray(mean - (p * weight[:, None]).T @ p)
