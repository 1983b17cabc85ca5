"""Evidence for a predicted class: the neighbors, their votes, and what would change it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_regressor

from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.explain.prediction.adapters import class_codes
from lookalike.explain.prediction.contributions import Contributions, class_contributions
from lookalike.explain.prediction.distance_shares import named_shares, one_row, ranked_features
from lookalike.explain.prediction.neighborhood import NeighborVote
from lookalike.explain.prediction.number_evidence import NumberEvidence, explain_number
from lookalike.kernels.votes import VoteResult
from lookalike.models.neighbors.forest import ForestNeighbors
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_int, shown, typed


@dataclass(frozen=True)
class Evidence:
    """The neighbors that decide a predicted class.

    Attributes
    ----------
    prediction : object
        The predicted label.
    classes : ndarray
        All labels in sorted order.
    votes : ndarray of shape (n_classes,)
        The summed weights of the neighbors of each class.
    margin : float
        By which share of the votes the predicted class leads the next; negative where a prior, a
        cost or a rule for ties overruled the votes.
    rows, distances, labels, weights : ndarray of shape (k,)
        The neighbors that voted, nearest first. They are more than `n_neighbors` where a tie grew,
        and none where a row without any within the radius is given the label of outliers.
    feature_shares : ndarray of shape (k, n_features), or None
        How much of each distance, to the power in which the metric adds up, comes from each
        feature. None for metrics that are no sum over features, and rows that are not in memory.
    feature_names : ndarray
        Names of the columns, or x0, x1 …
    flip_rows, flip_label : ndarray and object, or None
        The fewest rows without which the prediction would be another class, and that class. None
        where all rows are of one class, or costs decide without votes.
    other_row, other_distance, other_label : int, float and object, or None
        The nearest row of a class other than the predicted one. None where all rows are of one
        class.
    """

    prediction: object
    classes: AnyArray
    votes: Array
    margin: float
    rows: Rows
    distances: Array
    labels: AnyArray
    weights: Array
    feature_shares: Array | None
    feature_names: AnyArray
    flip_rows: Rows | None = None
    flip_label: object = None
    other_row: int | None = None
    other_distance: float | None = None
    other_label: object = None

    def features(self) -> list[tuple[str, float]]:
        """Return the features by their mean share of the distances, the largest first.

        Neighbors at distance zero have nothing to share and are left out.
        """
        return ranked_features(self.feature_shares, self.feature_names)

    def __str__(self) -> str:
        neighbors = "1 neighbor" if len(self.rows) == 1 else f"{len(self.rows)} neighbors"
        text = f"{self.prediction} by {neighbors}, margin {self.margin:.2g}"
        if self.flip_rows is None:
            return text
        gone = len(self.flip_rows)
        return f"{text}; without the nearest {gone} of its class it would be {self.flip_label}"


@typed
def explain_prediction(
    model: BaseEstimator, x: object, *, leave_out: Any = None
) -> Evidence | NumberEvidence:
    """Show which training rows decide the class or number that `model` predicts for the row `x`.

    The prediction flips when rows of its class are removed, the nearest first: the next nearest
    take their places. This is the smallest such set where weights fall with distance and rows
    weigh the same.

    Parameters
    ----------
    model : fitted model
        A classifier or regressor by neighbors, of one output: of lookalike, or a
        KNeighborsClassifier or KNeighborsRegressor of scikit-learn. A regressor's evidence is a
        :class:`lookalike.explain.prediction.number_evidence.NumberEvidence`.
    x : row
        One row: an array of its features, or a table of one row.
    leave_out : int or array of int, optional
        Training rows that have no vote; `x` itself, where it is a training row. Models by kernels
        and forests leave out one row.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rows, labels = [[0.0, 0.0], [1.0, 0.0], [0.0, 3.0], [4.0, 0.0]], ["a", "a", "b", "b"]
    >>> model = KNeighborsClassifier(3).fit(rows, labels)
    >>> evidence = explain_prediction(model, [0.0, 1.0])
    >>> print(evidence)
    a by 3 neighbors, margin 0.33; without the nearest 1 of its class it would be b
    >>> evidence.features()[0]
    ('x1', 0.8333333333333334)
    """
    if isinstance(model, type) or not hasattr(model, "predict"):
        raise ParameterTypeError(f"model={shown(model)} is no model. Give a fitted classifier.")
    if leave_out is not None:
        leave_out = _left_out(leave_out, model)
    if is_regressor(model):
        return explain_number(model, x, leave_out)
    codes, classes = class_codes(model), np.asarray(model.classes_)
    if hasattr(model, "bandwidth_"):
        return _soft_evidence(model, x, codes, leave_out)
    if isinstance(model, ForestNeighbors):
        return _forest_evidence(model, x, codes, leave_out)
    neighbors = NeighborVote(model, one_row(x), codes, leave_out)
    result = neighbors.decide()
    answer, votes = int(result.winner[0, 0]), _votes(result)
    row, distance, weight = neighbors.voters(result)
    outlier = not len(row)
    rivals = np.delete(votes, answer)
    lead = votes[answer] - (rivals.max() if len(rivals) else 0.0)
    evidence = Evidence(
        neighbors.outlier_label if outlier else classes[answer],
        classes,
        votes,
        0.0 if outlier else float(lead / votes.sum()),
        row,
        distance,
        classes[codes[row]],
        weight,
        *named_shares(model, neighbors.query, row),
    )
    if outlier:
        return evidence
    flip_rows, flip_label = _flip(neighbors, answer, classes)
    evidence = replace(evidence, flip_rows=flip_rows, flip_label=flip_label)
    row, distance = neighbors.nearest(neighbors.others(answer), 1)
    return _with_other(evidence, row, distance, classes[codes[row]])


def _left_out(rows: Any, model: BaseEstimator) -> object:
    """Return the training rows without a vote, checked: one, or several of K-NN models."""
    most = model.n_samples_fit_ - 1
    try:
        given = np.asarray(rows)
    except ValueError:  # lists of several lengths
        raise ParameterTypeError(
            f"leave_out={shown(rows)} is no list of numbers. Give a row number, or several."
        ) from None
    if given.ndim == 0:
        return check_int("leave_out", rows, least=0, most=most)
    each = [check_int("leave_out", row, least=0, most=most) for row in given.tolist()]
    if len(each) > 1 and (hasattr(model, "bandwidth_") or isinstance(model, ForestNeighbors)):
        raise ParameterError(f"leave_out={shown(rows)}: {type(model).__name__} leaves out one row.")
    return each[0] if len(each) == 1 else np.array(each, np.int64)


def _soft_evidence(model: BaseEstimator, x: object, codes: Rows, leave_out: int | None) -> Evidence:
    """Show the kernels that matter. Votes are probabilities, to which the background adds."""
    query, classes = model._queries(one_row(x))[0], np.asarray(model.classes_)
    row, distance, weight = class_contributions(model, query, leave_out)
    near, far = model._scales(distance[:1] ** 2, query, model.bandwidth_)
    mixed = np.bincount(codes[row], weight * near, len(classes)) + model._prior() * far
    weight, votes = weight * near / mixed.sum(), mixed / mixed.sum()
    return _weighted_evidence(model, query, codes, (row, distance, weight), votes)


def _forest_evidence(
    model: BaseEstimator, x: object, codes: Rows, leave_out: int | None
) -> Evidence:
    """Show the training rows in the leaves of `x`; the trees stay as they are."""
    contributions = model._contributions(one_row(x), leave_out)
    votes = np.zeros(len(model.classes_))
    np.add.at(votes, codes[contributions[0]], contributions[2])
    return _weighted_evidence(model, None, codes, contributions, votes)


def _weighted_evidence(
    model: BaseEstimator, query: object, codes: Rows, contributions: Contributions, votes: Array
) -> Evidence:
    """Show rows whose weights sum to the probabilities `votes`, but for a background."""
    (row, distance, weight), classes = contributions, np.asarray(model.classes_)
    answer = int(votes.argmax())
    own = codes[row] == answer
    rivals = np.delete(votes, answer)
    next_best = rivals.max() if len(rivals) else 0.0
    falls = np.flatnonzero(votes[answer] - np.cumsum(weight[own]) < next_best)
    flip_rows, flip_label = None, None
    if len(rivals) and len(falls):
        rival = int(np.where(np.arange(len(votes)) == answer, -1.0, votes).argmax())
        flip_rows, flip_label = row[own][: falls[0] + 1], classes[rival]
    evidence = Evidence(
        classes[answer],
        classes,
        votes,
        float(votes[answer] - next_best),
        row,
        distance,
        classes[codes[row]],
        weight,
        *named_shares(model, query, row),
        flip_rows,
        flip_label,
    )
    return _with_other(evidence, row[~own], distance[~own], classes[codes[row[~own]]])


def _with_other(evidence: Evidence, row: Rows, distance: Array, label: AnyArray) -> Evidence:
    """Return the evidence with the nearest row of another class: the first given, if any."""
    if not len(row):
        return evidence
    return replace(
        evidence,
        other_row=int(row[0]),
        other_distance=float(distance[0]),
        other_label=label[0],
    )


def _flip(
    neighbors: NeighborVote, answer: int, classes: AnyArray
) -> tuple[Rows, object] | tuple[None, None]:
    """Return the fewest nearest rows of the predicted class that have to be removed to flip it.

    With them comes the class that is predicted then.
    """
    own = neighbors.present(answer)
    count = int(np.count_nonzero(own))
    if count == neighbors.available:
        return None, None

    def winner_without(rows: int) -> int:
        return int(neighbors.decide(neighbors.nearest(own, rows)[0]).winner[0, 0])

    least, most = 0, 1  # the prediction stands without `least` rows, and changes without `most`
    while winner_without(most) == answer:
        if most == count:
            return None, None  # costs give this class without a vote for it
        least, most = most, min(2 * most, count)
    while most - least > 1:
        middle = (least + most) // 2
        if winner_without(middle) == answer:
            least = middle
        else:
            most = middle
    winner = winner_without(most)
    removed, _ = neighbors.nearest(own, most)
    return removed, classes[winner] if winner >= 0 else neighbors.outlier_label


def _votes(result: VoteResult) -> Array:
    assert result.votes is not None
    votes: Array = result.votes[0]
    return votes
