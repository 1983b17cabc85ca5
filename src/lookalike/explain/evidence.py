"""Why a row is given its class: the neighbours, their votes, and what would change the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lookalike.errors import ParameterTypeError, ShapeError
from lookalike.explain.fitted import class_codes
from lookalike.explain.poll import Poll
from lookalike.models.parameters import whole
from lookalike.typing import AnyArray, Array, Rows


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
        What the neighbours say, each by its weight.
    margin : float
        By which share of the votes the answer leads the next class; negative where a prior, a
        cost or a rule for ties overruled the votes.
    rows, distances, labels, weights : ndarray of shape (k,)
        The neighbours that voted, nearest first. They are more than asked for where a tie grew.
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

        Neighbours at distance zero have nothing to share and are left out.
        """
        if self.feature_shares is None:
            return []
        apart = self.feature_shares[self.feature_shares.sum(axis=1) > 0]
        mean = apart.mean(axis=0) if len(apart) else np.zeros(len(self.feature_names))
        order = np.argsort(-mean, kind="stable")
        return [(str(self.feature_names[j]), float(mean[j])) for j in order]

    def __str__(self) -> str:
        text = f"{self.prediction} by {len(self.rows)} neighbours, margin {self.margin:.2g}"
        if self.flip is None:
            return text
        gone = len(self.flip.rows)
        return f"{text}; without the nearest {gone} of its class it would be {self.flip.label}"


def explain_prediction(model: Any, x: Any, *, leave_out: int | None = None) -> Evidence:
    """Show what the class that `model` gives to the row `x` rests on.

    The answer flips when rows of its own class go, the nearest first: the next nearest step in.
    This is the smallest such set where weights fall with distance and rows weigh the same.

    Parameters
    ----------
    model : fitted classifier
        A KNeighborsClassifier of lookalike or of scikit-learn, of one output.
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
    a by 3 neighbours, margin 0.33; without the nearest 1 of its class it would be b
    >>> found.features()[0]
    ('x1', 0.8333333333333334)
    """
    if hasattr(model, "outlier_label"):
        raise ParameterTypeError(
            f"{type(model).__name__} asks all rows within a radius. Give a model that asks K rows."
        )
    codes, classes = class_codes(model), np.asarray(model.classes_)
    if leave_out is not None:
        leave_out = whole("leave_out", leave_out, least=0, most=len(codes) - 1)
    poll = Poll(model, _one_row(x), codes, leave_out)
    verdict = poll.decide()
    answer = verdict.winner
    rivals = np.delete(verdict.votes, answer)
    lead = verdict.votes[answer] - (rivals.max() if len(rivals) else 0.0)
    return Evidence(
        classes[answer],
        classes,
        verdict.votes,
        float(lead / verdict.votes.sum()),
        verdict.row,
        verdict.distance,
        classes[codes[verdict.row]],
        verdict.weight,
        _shares(model, poll.query, verdict.row),
        _names(model),
        _flip(poll, answer, classes),
        _other(poll, answer, classes),
    )


def _one_row(x: Any) -> Any:
    """Return `x` as a table of one row."""
    if hasattr(x, "columns") or sp.issparse(x):
        table = x
    else:
        table = np.asarray(x)
        table = table[None] if table.ndim == 1 else table
    if table.shape[0] != 1:
        raise ShapeError(f"x holds {table.shape[0]} rows. Give one row, or explain each in turn.")
    return table


def _names(model: Any) -> AnyArray:
    named = getattr(model, "feature_names_in_", None)
    return np.array([f"x{j}" for j in range(model.n_features_in_)]) if named is None else named


def _shares(model: Any, query: Any, row: Rows) -> Array | None:
    """Return each feature's share of the distances to some rows of fit."""
    rows, metric = model._fit_X, model.effective_metric_
    parameters = dict(getattr(model, "effective_metric_params_", {}) or {})
    power = {"euclidean": 2.0, "sqeuclidean": 2.0, "manhattan": 1.0}.get(metric)
    if metric == "minkowski":
        power = float(parameters.get("p", model.p))
    if power is None or not (isinstance(rows, np.ndarray) or sp.issparse(rows)):
        return None
    near, here = rows[row], query
    near, here = (
        part.toarray() if sp.issparse(part) else np.asarray(part) for part in (near, here)
    )
    terms = np.abs(near.astype(np.float64) - here.astype(np.float64)) ** power
    if parameters.get("w") is not None:
        terms = terms * np.asarray(parameters["w"], np.float64)
    total = terms.sum(axis=1, keepdims=True)
    shares: Array = np.divide(terms, total, out=np.zeros_like(terms), where=total > 0)
    return shares


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
    return Flip(gone, classes[poll.decide(gone).winner])


def _other(poll: Poll, answer: int, classes: AnyArray) -> Other | None:
    found = poll.first_other(answer)
    if found is None:
        return None
    row, distance = found
    return Other(row, distance, classes[poll.codes[row]])
