"""The error of the kept model, from out-of-fold losses of all candidates.

The winner of several models has the smallest loss partly by chance: its own out-of-fold error is
too low. Bootstrap bias correction [Tsamardinos18] draws rows, selects the winner on them, and takes
its loss on the rows that were not drawn: the selection is inside the estimate, and no model is
fitted again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from lookalike.confidence import NORMAL_95_DEVIATIONS
from lookalike.studies.evaluate.intervals import hull, recall_interval
from lookalike.studies.evaluate.kept_interval import (
    TRAINING_VARIANCE_ABOVE,
    TRAINING_VARIANCE_BELOW,
    kept_mean_interval,
    kept_share_interval,
)
from lookalike.studies.evaluate.refit import Gain, gain_of_all_rows
from lookalike.studies.format import Interval
from lookalike.studies.results import Predictions
from lookalike.studies.scoring import Scoring
from lookalike.studies.task import CLASSIFICATION_TASK, Task
from lookalike.typing import Array, Rows

CORRECTION_DRAWS = 500
DRAWN_AT_ONCE = 1_000_000  # units of a block of draws
SCORE_DRAWS = (25, 200)  # of scores that are not means over rows: least and most,
SCORED_ROWS = 10_000_000  # between them, as many as score this many rows in all
MAX_CONTENDERS = 6  # candidates, best first, among which a draw selects by such a score


class OutOfFoldLosses(NamedTuple):
    """The loss of every row by the model of its fold, on the same folds for every candidate."""

    names: tuple[str, ...]
    loss: Array  # (candidates, repeats, rows): 0 or 1, or the squared difference
    fold: Rows  # (repeats, rows)
    groups: Rows | None = None  # rows of one group are drawn together

    def units(self) -> tuple[Array, Array]:
        """Return the summed loss (candidates, units) and the size of what is drawn together.

        Losses of a row are averaged over repeats; a unit is a row or a group.
        """
        per_row = self.loss.mean(axis=1, dtype=np.float64)
        size = self.of_units(np.ones(per_row.shape[1]))
        return np.stack([self.of_units(values) for values in per_row]), size

    def of_units(self, values: Array) -> Array:
        """Return the sums of values of rows over what is drawn together."""
        if self.groups is None:
            return values
        codes = np.unique(self.groups, return_inverse=True)[1]
        return np.bincount(codes, values).astype(np.float64)


class CorrectedError(NamedTuple):
    """The error rate or RMSE to expect of the winner fitted again on all rows."""

    value: float
    interval: Interval  # 95%
    method: str
    winner: str  # the smallest mean loss over all rows
    selected: dict[str, float]  # share of the draws in which each candidate won
    gain: Gain = Gain(1.0, 1.0)  # of learning from all rows


def corrected_error(
    losses: OutOfFoldLosses,
    task: Task,
    *,
    seed: int,
    draws: int = CORRECTION_DRAWS,
    times_fewer: float = 1.0,
    of_half: Array | None = None,
) -> CorrectedError:
    """Return the bias-corrected error rate or RMSE, with the 95% interval of the kept model.

    `times_fewer` is all training rows by those that the winner was fitted to; `of_half` are its
    losses where it learned from half of the rows of a fold.
    """
    loss, size = losses.units()
    winner = int(loss.sum(axis=1).argmin())
    mean, selected = bootstrap_bias_correction(loss, size, seed=seed, draws=draws)
    own, gain = loss[winner], Gain(1.0, 1.0)
    if of_half is not None:
        n_folds = int(losses.fold[0].max()) + 1
        gain = gain_of_all_rows(losses.of_units(of_half), own, size, mean, n_folds)
    interval_of = kept_share_interval if task is CLASSIFICATION_TASK else kept_mean_interval
    low, high = (
        interval_of(factor * own, size, factor * mean, times_fewer)[end]
        for end, factor in enumerate((gain.expected, gain.sure))
    )
    return CorrectedError(
        task.value(gain.sure * mean),
        (task.value(low), task.value(high)),
        describe_method(losses, task, gain=gain.sure < 1.0),
        losses.names[winner],
        dict(zip(losses.names, selected.tolist(), strict=True)),
        gain,
    )


def interval_over_groups(losses: OutOfFoldLosses, name: str, task: Task) -> Interval:
    """Return the 95% interval of a candidate's out-of-fold error, groups counting as one each."""
    loss, size = losses.units()
    own = loss[losses.names.index(name)]
    interval_of = kept_share_interval if task is CLASSIFICATION_TASK else kept_mean_interval
    low, high = interval_of(own, size, float(own.sum() / size.sum()), times_fewer=0.0)
    return task.value(low), task.value(high)


def describe_method(losses: OutOfFoldLosses, task: Task, *, gain: bool = False) -> str:
    """Return how the error and its interval were computed, as a report says it."""
    n_repeats, n_folds = len(losses.fold), int(losses.fold[0].max()) + 1
    times = "" if n_repeats == 1 else f", repeated {n_repeats} times"
    units = "rows" if losses.groups is None else "groups"
    correction = ", bootstrap bias correction" if len(losses.names) > 1 else ""
    correction += ", less what all training rows gain" if gain else ""
    interval = "Wilson" if task is CLASSIFICATION_TASK else "Student's t of the log MSE"
    split = f"{n_folds}-fold cross-validation" if n_folds > 1 else "one split"
    return (
        f"{split}{times}{correction}; interval: {interval} over {units}, "
        "variance enlarged for training sets"
    )


