"""The race of the candidates over common folds: who is fitted next, to how many rows, who is out.

Cheap candidates go first, so that there soon is a sound answer that more time only improves. One
that is far behind on the folds so far is not fitted to the others; one without time for all rows
is fitted to as many as there is time for, the same number in every fold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lookalike.studies.format import score
from lookalike.studies.results import NOT_BEGUN, TIME_WAS_OVER
from lookalike.studies.select.budget import Deadline
from lookalike.studies.select.candidate_spec import CandidateSpec
from lookalike.studies.select.far_behind import folds_until_far_behind, is_behind, is_far_behind
from lookalike.studies.select.fold_work import FoldResult
from lookalike.studies.select.split import Split
from lookalike.studies.select.training_rows import ProblemSize
from lookalike.studies.task import Task
from lookalike.typing import AnyArray, Array
from lookalike.workers import Failure

FEWEST_TRAINING_ROWS = 1000  # that a candidate without time for all is fitted to
ALWAYS_FITTED = ("", "neighbors")  # families for which there always is time; "": the baseline
SHORTEST_LIMIT = 2.0  # seconds after which a fit may be stopped
LIMIT_FACTOR = 4.0  # times what a fit is expected to take, after which it may be stopped
SHARE_FACTOR = 2.0  # times its equal share of the time that a family may be expected to take
FAR_BEHIND = "far behind"
CLEARLY_WORSE_ERRORS = 3.0  # standard errors by which it is not worth another repeat


@dataclass
class Contender:
    """A candidate in the race, and what it predicted in each fold so far."""

    spec: CandidateSpec
    results: dict[int, FoldResult] = field(default_factory=dict)
    losses: dict[int, Array] = field(default_factory=dict)
    stopped: str = ""  # why it is not fitted to further folds
    n_repeats: int = 1  # how many repeats of all folds it is in
    n_rows: int = 0  # training rows that it is fitted to in each fold; 0: all

    def finished(self, parts: Sequence[int]) -> bool:
        """Return whether it predicted the rows of all these folds."""
        return all(part in self.losses for part in parts)

    def loss(self, parts: Sequence[int]) -> Array:
        """Return the losses of the rows of some folds."""
        return np.concatenate([self.losses[part] for part in parts])


class Family:
    """Candidates that are fitted together, since they share a search."""

    name: str
    contenders: list[Contender]
    n_rows: int

    def __init__(self, name: str, contenders: Sequence[Contender]) -> None:
        self.name, self.contenders = name, list(contenders)
        self.n_rows = 0  # training rows it is fitted to; 0: not decided yet
        self.pace: float = 1.0  # seconds that it takes, per second expected
        self.running: set[int] = set()

    @property
    def is_reference(self) -> bool:
        """Whether it is shown for comparison alone."""
        return all(contender.spec.reference for contender in self.contenders)

    @property
    def alive(self) -> list[Contender]:
        """The candidates that are still in the race."""
        return [contender for contender in self.contenders if not contender.stopped]

    def cost(self, sizes: Mapping[str, ProblemSize], n_rows: int) -> float:
        """Return the seconds that a fold is expected to take with this many training rows."""
        costs = [
            contender.spec.cost(
                sizes[contender.spec.name].first(min(n_rows, sizes[contender.spec.name].rows))
            )
            for contender in self.alive
        ]
        return self.pace * max(costs, default=0.0)  # of the search that they share

    @property
    def longest(self) -> float:
        """Seconds that a fit may be expected to take."""
        return max((contender.spec.longest for contender in self.alive), default=math.inf)

    def begin_again(self, n_rows: int) -> None:
        """Forget what was fitted, to fit all folds to this many rows, if these are others."""
        if n_rows == self.n_rows:
            return
        self.n_rows = n_rows
        for contender in self.alive:
            contender.results.clear()
            contender.losses.clear()

    def stop(self, reason: str) -> None:
        """Take all candidates out of the race."""
        for contender in self.alive:
            contender.stopped = reason


class Race:
    """Which candidate is fitted to which fold next, and what came of it.

    Parameters
    ----------
    specs : sequence of CandidateSpec
        The candidates.
    y : ndarray
        The targets of all rows.
    split : Split
        The folds, by places of rows; the numbers of folds are places in ``split.parts``.
    task : Task
        Classification or regression.
    deadline : Deadline
        When the comparison is to end.
    n_workers : int
        How many folds are fitted at a time.
    stops_early : bool
        Whether candidates that are far behind are not fitted to further folds.
    first : sequence of str
        Names of candidates for which there always is time.
    """

    split: Split
    task: Task
    repeat: int

    def __init__(
        self,
        specs: Sequence[CandidateSpec],
        y: AnyArray,
        split: Split,
        task: Task,
        *,
        deadline: Deadline,
        n_workers: int,
        stops_early: bool = True,
        first: Sequence[str] = (),
    ) -> None:
        self.split, self.task, self.deadline, self.n_workers = split, task, deadline, n_workers
        self.stops_early, self.first = stops_early, tuple(first)
        self.contenders: dict[str, Contender] = {spec.name: Contender(spec) for spec in specs}
        self.families: list[Family] = _families(self.contenders)
        self.sizes: dict[str, ProblemSize] = {}
        self.prepared: set[int] = set()
        self.repeat = 0
        self._y = [y[held_out] for _, held_out in split.parts]

    @property
    def parts(self) -> list[int]:
        """The numbers of the folds of the present repeat."""
        n_folds = self.split.n_folds
        return list(range(self.repeat * n_folds, (self.repeat + 1) * n_folds))

    def note_prepared(self, part: int, sizes: Mapping[str, ProblemSize]) -> None:
        """Note that the rows of a fold are ready; the sizes of the first are those of all."""
        self.prepared.add(part)
        if not self.sizes:
            self.sizes = dict(sizes)
            self.families.sort(key=self._order)

    def _order(self, family: Family) -> tuple[bool, bool, float]:
        named = any(contender.spec.name in self.first for contender in family.contenders)
        rows = max(size.rows for size in self.sizes.values())
        nominal = {name: size.nominal() for name, size in self.sizes.items()}
        always = named or family.name in ALWAYS_FITTED
        return family.is_reference, not always, family.cost(nominal, rows)

    def next_fit(self) -> tuple[Family, int, float] | None:
        """Return the family to fit next, the fold, and its time limit; None: nothing is ready."""
        for family in self.families:
            waiting = [
                part
                for part in self.parts
                if part in self.prepared
                and part not in family.running
                and any(
                    part not in contender.losses and not contender.stopped
                    for contender in self.racing(family)
                )
            ]
            if not waiting or not self._decide_rows(family):
                continue
            if family.running and family.n_rows and not self._known_pace(family):
                continue  # one fold first says what the others cost
            family.running.add(waiting[0])
            return family, waiting[0], self._limit(family)
        return None

    def racing(self, family: Family) -> list[Contender]:
        """Return the candidates of a family that are in the present repeat."""
        return [contender for contender in family.alive if contender.n_repeats > self.repeat]

    def _known_pace(self, family: Family) -> bool:
        """Return whether a fold was fitted, or whether what it costs does not matter."""
        known = any(contender.losses for contender in family.contenders)
        return known or self.deadline.left == math.inf or self._expected(family) < 1.0

    def _expected(self, family: Family) -> float:
        return family.cost(self.sizes, family.n_rows)

    def _always(self, family: Family) -> bool:
        named = any(contender.spec.name in self.first for contender in family.contenders)
        return named or family.name in ALWAYS_FITTED

    def _share(self, family: Family) -> float:
        """Return the seconds that a fold of the family may be expected to take."""
        waiting = sum(1 for one in self.families if self._unfinished(one))
        left = self.deadline.left * self.n_workers
        folds = sum(
            1 for part in self.parts if any(part not in one.losses for one in self.racing(family))
        )
        share = SHARE_FACTOR * left / max(waiting, 1)
        return min(share, left) / max(folds, 1)

    def _unfinished(self, family: Family) -> bool:
        return any(not contender.finished(self.parts) for contender in self.racing(family))

    def _decide_rows(self, family: Family) -> bool:
        """Decide how many rows a family is fitted to; False where there is no time for it."""
        everyone = max(self.sizes[contender.spec.name].rows for contender in family.contenders)
        if family.n_rows and not any(contender.losses for contender in family.contenders):
            return True
        if family.n_rows and family.cost(self.sizes, family.n_rows) <= 2 * self._share(family):
            return True
        allowed = min(family.longest, self._share(family))
        rows = family.n_rows or everyone
        while family.cost(self.sizes, rows) > allowed and rows >= 2 * FEWEST_TRAINING_ROWS:
            rows //= 2
        expected = family.cost(self.sizes, rows)
        if expected > allowed and expected > self.deadline.left and not self._always(family):
            digits = 1 if expected < 10 else 0
            family.stop(
                f"would take about {expected:.{digits}f} s for each of {len(self.parts)} folds, "
                f"and {self.deadline.left:.{digits}f} s {NOT_BEGUN}"
            )
            return False
        family.begin_again(rows)  # with fewer rows, where it takes longer than expected
        for contender in family.alive:
            contender.n_rows = 0 if rows >= everyone else rows
        return True

    def _limit(self, family: Family) -> float:
        """Return the seconds after which a fit is stopped."""
        if self._always(family):
            return math.inf
        expected = self._expected(family)
        patience = max(LIMIT_FACTOR * expected, self.deadline.left / 2, SHORTEST_LIMIT)
        return max(min(patience, self.deadline.left), 0.01)

    def note_results(self, family: Family, part: int, results: Sequence[FoldResult]) -> None:
        """Note what a family predicted for the rows of a fold, and drop who is far behind."""
        family.running.discard(part)
        expected = self._expected(family)
        spent = sum(result.seconds for result in results)
        if spent > 0 and expected > 0:
            family.pace *= max(spent / expected, 0.1)
        for result in results:
            contender = self.contenders[result.name]
            if result.failure:
                contender.stopped = result.failure
            elif not contender.stopped:
                contender.results[part] = result
                y_pred = np.asarray(result.y_pred)
                contender.losses[part] = self.task.loss(y_pred, self._y[part])
        if self.stops_early:
            for one in self.contenders.values():
                self._stop_if_far_behind(one)

    def note_failure(self, family: Family, part: int, failure: Failure) -> None:
        """Note that a fit was stopped from outside: it is tried with fewer rows, or given up."""
        family.running.discard(part)
        fewer = family.n_rows // 4
        limited = failure.kind in ("time", "memory")
        if limited and fewer >= FEWEST_TRAINING_ROWS and self.deadline.left > 0:
            family.begin_again(fewer)
            return
        reason = (
            f"{failure.message}: {TIME_WAS_OVER}" if failure.kind == "time" else failure.message
        )
        family.stop(reason)

    def _stop_if_far_behind(self, contender: Contender) -> None:
        """Stop a candidate whose losses exceed those of another on the same rows by far."""
        parts = [part for part in self.parts if part in contender.losses]
        if contender.stopped or contender.spec.reference or not parts:
            return
        if len(parts) == len(self.parts):
            return
        loss = contender.loss(parts)
        for other in self.contenders.values():
            if other is contender or other.spec.reference or not other.finished(parts):
                continue
            if is_far_behind(loss, other.loss(parts)):
                contender.stopped = self._far_behind(len(parts))
                return

    def _far_behind(self, n_done: int) -> str:
        return f"{FAR_BEHIND} after {n_done} of {self.split.n_folds} folds"

    def settle(self) -> bool:
        """Give each candidate the folds that it would have if families came one after the other.

        Folds are fitted side by side, and which ends first differs from run to run: who was
        stopped too late loses folds, who was stopped too early gets further ones. Returns whether
        there are such folds to fit.
        """
        if not self.stops_early:
            return False
        before: list[Contender] = []
        resumed = False
        for family in self.families:
            racing = [one for one in family.contenders if self._may_be_far_behind(one)]
            before += racing
            for contender in racing:
                others = [other for other in before if other is not contender]
                resumed |= self._settle(contender, others)
        return resumed

    def _may_be_far_behind(self, contender: Contender) -> bool:
        ended = contender.stopped and not contender.stopped.startswith(FAR_BEHIND)
        return not (ended or contender.spec.reference or contender.n_repeats <= self.repeat)

    def _settle(self, contender: Contender, others: Sequence[Contender]) -> bool:
        """Stop a candidate after the first folds that show it far behind; or let it go on."""
        parts = self.parts
        n_done = folds_until_far_behind(contender.losses, [one.losses for one in others], parts)
        if n_done is None:
            contender.stopped = ""
            return not contender.finished(parts)
        contender.stopped = self._far_behind(n_done)
        for part in parts[n_done:]:
            contender.results.pop(part, None)
            contender.losses.pop(part, None)
        return False

    def begin_repeat(self, seconds_each: float) -> bool:
        """Go on to the next repeat of the folds with the candidates that might win, if it fits."""
        racing = [contender for contender in self.complete() if not contender.spec.reference]
        after = self.repeat + 1
        if after >= self.split.n_repeats or not racing or self.deadline.left < 1.2 * seconds_each:
            return False
        best = min(racing, key=lambda contender: float(contender.loss(self.parts).mean()))
        for contender in racing:
            worse = is_behind(
                contender.loss(self.parts), best.loss(self.parts), 0.0, CLEARLY_WORSE_ERRORS
            )
            if contender is best or not self.stops_early or not worse:
                contender.n_repeats = after + 1
        self.repeat = after
        return True

    def standing(self) -> str:
        """Return in words how many models are done in this repeat, and the best so far."""
        entrants = [
            contender for contender in self.contenders.values() if contender.n_repeats > self.repeat
        ]
        finished = [contender for contender in entrants if contender.finished(self.parts)]
        done = sum(1 for contender in entrants if contender.stopped or contender in finished)
        text = f"comparing models {done}/{len(entrants)}"
        if self.split.n_repeats > 1:
            text += f", repeat {self.repeat + 1}"
        leaders = [contender for contender in finished if not contender.spec.reference]
        if not leaders:
            return text
        best = min(leaders, key=lambda contender: float(contender.loss(self.parts).mean()))
        error = self.task.value(float(best.loss(self.parts).mean()))
        return f"{text} · best {score(self.task.metric, error)} {best.spec.title}"

    def complete(self) -> list[Contender]:
        """Return the candidates that predicted the rows of all folds so far."""
        parts = range((self.repeat + 1) * self.split.n_folds)
        return [contender for contender in self.contenders.values() if contender.finished(parts)]

    def complete_repeats(self) -> int:
        """Return how many repeats all candidates completed that were in the last one."""
        racing = [
            contender for contender in self.contenders.values() if contender.n_repeats > self.repeat
        ]
        whole = self.repeat == 0 or all(contender in self.complete() for contender in racing)
        return self.repeat + 1 if whole else self.repeat


def _families(contenders: Mapping[str, Contender]) -> list[Family]:
    """Return the families, each candidate without one alone."""
    members: dict[str, list[Contender]] = {}
    for name, contender in contenders.items():
        members.setdefault(contender.spec.family or f"({name})", []).append(contender)
    return [
        Family("" if key == "(baseline)" else key, of_family) for key, of_family in members.items()
    ]
