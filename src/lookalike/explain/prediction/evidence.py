"""Why a row is given its class: the neighbors, their votes, and what would change the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_regressor

from lookalike.explain.prediction.adapters import class_codes
from lookalike.explain.prediction.contributions import pull_of_classes
from lookalike.explain.prediction.distance_shares import (
    feature_names,
    feature_shares,
    one_row,
    ranked_features,
)
from lookalike.explain.prediction.neighborhood import Poll
from lookalike.explain.prediction.number_evidence import NumberEvidence, explain_number
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_int


class Other(NamedTuple):
    """The nearest row of a class other than the answer."""

    row: int
    distance: float
    label: Any


class Flip(NamedTuple):
    """The fewest rows without which the answer would be another."""

    rows: Rows
    label: Any


@dataclass(frozen=True)
class Evidence:
    """What an answer rests on.

    Attributes
    ----------
    prediction : object
        The label given.
    classes : ndarray
        All labels in sorted order.
    votes : ndarray of shape (n_classes,)
        What the neighbors say, each by its weight.
    margin : float
        By which share of the votes the answer leads the next class; negative where a prior, a
        cost or a rule for ties overruled the votes.
    rows, distances, labels, weights : ndarray of shape (k,)
        The neighbors that voted, nearest first. They are more than asked for where a tie grew,
        and none where a row without any within the radius is given the label of outliers.
    feature_shares : ndarray of shape (k, n_features), or None
        How much of each distance, to the power in which the metric adds up, comes from each
        feature. None for metrics that are no sum over features, and rows not held in memory.
    feature_names : ndarray
        Names of the columns, or x0, x1 …
    flip : Flip or None
        None where all rows are of one class, or costs decide without votes.
    other : Other or None
        None where all rows are of one class.
    """

    prediction: Any
    classes: AnyArray
    votes: Array
    margin: float
    rows: Rows
    distances: Array
    labels: AnyArray
    weights: Array
    feature_shares: Array | None
    feature_names: AnyArray
    flip: Flip | None
    other: Other | None

    def features(self) -> list[tuple[str, float]]:
        """Return the features by their mean share of the distances, the largest first.

        Neighbors at distance zero have nothing to share and are left out.
        """
        return ranked_features(self.feature_shares, self.feature_names)

    def __str__(self) -> str:
        text = f"{self.prediction} by {len(self.rows)} neighbors, margin {self.margin:.2g}"
        if self.flip is None:
            return text
        gone = len(self.flip.rows)
        return f"{text}; without the nearest {gone} of its class it would be {self.flip.label}"


def explain_prediction(
    model: Any, x: Any, *, leave_out: int | None = None
) -> Evidence | NumberEvidence:
    """Show what the class or the number that `model` gives to the row `x` rests on.

    The answer flips when rows of its own class go, the nearest first: the next nearest step in.
    This is the smallest such set where weights fall with distance and rows weigh the same.

    Parameters
    ----------
    model : fitted model
        A classifier or regressor by neighbors, of one output: of lookalike, or a
        KNeighborsClassifier or KNeighborsRegressor of scikit-learn. A regressor's evidence is a
        :class:`lookalike.explain.prediction.number_evidence.NumberEvidence`.
    x : row
        One row: an array of its features, or a table of one row.
    leave_out : int, optional
        A row of fit that is not asked; `x` itself, where it is a row of fit.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rows, labels = [[0.0, 0.0], [1.0, 0.0], [0.0, 3.0], [4.0, 0.0]], ["a", "a", "b", "b"]
    >>> model = KNeighborsClassifier(3).fit(rows, labels)
    >>> found = explain_prediction(model, [0.0, 1.0])
    >>> print(found)
    a by 3 neighbors, margin 0.33; without the nearest 1 of its class it would be b
    >>> found.features()[0]
    ('x1', 0.8333333333333334)
    """
    if leave_out is not None:
        leave_out = check_int("leave_out", leave_out, least=0, most=model.n_samples_fit_ - 1)
    if is_regressor(model):
        return explain_number(model, x, leave_out)
    codes, classes = class_codes(model), np.asarray(model.classes_)
    if hasattr(model, "bandwidth_"):
        return _soft_evidence(model, x, codes, leave_out)
    poll = Poll(model, one_row(x), codes, leave_out)
    verdict = poll.decide()
    answer, alone = verdict.winner, not len(verdict.row)
    rivals = np.delete(verdict.votes, answer)
    lead = verdict.votes[answer] - (rivals.max() if len(rivals) else 0.0)
    return Evidence(
        poll.outlier_label if alone else classes[answer],
        classes,
        verdict.votes,
        0.0 if alone else float(lead / verdict.votes.sum()),
        verdict.row,
        verdict.distance,
        classes[codes[verdict.row]],
        verdict.weight,
        feature_shares(model, poll.query, verdict.row),
        feature_names(model),
        None if alone else _flip(poll, answer, classes),
        None if alone else _other(poll, answer, classes),
    )


def _soft_evidence(model: Any, x: Any, codes: Rows, leave_out: int | None) -> Evidence:
    """Show the kernels that matter. Votes are chances, to which the background adds its part."""
    query, classes = model._queries(one_row(x))[0], np.asarray(model.classes_)
    pull = pull_of_classes(model, query, leave_out)
    near, far = model._scales(pull.distance[:1] ** 2, query, model.bandwidth_)
    mixed = np.bincount(codes[pull.row], pull.weight * near, len(classes)) + model._prior() * far
    weight, votes = pull.weight * near / mixed.sum(), mixed / mixed.sum()
    answer = int(votes.argmax())
    own = codes[pull.row] == answer
    rivals = np.delete(votes, answer)
    next_best = rivals.max() if len(rivals) else 0.0
    falls = np.flatnonzero(votes[answer] - np.cumsum(weight[own]) < next_best)
    flip = None
    if len(rivals) and len(falls):
        rival = int(np.where(np.arange(len(votes)) == answer, -1.0, votes).argmax())
        flip = Flip(pull.row[own][: falls[0] + 1], classes[rival])
    others = np.flatnonzero(~own)
    other = None
    if len(others):
        row = int(pull.row[others[0]])
        other = Other(row, float(pull.distance[others[0]]), classes[codes[row]])
    return Evidence(
        classes[answer],
        classes,
        votes,
        float(votes[answer] - next_best),
        pull.row,
        pull.distance,
        classes[codes[pull.row]],
        weight,
        feature_shares(model, query, pull.row),
        feature_names(model),
        flip,
        other,
    )


def _flip(poll: Poll, answer: int, classes: AnyArray) -> Flip | None:
    """Return the fewest nearest rows of the answer's class that have to go."""
    own = int(np.count_nonzero(poll.present(answer)))
    if own == poll.available:
        return None
    least, most = 0, 1  # the answer stands without `least`, and falls without `most`
    while poll.decide(poll.nearest(answer, most)).winner == answer:
        if most == own:
            return None  # costs give this answer without a vote for it
        least, most = most, min(2 * most, own)
    while most - least > 1:
        middle = (least + most) // 2
        if poll.decide(poll.nearest(answer, middle)).winner == answer:
            least = middle
        else:
            most = middle
    gone = poll.nearest(answer, most)
    winner = poll.decide(gone).winner
    return Flip(gone, classes[winner] if winner >= 0 else poll.outlier_label)


def _other(poll: Poll, answer: int, classes: AnyArray) -> Other | None:
    found = poll.first_other(answer)
    if found is None:
        return None
    row, distance = found
    return Other(row, distance, classes[poll.codes[row]])
