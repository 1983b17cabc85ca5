"""Fitting a candidate in its share of the time: on all rows, or on as many as there is time for.

What a candidate costs is measured on few rows where it is expected to be much. One that more rows
might bring to the front is fitted again, on more, in the time that is left.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import replace
from typing import NamedTuple

from lookalike.errors import LookalikeError
from lookalike.studies.results import STOPPED, Candidate
from lookalike.studies.select.budget import Deadline, TimeOver
from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.training_rows import REACH, ProblemSize, TrainingRows

FEWEST_ROWS = 1000  # that a candidate without time for all is fitted on
LITTLE = 3.0  # seconds that a candidate may be expected to take without a look at few rows,
LITTLE_SHARE = 0.3  # or this part of its share of the time
LOOK = 1.0  # seconds that this look may be expected to take
SHARES = 1.5  # times what is left for each candidate that waits, that one may be expected to take
PATIENCE = 3.0  # times what is expected of it that a candidate may take
GROWTH = 8  # times as many rows at most, next
SPARE = 1.5  # times its share that it may take: many rows may cost more than few foretell
LEAST_PACE = 0.5  # few rows may be over sooner than many: far behind on the first folds
TINY = 1e-12
NEARLY = 0.8  # part of the rows, instead of which all are taken


class Attempt(NamedTuple):
    """A candidate as it was fitted, to how many rows, and what came of fewer."""

    candidate: Candidate
    fitted: FittedCandidate | None
    rows: int = 0
    pace: float = 1.0  # seconds that it took, per second expected
    before: tuple[int, float] | None = None  # fewer rows, and the validation error with them


def fit_candidate(
    spec: CandidateSpec, training: TrainingRows, deadline: Deadline, *, waiting: int
) -> Attempt:
    """Fit a candidate within its share of the time, while so many others wait.

    One that is expected to take long is fitted to few rows first, then to more: what these cost is
    measured, and the last is kept where there is no time for more, or more rows would not bring it
    to the front.
    """
    size = training.size
    expected = spec.cost(size)
    share = min(spec.most, SHARES * deadline.left / (waiting + 1), deadline.left)
    if expected <= max(min(LITTLE, share), LITTLE_SHARE * share):
        limit = deadline.within(max(deadline.left / 2, PATIENCE * expected))
        whole = _attempt(spec, training, size.rows, limit if waiting else deadline)
        if whole.fitted is not None or not whole.candidate.lacked_time:
            return whole
    few = affordable_rows(spec, size, min(LOOK, share))
    refused = deadline.refuses(spec.cost(size.first(few)))
    if refused:
        return Attempt(_shown(spec, skipped=refused), None)
    look = _attempt(
        spec, training, few, deadline.within(deadline.left / 2) if waiting else deadline
    )
    if look.candidate.lacked_time:
        return look
    limit = deadline.within(max(SPARE * share, PATIENCE * LITTLE) if waiting else deadline.left)
    return _grown(spec, training, look, limit, share)


def fit_more_rows(
    spec: CandidateSpec, training: TrainingRows, attempt: Attempt, deadline: Deadline
) -> Attempt:
    """Fit a candidate to more rows, where these might bring it to the front and there is time."""
    if attempt.fitted is None:
        return attempt
    seconds = min(spec.most, deadline.left / PATIENCE)
    return _grown(spec, training, attempt, deadline, seconds)


def _grown(
    spec: CandidateSpec,
    training: TrainingRows,
    attempt: Attempt,
    deadline: Deadline,
    seconds: float,
) -> Attempt:
    """Fit a candidate to more and more rows: as long as these might bring it to the front.

    What it costs is measured again each time; as many as `seconds` are expected to suffice for.
    """
    size = training.size
    while attempt.rows < size.rows and may_win(spec, training, attempt):
        most = affordable_rows(spec, size, min(seconds, deadline.left) / attempt.pace)
        rows = min(most, GROWTH * attempt.rows)
        rows = most if rows >= NEARLY * most else rows
        if rows < 2 * attempt.rows or spec.cost(size.first(most)) * attempt.pace > deadline.left:
            break
        more = _attempt(spec, training, rows, deadline)
        if more.fitted is None and attempt.fitted is not None:
            break
        if attempt.fitted is not None:
            more = more._replace(before=(attempt.rows, attempt.fitted.score.value))
        attempt = more
    return attempt


def affordable_rows(spec: CandidateSpec, size: ProblemSize, seconds: float) -> int:
    """Return for how many rows the seconds suffice: all of them, halved until they do."""
    rows = size.rows
    while spec.cost(size.first(rows)) > seconds and rows >= 2 * FEWEST_ROWS:
        rows //= 2
    return rows


def may_win(spec: CandidateSpec, training: TrainingRows, attempt: Attempt) -> bool:
    """Return whether all rows might bring a candidate to the front, by what some gave.

    Its loss falls on as it did from fewer rows to these; where only one is known, as steeply as
    losses of the task do at best.
    """
    least = min(training.losses, default=None)
    if spec.reference or least is None or attempt.fitted is None or training.scoring is not None:
        return True
    mean_loss, exponent = training.task.mean_loss, training.task.steepest
    loss = mean_loss(attempt.fitted.score.value)
    if attempt.before is not None:
        fewer, error = attempt.before
        fall = math.log(max(mean_loss(error), TINY) / max(loss, TINY))
        exponent = min(max(fall / math.log(attempt.rows / fewer), 0.0), 1.0)
    more = training.size.rows / attempt.rows
    return bool(REACH * loss / more**exponent <= least)


def _shown(spec: CandidateSpec, skipped: str = "") -> Candidate:
    reference = spec.reference
    return Candidate(spec.name, spec.title, spec.description, skipped=skipped, reference=reference)


def _attempt(spec: CandidateSpec, training: TrainingRows, rows: int, deadline: Deadline) -> Attempt:
    """Return a candidate fitted to so many rows, with its validation score; or why it is not."""
    everyone = training.size.rows
    some = training if rows == everyone else training.first(rows)
    expected = spec.cost(training.size.first(rows))
    begin = time.monotonic()
    try:
        with deadline.enforced(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what matters is in hyperparameters and score
            fitted = spec.fit(some)
    except TimeOver:
        spent = time.monotonic() - begin
        return Attempt(_shown(spec, f"stopped after {spent:.0f} s: {STOPPED}"), None, rows)
    except (LookalikeError, ValueError) as error:
        return Attempt(_shown(spec, f"it cannot be fitted here: {error}"), None, rows)
    spent = time.monotonic() - begin
    part = {} if rows == everyone else {"rows": f"{rows:,} of {everyone:,}, at random"}
    candidate = replace(
        _shown(spec),
        hyperparameters=part | fitted.hyperparameters,
        validation_error=fitted.score.value,
        validation_interval=fitted.score.interval,
        validation_method=fitted.score.method,
        validation_score=fitted.score.scored,
        n_rows=fitted.rows or rows,
        seconds=spent,
    )
    return Attempt(candidate, fitted, rows, max(spent / max(expected, TINY), LEAST_PACE))
