"""Comparing candidates: all of them predict the held-out rows of common folds."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ShapeError
from lookalike.progress import progress, report_step
from lookalike.settings import settings
from lookalike.studies.effort import Effort
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.scoring import scoring_for
from lookalike.studies.select.budget import Deadline
from lookalike.studies.select.candidate_spec import CandidateSpec
from lookalike.studies.select.fold_work import (
    DATASET_NAME,
    Comparison,
    fit_family,
    fold_name,
    prepare_fold,
)
from lookalike.studies.select.out_of_fold import OutOfFold
from lookalike.studies.select.preparation import PreparationRequest
from lookalike.studies.select.race import Race
from lookalike.studies.select.split import Split
from lookalike.studies.select.work_store import (
    FolderStore,
    MemoryStore,
    WorkStore,
    temporary_folder,
)
from lookalike.studies.task import Task
from lookalike.typing import AnyArray
from lookalike.workers import SameProcess, Work, WorkerPool, worker_pool

if TYPE_CHECKING:
    from lookalike.studies.context import StudyContext

# Cells of a table, times how often a candidate is fitted to them, from which on candidates are
# fitted by worker processes: with less work, these take longer to start than they save.
WORKER_CELL_FITS = 75_000
TEXT_COLUMNS = 200  # that the work with a text amounts to, roughly
WORKER_MODULES = ("lookalike.studies.select.fold_work",)  # that they import when they start


def comparison_of(context: StudyContext, task: Task, labels: AnyArray | None) -> Comparison:
    """Return what the candidates of a study are compared by."""
    options, models = context.options, tuple(context.options.models)
    y = np.asarray(context.dataset.y)
    if (y == y[0]).all():
        models = ("baseline",)
        context.decisions.add("models", "the baseline alone", "the target is constant")
    requested = scoring_for(options.scoring, task)
    request = PreparationRequest(dict(context.features), task, options.metric, options.seed)
    scoring = None if requested.name == task.metric else requested.name
    return Comparison(request, task, models, scoring, options.effort, labels)


def worker_count(dataset: Dataset, effort: Effort) -> int:
    """Return how many processes fit candidates; 0: this process does, where rows are few."""
    threads = settings().threads
    columns = len(dataset.kinds) if dataset.text is None else TEXT_COLUMNS
    fits = effort.folds * (effort.repeats if len(dataset) < effort.repeated_rows else 1)
    return 0 if threads == 1 or len(dataset) * columns * fits < WORKER_CELL_FITS else threads


@contextmanager
def work_place(n_workers: int) -> Iterator[tuple[WorkStore, WorkerPool | SameProcess]]:
    """Open what candidates are fitted with: processes and a folder, or this process alone."""
    with worker_pool(n_workers, memory=settings().memory, preload=WORKER_MODULES) as pool:
        if n_workers == 0:
            yield MemoryStore(), pool
            return
        with temporary_folder() as folder:
            yield FolderStore(folder), pool


class CandidateComparison:
    """All candidates on common folds, fitted by a pool until all are done or the time is over.

    Parameters
    ----------
    comparison : Comparison
        What is compared, and how.
    specs : sequence of CandidateSpec
        The candidates.
    dataset : Dataset
        The rows.
    split : Split
        The folds, by places of rows.
    """

    comparison: Comparison
    specs: list[CandidateSpec]
    dataset: Dataset
    split: Split

    def __init__(
        self,
        comparison: Comparison,
        specs: Sequence[CandidateSpec],
        dataset: Dataset,
        split: Split,
    ) -> None:
        self.comparison, self.specs = comparison, list(specs)
        self.dataset, self.split = dataset, split

    def run(
        self, store: WorkStore, pool: WorkerPool | SameProcess, deadline: Deadline
    ) -> OutOfFold:
        """Return the predictions of all candidates for the rows of the folds."""
        begin, y = time.monotonic(), np.asarray(self.dataset.y)
        race = Race(
            self.specs,
            y,
            self.split,
            self.comparison.task,
            deadline=deadline,
            n_workers=max(pool.n_workers, 1),
            stops_early=self.comparison.scoring is None,
            first=self.comparison.models[:1],
        )
        store.put(DATASET_NAME, self.dataset)
        while True:
            repeat_begin = time.monotonic()
            self._prepare_folds(race, store, pool)
            self._fit_folds(race, store, pool)
            while race.settle() and self._submit_fits(race, store, pool):
                self._fit_folds(race, store, pool)
            for number in race.parts:
                store.drop(fold_name(number))
            if not race.begin_repeat(time.monotonic() - repeat_begin):
                break
        store.drop(DATASET_NAME)
        split = self.split.first_repeats(race.complete_repeats())
        table = OutOfFold(
            self.comparison.task,
            split,
            tuple(race.contenders.values()),
            self.dataset.row,
            y,
            self.comparison.labels,
            store,
            time.monotonic() - begin,
        )
        if not table.eligible:
            why = "; ".join(
                f"{contender.spec.title}: {contender.stopped}" for contender in table.contenders
            )
            raise ShapeError(f"No model could be fitted. {why}")
        return table

    def _prepare_folds(self, race: Race, store: WorkStore, pool: WorkerPool | SameProcess) -> None:
        """Let the folds of a repeat be prepared."""
        for number in race.parts:
            args = (store, self.comparison, number, *self.split.parts[number])
            pool.submit(Work(("fold", number), prepare_fold, args))

    def _fit_folds(self, race: Race, store: WorkStore, pool: WorkerPool | SameProcess) -> None:
        """Fit the candidates that are in a repeat to its folds, as these get ready."""
        families = {family.name: family for family in race.families}
        n_works = len(race.parts) * (1 + len(families))
        with progress("models", n_works) as advance:
            n_done = 0
            while (outcome := pool.next_outcome()) is not None:
                key: Any = outcome.key
                name, number = key
                if name == "fold" and outcome.failure is not None:
                    reason = outcome.failure.message
                    raise ShapeError(f"The rows of a fold could not be prepared: {reason}")
                if name == "fold":
                    race.note_prepared(number, outcome.value)
                elif outcome.failure is not None:
                    race.note_failure(families[name], number, outcome.failure)
                else:
                    race.note_results(families[name], number, outcome.value)
                self._submit_fits(race, store, pool)
                n_done += 1
                advance(1)
                report_step(race.standing())
            advance(max(n_works - n_done, 0))

    def _submit_fits(self, race: Race, store: WorkStore, pool: WorkerPool | SameProcess) -> bool:
        """Let free processes fit what is next; return whether there was anything."""
        n_submitted = 0
        while pool.n_free and (following := race.next_fit()) is not None:
            family, number, seconds = following
            racing = race.racing(family)
            names = tuple(contender.spec.name for contender in racing)
            args = (store, self.comparison, number, names, racing[0].n_rows)
            pool.submit(Work((family.name, number), fit_family, args, seconds))
            n_submitted += 1
        return n_submitted > 0
