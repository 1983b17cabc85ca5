"""Fitting a candidate in its share of the time: on all rows, or on as many as there is time for.

What a candidate costs is measured on few rows where it is expected to be much. One that more rows
might bring to the front is fitted again, on more, in the time that is left.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import replace

from lookalike.errors import LookalikeError
from lookalike.studies.results import STOPPED, Candidate
from lookalike.studies.select.budget import Deadline, TimeOver, release_after
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


class CandidateFit:
    """A candidate and what came of it: fitted to all rows, to some of them, or why it is not.

    Parameters
    ----------
    spec : CandidateSpec
        The candidate.
    training : TrainingRows
        All training rows.

    Attributes
    ----------
    candidate : Candidate
        The candidate as the study shows it.
    fitted : FittedCandidate or None
        The model; None where there was no time, or it cannot be fitted.
    rows : int
        How many it was fitted to.
    pace : float
        Seconds that it took, per second expected.
    before : (int, float) or None
        Fewer rows that it was fitted to, and the validation error with them.
    """

    def __init__(self, spec: CandidateSpec, training: TrainingRows) -> None:
        self.spec, self.training = spec, training
        self.candidate = Candidate(
            spec.name, spec.title, spec.description, reference=spec.reference
        )
        self.fitted: FittedCandidate | None = None
        self.rows = 0
        self.pace = 1.0
        self.before: tuple[int, float] | None = None

    def fit(self, deadline: Deadline, *, waiting: int) -> None:
        """Fit the candidate within its share of the time, while this many others wait.

        One that is expected to take long is fitted to few rows first, then to more: what these cost
        is measured, and the last is kept where there is no time for more, or more rows would not
        bring it to the front.
        """
        spec, size = self.spec, self.training.size
        expected = spec.cost(size)
        share = min(spec.most, SHARES * deadline.left / (waiting + 1), deadline.left)
        if expected <= max(min(LITTLE, share), LITTLE_SHARE * share):
            limit = deadline.within(max(deadline.left / 2, PATIENCE * expected))
            self._fit_rows(size.rows, limit if waiting else deadline)
            if self.fitted is not None or not self.candidate.lacked_time:
                return
        few = affordable_rows(spec, size, min(LOOK, share))
        refused = deadline.refuses(spec.cost(size.first(few)))
        if refused:
            self._skip(refused, 0)
            return
        self._fit_rows(few, deadline.within(deadline.left / 2) if waiting else deadline)
        if self.candidate.lacked_time:
            return
        limit = deadline.within(max(SPARE * share, PATIENCE * LITTLE) if waiting else deadline.left)
        self._fit_growing(limit, share)

    def fit_more(self, deadline: Deadline) -> None:
        """Fit it to more rows, where these might bring it to the front and there is time."""
        if self.fitted is not None:
            self._fit_growing(deadline, min(self.spec.most, deadline.left / PATIENCE))

    @property
    def may_win(self) -> bool:
        """Whether all rows might bring the candidate to the front, by what some gave.

        Its loss falls on as it did from fewer rows to these; where only one is known, as steeply as
        losses of the task do at best.
        """
        training = self.training
        least = min(training.losses, default=None)
        compared = not self.spec.reference and training.scoring is None
        if not compared or least is None or self.fitted is None:
            return True
        mean_loss, exponent = training.task.mean_loss, training.task.steepest
        loss = mean_loss(self.fitted.score.value)
        if self.before is not None:
            fewer, error = self.before
            fall = math.log(max(mean_loss(error), TINY) / max(loss, TINY))
            exponent = min(max(fall / math.log(self.rows / fewer), 0.0), 1.0)
        more = training.size.rows / self.rows
        return bool(REACH * loss / more**exponent <= least)

    def _fit_growing(self, deadline: Deadline, seconds: float) -> None:
        """Fit it to more and more rows: as long as these might bring it to the front.

        What it costs is measured again each time; as many as `seconds` are expected to suffice for.
        """
        spec, size = self.spec, self.training.size
        while self.rows < size.rows and self.may_win:
            most = affordable_rows(spec, size, min(seconds, deadline.left) / self.pace)
            rows = min(most, GROWTH * self.rows)
            rows = most if rows >= NEARLY * most else rows
            if rows < 2 * self.rows or spec.cost(size.first(most)) * self.pace > deadline.left:
                break
            if not self._fit_rows(rows, deadline) and self.fitted is not None:
                break

    def _fit_rows(self, rows: int, deadline: Deadline) -> bool:
        """Fit it to this many rows; where that fails, what fewer gave is kept."""
        spec, everyone = self.spec, self.training.size.rows
        some = self.training if rows == everyone else self.training.first(rows)
        expected = spec.cost(self.training.size.first(rows))
        begin = time.monotonic()
        try:
            with deadline.enforced(), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what matters is in hyperparameters and score
                fitted = spec.fit(some)
        except TimeOver:
            spent = time.monotonic() - begin
            return self._skip(f"stopped after {spent:.0f} s: {STOPPED}", rows)
        except (LookalikeError, ValueError) as error:
            return self._skip(f"it cannot be fitted here: {error}", rows)
        spent = time.monotonic() - begin
        release_after(spent)
        part = {} if rows == everyone else {"rows": f"{rows:,} of {everyone:,}, at random"}
        self.candidate = replace(
            self.candidate,
            hyperparameters=part | fitted.hyperparameters,
            validation_error=fitted.score.value,
            validation_interval=fitted.score.interval,
            validation_method=fitted.score.method,
            validation_score=fitted.score.scored,
            n_rows=fitted.rows or rows,
            seconds=spent,
            skipped="",
        )
        self.before = None if self.fitted is None else (self.rows, self.fitted.score.value)
        self.fitted, self.rows = fitted, rows
        self.pace = max(spent / max(expected, TINY), LEAST_PACE)
        return True

    def _skip(self, reason: str, rows: int) -> bool:
        """Keep why it was not fitted to this many rows, where it was not fitted to fewer."""
        if self.fitted is None:
            self.candidate, self.rows = replace(self.candidate, skipped=reason), rows
        return False


def affordable_rows(spec: CandidateSpec, size: ProblemSize, seconds: float) -> int:
    """Return for how many rows the seconds suffice: all of them, halved until they do."""
    rows = size.rows
    while spec.cost(size.first(rows)) > seconds and rows >= 2 * FEWEST_ROWS:
        rows //= 2
    return rows