def bootstrap_bias_correction(
    loss: Array, size: Array, *, seed: int, draws: int = CORRECTION_DRAWS
) -> tuple[float, Array]:
    """Return the mean loss of winners on units not drawn, and how often each candidate won.

    Parameters
    ----------
    loss : array of shape (candidates, units)
        Summed loss of every unit.
    size : array of shape (units,)
        Rows of every unit.
    seed : int
        Of the draws.
    draws : int
        How often units are drawn.
    """
    rng, n_units = np.random.default_rng(seed), len(size)
    if len(loss) == 1 or n_units == 1:
        mean = loss.sum(axis=1) / size.sum()
        return float(mean.min()), np.eye(len(loss))[mean.argmin()]
    columns = np.vstack([loss, size]).T
    total, counted, wins = 0.0, 0, np.zeros(len(loss))
    block = max(DRAWN_AT_ONCE // n_units, 1)
    for begin in range(0, draws, block):
        counts = draw_counts(rng, n_units, min(block, draws - begin))
        inside, outside = counts @ columns, (counts == 0) @ columns
        winner = (inside[:, :-1] / inside[:, -1:]).argmin(axis=1)
        wins += np.bincount(winner, minlength=len(loss))
        drawn_any = outside[:, -1] > 0
        out_of_draw = outside[np.arange(len(winner)), winner][drawn_any] / outside[drawn_any, -1]
        total, counted = total + float(out_of_draw.sum()), counted + int(drawn_any.sum())
    return total / max(counted, 1), wins / draws


def draw_counts(rng: np.random.Generator, n_units: int, draws: int) -> Array:
    """Return how often every unit is drawn, with replacement, in every draw."""
    drawn = rng.integers(n_units, size=(draws, n_units)) + n_units * np.arange(draws)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=draws * n_units)
    return counts.reshape(draws, n_units).astype(np.float64)


def corrected_score(
    predictions: Mapping[str, Predictions],
    scoring: Scoring,
    *,
    seed: int,
    n_repeats: int = 1,
    groups: Rows | None = None,
) -> CorrectedError:
    """Return the bias-corrected score of the winner, also where it is not a mean over rows.

    A draw selects among the best candidates by the score on the rows drawn, averaged over repeats,
    and scores it on the others. The interval adds the standard deviation of the winner's score
    over draws, enlarged for training sets, on both sides.

    Parameters
    ----------
    predictions : mapping of name to Predictions
        Out-of-fold predictions of each candidate for the same rows; repeats follow each other.
    scoring : Scoring
        What models are compared by.
    seed : int
        Of the draws.
    n_repeats : int
        How often all rows were held out.
    groups : array, optional
        The group of every row of a repeat; rows of one group are drawn together.
    """
    full = {name: _mean_score(scoring, rows, n_repeats) for name, rows in predictions.items()}
    order = sorted(full, key=lambda name: scoring.loss(full[name]))[:MAX_CONTENDERS]
    winner = predictions[order[0]]
    n_rows = len(winner.y_true) // n_repeats
    codes = np.arange(n_rows) if groups is None else np.unique(groups, return_inverse=True)[1]
    draws = int(np.clip(SCORED_ROWS // (n_rows * n_repeats * len(order)), *SCORE_DRAWS))
    counts = draw_counts(np.random.default_rng(seed), int(codes.max()) + 1, draws)[:, codes]
    drawn_scores, left_scores, wins = [], [], dict.fromkeys(predictions, 0.0)
    for count in counts:
        drawn, left = np.repeat(np.arange(n_rows), count.astype(np.int64)), count == 0
        scores = [_mean_score(scoring, predictions[name], n_repeats, drawn) for name in order]
        best = order[int(np.argmin([scoring.loss(score) for score in scores]))]
        wins[best] += 1 / draws
        drawn_scores.append(scores[0])
        if left.any():
            rest = np.flatnonzero(left)
            left_scores.append(_mean_score(scoring, predictions[best], n_repeats, rest))
    finite = np.array([score for score in left_scores if np.isfinite(score)])
    value = full[order[0]] if len(order) == 1 or not len(finite) else float(finite.mean())
    return CorrectedError(
        value,
        _score_interval(scoring, winner.take(np.arange(n_rows)), value, np.array(drawn_scores)),
        f"{'bootstrap bias correction' if len(order) > 1 else 'mean over repeats'}; interval: "
        f"bootstrap over {'rows' if groups is None else 'groups'}, variance enlarged for training "
        "sets",
        order[0],
        wins,
    )


def _mean_score(
    scoring: Scoring, predictions: Predictions, n_repeats: int, rows: Rows | None = None
) -> float:
    """Return the score on some rows, by their places in a repeat, averaged over repeats."""
    n_rows = len(predictions.y_true) // n_repeats
    rows = np.arange(n_rows) if rows is None else rows
    scores = [scoring.compute(predictions.take(rows + k * n_rows)) for k in range(n_repeats)]
    return float(np.mean(scores))


def _score_interval(
    scoring: Scoring, rows: Predictions, value: float, drawn_scores: Array
) -> Interval:
    """Return the interval from the scores of the winner over draws, within the score's range."""
    finite = drawn_scores[np.isfinite(drawn_scores)]
    spread = float(finite.std(ddof=1)) if len(finite) > 1 else 0.0
    ways = TRAINING_VARIANCE_BELOW, TRAINING_VARIANCE_ABOVE
    better, worse = (NORMAL_95_DEVIATIONS * (1 + way) ** 0.5 * spread for way in ways)
    below, above = (worse, better) if scoring.greater_is_better else (better, worse)
    interval = (value - below, value + above)
    if scoring.name in ("balanced_accuracy", "f1", "auc"):  # without an error there is no spread
        interval = hull(interval, recall_interval(rows, value))
    return scoring.within_range(interval)
