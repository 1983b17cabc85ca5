"""The table of out-of-fold predictions: every candidate on the rows of common folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import BaseEstimator

from lookalike.studies.results import Candidate, Predictions
from lookalike.studies.scoring import Scoring, mean_losses
from lookalike.studies.select.fold_work import FoldResult, model_name
from lookalike.studies.select.race import Contender
from lookalike.studies.select.split import Split
from lookalike.studies.select.work_store import WorkStore
from lookalike.studies.task import CLASSIFICATION_TASK, Task
from lookalike.typing import AnyArray, Array, Rows


@dataclass(frozen=True)
class EnsembleChoice:
    """The members of an ensemble, by name, and their weights, chosen on all rows."""

    names: tuple[str, ...]
    weights: Array


@dataclass(frozen=True)
class OutOfFold:
    """What every candidate predicts for rows that it was not fitted to, on the same folds.

    Attributes
    ----------
    task : Task
        Classification or regression.
    split : Split
        The folds, in the repeats that were completed; places of rows.
    contenders : tuple of Contender
        All candidates, those without all folds among them.
    row, y : ndarray
        The numbers and targets of all rows, by place.
    labels : ndarray or None
        All classes; None of regression.
    store : WorkStore
        Where the models of the folds are.
    """

    task: Task
    split: Split
    contenders: tuple[Contender, ...]
    row: Rows
    y: AnyArray
    labels: AnyArray | None
    store: WorkStore
    seconds: float  # that the comparison took
    ensemble: EnsembleChoice | None = None  # of the candidate "ensemble", where there is one

    @property
    def eligible(self) -> list[str]:
        """The candidates that may be kept: they predicted the rows of every fold."""
        parts = range(len(self.split.parts))
        return [
            contender.spec.name
            for contender in self.contenders
            if contender.finished(parts) and not contender.spec.reference
        ]

    def contender(self, name: str) -> Contender:
        """Return a candidate by name."""
        return next(one for one in self.contenders if one.spec.name == name)

    def predictions(self, name: str) -> Predictions:
        """Return what a candidate predicts, in order of row and fold, in the folds it finished."""
        results = self.contender(name).results
        return self._joined([(part, results[part]) for part in self._finished(name)])

    def loss(self, name: str) -> Array:
        """Return the losses of a candidate for all its folds: (repeats, rows) in order of row."""
        predictions = self.predictions(name)
        loss = self.task.loss(predictions.y_pred, predictions.y_true)
        return loss.reshape(-1, self.split.n_repeats).T

    def fitted_rows(self, name: str) -> int:
        """Return how many training rows a candidate was fitted to in each fold; 0: all."""
        return self.contender(name).n_rows

    def seconds_of_fit(self, name: str) -> float:
        """Return what fitting a candidate, or the members of the ensemble, to a fold takes."""
        names = [name] if self.ensemble is None or name != "ensemble" else self.ensemble.names
        results = [self.contender(one).results.values() for one in names]
        return sum(float(np.mean([part.seconds for part in parts])) for parts in results)

    def _finished(self, name: str) -> list[int]:
        results = self.contender(name).results
        return [part for part in range(len(self.split.parts)) if part in results]

    def _joined(self, results: Sequence[tuple[int, FoldResult]]) -> Predictions:
        places = np.concatenate([self.split.parts[part][1] for part, _ in results])
        fold = np.repeat(
            [part for part, _ in results], [len(self.split.parts[part][1]) for part, _ in results]
        )
        order = np.lexsort((fold, self.row[places]))
        y_pred = np.concatenate([np.asarray(result.y_pred) for _, result in results])[order]
        probability = shares = None
        if self.labels is not None and all(result.shares is not None for _, result in results):
            shares = np.concatenate([np.asarray(result.shares) for _, result in results])[order]
            probability = shares[np.arange(len(y_pred)), np.searchsorted(self.labels, y_pred)]
        places = places[order]
        return Predictions(
            self.row[places], self.y[places], y_pred, probability, fold[order], shares, self.labels
        )

    def best(self, scoring: Scoring) -> list[str]:
        """Return the candidates that may be kept, the one of the best score first."""
        scores = {
            name: scoring.loss(scoring.compute(self.predictions(name))) for name in self.eligible
        }
        return sorted(scores, key=lambda name: scores[name])  # of equal ones, the simpler first

    def fold_models(self, name: str) -> tuple[tuple[BaseEstimator, Rows], ...]:
        """Return the models of a candidate in the folds of the first repeat, with their rows."""
        return tuple(
            (
                self.store.get(model_name(part, name), mapped=False),
                self.row[self.split.parts[part][0]],
            )
            for part in range(self.split.n_folds)
        )

    def probabilities(self, name: str) -> tuple[Rows, Array] | None:
        """Return row numbers, and the probabilities of classes by a candidate, over the repeats."""
        predictions = self.predictions(name)
        if self.task is not CLASSIFICATION_TASK or predictions.shares is None:
            return None
        row, inverse, count = np.unique(predictions.row, return_inverse=True, return_counts=True)
        total = np.zeros((len(row), predictions.shares.shape[1]))
        np.add.at(total, inverse, predictions.shares)
        return row, total / count[:, None]

    def candidates(self, scoring: Scoring) -> tuple[Candidate, ...]:
        """Return all candidates as the study shows them, the errors those of their folds."""
        return tuple(self._candidate(contender, scoring) for contender in self.contenders)

    def _candidate(self, contender: Contender, scoring: Scoring) -> Candidate:
        spec, finished = contender.spec, self._finished(contender.spec.name)
        shown = Candidate(spec.name, spec.title, spec.description, reference=spec.reference)
        if not finished:
            return replace(shown, skipped=contender.stopped or "not all folds were fitted")
        predictions = self.predictions(spec.name)
        method = self._method(contender, finished)
        score = self.task.score(self.task.loss(predictions.y_pred, predictions.y_true), method)
        other = None if scoring.name == self.task.metric else scoring.compute(predictions)
        row, mean = mean_losses(predictions, self.task)
        interval = self.task.score(mean, method).interval
        return replace(
            shown,
            hyperparameters=self._rows_of(contender)
            | (contender.results[finished[-1]].hyperparameters or {}),
            validation_error=score.value,
            validation_interval=interval,
            validation_method=method,
            validation_score=other,
            n_rows=len(row),
            stopped=contender.stopped,
            seconds=sum(result.seconds for result in contender.results.values()),
        )

    def _rows_of(self, contender: Contender) -> dict[str, str]:
        everyone = len(self.split.parts[0][0])
        return (
            {"rows": f"{contender.n_rows:,} of {everyone:,}, at random"} if contender.n_rows else {}
        )

    def _method(self, contender: Contender, finished: Sequence[int]) -> str:
        n_folds = self.split.n_folds
        if len(finished) < n_folds:
            return contender.stopped or f"{len(finished)} of {n_folds} folds"
        folds = f"{n_folds}-fold cross-validation" if n_folds > 1 else "held-out rows"
        n_repeats = len(finished) // n_folds
        return folds + (f", {n_repeats} repeats" if n_repeats > 1 else "")
