"""Explanations by neighbors: which training rows decide a prediction, and what would change it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_regressor

from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.explain.prediction.adapters import class_codes, numbers
from lookalike.explain.prediction.distance_shares import named_shares, one_row
from lookalike.explain.prediction.explanation import Explanation
from lookalike.explain.prediction.neighborhood import NeighborVote
from lookalike.explain.prediction.number_evidence import explain_number
from lookalike.explain.prediction.score_contributions import (
    BACKGROUND_PART,
    ROUNDING_PART,
    Voters,
    class_contributions,
    share_contributions,
)
from lookalike.explain.similarity import distance_percentile
from lookalike.kernels.votes import VoteResult
from lookalike.models.kernel.contributions import (
    Contributions,
    kernel_contributions,
    kernel_probabilities,
)
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.models.neighbors.training_rows import compared_queries
from lookalike.models.trees.forest import ForestNeighbors, forest_contributions
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_int, shown, typed


@typed
def explain_prediction(
    model: BaseEstimator, x: object, *, leave_out: object = None, k_max: int | None = None
) -> Explanation:
    """Show which training rows decide the class or number that `model` predicts for the row `x`.

    The prediction flips when rows of its class are removed, the nearest first: the next nearest
    take their places. This is the smallest such set where weights fall with distance and rows
    weigh the same.

    Parameters
    ----------
    model : fitted model
        A classifier or regressor by neighbors, of one output: of lookalike, or a
        KNeighborsClassifier or KNeighborsRegressor of scikit-learn.
    x : row
        One row: an array of its features, or a table of one row.
    leave_out : int or array of int, optional
        Training rows that have no vote: first `x` itself if it is a training row, then rows of
        its group. Models by kernels and forests leave out one row.
    k_max : int, optional
        Largest K whose prediction is known; 25, or the model's own if that is larger, when None.

    Returns
    -------
    Explanation
        Printed, it says what is predicted, what would change it, which K predict the same, and
        how far the nearest row is compared with those of training rows.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rows, labels = [[0.0, 0.0], [1.0, 0.0], [0.0, 3.0], [4.0, 0.0]], ["a", "a", "b", "b"]
    >>> model = KNeighborsClassifier(3).fit(rows, labels)
    >>> explanation = explain_prediction(model, [0.0, 1.0])
    >>> print(explanation)
    3 neighbors predict a: 66.7% of the votes, margin 0.3333.
    Without its nearest row of class a the prediction would be b.
    Every K from 1 to 3 predicts a.
    Its nearest row is farther away than that of 0.0% of 4 training rows.
    >>> explanation.features()[0]
    ('x1', 0.8333333333333334)
    """
    if isinstance(model, type) or not hasattr(model, "predict"):
        raise ParameterTypeError(f"model={shown(model)} is not a model. Give a fitted classifier.")
    if leave_out is not None:
        leave_out = _left_out(leave_out, model)
    table = one_row(x)
    if is_regressor(model):
        explanation, query = explain_number(model, table, leave_out)
    else:
        explanation, query = _explain_class(model, table, leave_out, k_max)
    explanation = _with_silent_rows(explanation, model, table, leave_out)
    shares, names = named_shares(model, query, explanation.rows)
    nearest = explanation.distances[:1].tolist()
    return replace(
        explanation,
        feature_shares=shares,
        feature_names=names,
        percentile=distance_percentile(model, nearest[0]) if nearest else None,
    )


def explain_neighbors(
    model: NearestNeighbors, x: object, k: int, leave_out: Rows | None = None
) -> Explanation:
    """Return the nearest rows of one row where nothing is predicted."""
    table = one_row(x)
    distance, row = model.kneighbors(table, min(k + (leave_out is not None), model.n_samples_fit_))
    allowed = np.ones(row.shape[1], bool) if leave_out is None else ~np.isin(row[0], leave_out)
    row, distance = row[0][allowed][:k], np.asarray(distance[0][allowed][:k], np.float64)
    shares, names = named_shares(model, compared_queries(model, table), row)
    return Explanation(
        None,
        row,
        distance,
        weights=np.ones(len(row)),
        k=k,
        feature_shares=shares,
        feature_names=names,
        percentile=distance_percentile(model, float(distance[0])) if len(row) else None,
    )


def _explain_class(
    model: BaseEstimator, table: object, leave_out: Any, k_max: int | None
) -> tuple[Explanation, Any]:
    """Return the explanation of a class, and the row as the model compares it."""
    codes, classes = class_codes(model), np.asarray(model.classes_)
    if hasattr(model, "bandwidth_"):
        return _soft_explanation(model, table, codes, leave_out)
    if isinstance(model, ForestNeighbors):
        return _forest_explanation(model, table, codes, leave_out), None
    neighbors = NeighborVote(model, table, codes, leave_out)
    explanation = _explain_vote(neighbors, codes, classes, k_max)
    return explanation, neighbors.query


def _explain_vote(
    neighbors: NeighborVote, codes: Rows, classes: AnyArray, k_max: int | None
) -> Explanation:
    result = neighbors.decide()
    answer, votes = int(result.winner[0, 0]), _votes(result)
    row, distance, weight = neighbors.voters(result)
    ranges = neighbors.ranges(k_max)
    if not len(row):
        label = neighbors.outlier_label
        return Explanation(label, classes=classes, votes=votes, margin=0.0, k_ranges=ranges)
    rivals = np.delete(votes, answer)
    lead = votes[answer] - (rivals.max() if len(rivals) else 0.0)
    flip_rows, flip_label = _flip(neighbors, answer, classes)
    voters = Voters(row, codes[row], weight)
    explanation = Explanation(
        classes[answer],
        row,
        distance,
        classes[codes[row]],
        weight,
        k=neighbors.k,
        classes=classes,
        votes=votes,
        margin=float(lead / votes.sum()),
        flip_rows=flip_rows,
        flip_label=flip_label,
        k_ranges=ranges,
        contributions=class_contributions(voters, neighbors.rule, votes, classes, answer),
    )
    row, distance = neighbors.nearest(neighbors.others(answer), 1)
    return _with_other(explanation, row, distance, classes[codes[row]])


def _with_silent_rows(
    explanation: Explanation, model: BaseEstimator, table: object, leave_out: Any
) -> Explanation:
    """Return the explanation with rows of the same group that are as near as the voters.

    They have no vote. The first of the rows that are left out is the query itself.
    """
    group = np.atleast_1d(leave_out)[1:] if leave_out is not None else ()
    if not len(group) or not len(explanation.rows):
        return explanation
    width = min(len(group) + 1 + len(explanation.rows), model.n_samples_fit_)
    distance, row = (np.asarray(part[0]) for part in model.kneighbors(table, width))
    silent = np.isin(row, group) & (distance <= explanation.distances[-1])
    rows = np.append(explanation.rows, row[silent])
    distances = np.append(explanation.distances, distance[silent])
    order = np.lexsort((rows, distances))
    targets = training_targets_of(model, explanation.classes)[row[silent]]
    nothing = np.zeros(int(silent.sum()))
    moves = explanation.moves
    return replace(
        explanation,
        rows=rows[order],
        distances=distances[order],
        targets=np.append(explanation.targets, targets)[order],
        weights=np.append(explanation.weights, nothing)[order],
        moves=None if moves is None else np.append(moves, nothing)[order],
    )


def training_targets_of(model: BaseEstimator, classes: AnyArray | None) -> AnyArray:
    """Return the label or the number of every training row."""
    return numbers(model) if classes is None else classes[class_codes(model)]


def _left_out(rows: object, model: BaseEstimator) -> object:
    """Return the training rows without a vote, checked: one, or several of K-NN models."""
    most = model.n_samples_fit_ - 1
    try:
        given = np.asarray(rows)
    except ValueError:  # lists of several lengths
        raise ParameterTypeError(
            f"leave_out={shown(rows)} is not a list of numbers. Give a row number, or several."
        ) from None
    if given.ndim == 0:
        return check_int("leave_out", rows, least=0, most=most)
    each = [check_int("leave_out", row, least=0, most=most) for row in given.tolist()]
    if len(each) > 1 and (hasattr(model, "bandwidth_") or isinstance(model, ForestNeighbors)):
        raise ParameterError(f"leave_out={shown(rows)}: {type(model).__name__} leaves out one row.")
    return each[0] if len(each) == 1 else np.array(each, np.int64)


def _soft_explanation(
    model: BaseEstimator, table: object, codes: Rows, leave_out: int | None
) -> tuple[Explanation, Any]:
    """Show the kernels that matter. Votes are probabilities, to which the background adds."""
    query = compared_queries(model, table)
    contributions = kernel_contributions(model, query, leave_out)
    contributions, votes = kernel_probabilities(model, query, contributions)
    return _weighted_explanation(model, codes, contributions, votes, BACKGROUND_PART), query


def _forest_explanation(
    model: BaseEstimator, table: object, codes: Rows, leave_out: int | None
) -> Explanation:
    """Show the training rows in the leaves of a row; the trees stay as they are."""
    contributions = forest_contributions(model, table, leave_out)
    votes = np.zeros(len(model.classes_))
    np.add.at(votes, codes[contributions[0]], contributions[2])
    return _weighted_explanation(model, codes, contributions, votes, ROUNDING_PART)


def _weighted_explanation(
    model: BaseEstimator, codes: Rows, contributions: Contributions, votes: Array, rest: str
) -> Explanation:
    """Show rows whose weights sum to the probabilities `votes`, but for the `rest`."""
    (row, distance, weight), classes = contributions, np.asarray(model.classes_)
    answer = int(votes.argmax())
    of_answer = codes[row] == answer
    rivals = np.delete(votes, answer)
    next_best = rivals.max() if len(rivals) else 0.0
    falls = np.flatnonzero(votes[answer] - np.cumsum(weight[of_answer]) < next_best)
    flip_rows, flip_label = None, None
    if len(rivals) and len(falls):
        rival = int(np.where(np.arange(len(votes)) == answer, -1.0, votes).argmax())
        flip_rows, flip_label = row[of_answer][: falls[0] + 1], classes[rival]
    voters = Voters(row, codes[row], weight)
    explanation = Explanation(
        classes[answer],
        row,
        distance,
        classes[codes[row]],
        weight,
        classes=classes,
        votes=votes,
        margin=float(votes[answer] - next_best),
        flip_rows=flip_rows,
        flip_label=flip_label,
        contributions=share_contributions(voters, votes, classes, rest),
    )
    return _with_other(
        explanation, row[~of_answer], distance[~of_answer], classes[codes[row[~of_answer]]]
    )


def _with_other(
    explanation: Explanation, row: Rows, distance: Array, label: AnyArray
) -> Explanation:
    """Return the explanation with the nearest row of another class: the first given, if any."""
    if not len(row):
        return explanation
    return replace(
        explanation,
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
    of_answer = neighbors.present(answer)
    count = int(np.count_nonzero(of_answer))
    if count == neighbors.available:
        return None, None

    def winner_without(rows: int) -> int:
        return int(neighbors.decide(neighbors.nearest(of_answer, rows)[0]).winner[0, 0])

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
    removed, _ = neighbors.nearest(of_answer, most)
    return removed, classes[winner] if winner >= 0 else neighbors.outlier_label


def _votes(result: VoteResult) -> Array:
    assert result.votes is not None
    votes: Array = result.votes[0]
    return votes
