"""Model selection: every candidate is tuned and validated on the training rows, the best wins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from sklearn.pipeline import Pipeline

from lookalike.data.kept_rows import read_only
from lookalike.decisions import Decisions
from lookalike.engines.blas import openmp_threads, single_threaded_blas
from lookalike.errors import ShapeError
from lookalike.models.neighbors.k_selection import KSelection
from lookalike.models.neighbors.metric_options import NeighborOptions
from lookalike.progress import progress
from lookalike.settings import config
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.results import Candidate
from lookalike.studies.scoring import Scoring, scoring_for
from lookalike.studies.select.budget import Deadline
from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.candidates import CANDIDATES
from lookalike.studies.select.fitting import CandidateFit
from lookalike.studies.select.preparation import Preparation, choose_preparation
from lookalike.studies.select.references import REFERENCES, TEXT_REFERENCES
from lookalike.studies.select.text_candidates import TEXT_CANDIDATES
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import Score, Task
from lookalike.typing import Array

FEW_CELLS = 50_000  # of a table for which threads are not worth their while
RESERVED = 0.06  # part of the time, for references
SOME_CELLS = 200_000  # for which those of libraries wait for each other more than they work

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.data.chunk import Matrix
    from lookalike.studies.context import StudyContext


class PreparedRows:
    """Rows as each kind of model sees them: one preprocessor for each, fitted once."""

    def __init__(self, dataset: Dataset, preparation: Preparation) -> None:
        self.preparation = preparation
        self._dataset: Dataset | None = dataset
        self._fitted: dict[str, tuple[object, object]] = {}

    def of(self, features: str) -> tuple[BaseEstimator, Matrix]:
        """Return the fitted preprocessor, and the preprocessed rows."""
        features = self.preparation.same(features)
        if features not in self._fitted:
            assert self._dataset is not None, f"{features!r}: the rows were released"
            preprocessor = self.preparation.preprocessor(features)
            Z = read_only(preprocessor.fit_transform(self._dataset.source()))
            self._fitted[features] = preprocessor, Z
        return self._fitted[features]

    def prepare(self, features: Iterable[str]) -> None:
        """Preprocess the rows for these features and the analyses; keep them no longer as given."""
        for one in (*features, *self.preparation.analyzed):
            self.of(one)
        self._dataset = None

    def preprocessor(self, features: str) -> BaseEstimator:
        """Return the fitted preprocessor."""
        known = self._fitted.get(self.preparation.same(features))
        return self.of(features)[0] if known is None else known[0]

    def release_rows(self) -> None:
        """Keep the preprocessors, those of the analyses among them, and no rows."""
        self.prepare(())
        self._fitted = {name: (fitted, None) for name, (fitted, _) in self._fitted.items()}

    def search(self, features: str) -> NeighborOptions:
        """Return the parameters of a neighbor search on these features."""
        features = self.preparation.same(features)
        return self.preparation.search(features, self.preprocessor(features))


@dataclass(frozen=True)
class ModelSelection:
    """The candidates with their validation scores, and the winner as a pipeline for raw tables."""

    candidates: tuple[Candidate, ...]
    winner: str
    models: dict[str, Pipeline]  # by the name of the candidate
    k_selection: KSelection | None
    prepared: PreparedRows
    left_outs: dict[str, Callable[[], Array]]  # class probabilities of training rows, each by the
    # model without it, of the candidates for which that takes no other fits

    @property
    def model(self) -> Pipeline:
        """The winner."""
        return self.models[self.winner]

    @property
    def left_out(self) -> Callable[[], Array] | None:
        """What computes class probabilities of the training rows by the winner without each."""
        return self.left_outs.get(self.winner)

    def winner_alone(self) -> ModelSelection:
        """Return the selection without rows, and without models not selected, which hold some."""
        self.prepared.release_rows()
        left_outs = {name: one for name, one in self.left_outs.items() if name == self.winner}
        return replace(self, models={self.winner: self.model}, left_outs=left_outs)

    def selected_by(self, scores: Mapping[str, Score], scoring: Scoring | None) -> ModelSelection:
        """Return the selection by other validation scores of the candidates, as far as known.

        `scoring` is what models are compared by, where it is not the error or the RMSE.
        """
        known = tuple(
            replace(
                one,
                validation_error=scores[one.name].value,
                validation_interval=scores[one.name].interval,
                validation_method=scores[one.name].method,
                validation_score=scores[one.name].scored,
            )
            if one.name in scores and one.validation_error is not None
            else replace(one, gap=None)
            for one in self.candidates
        )
        fitted = [one for one in known if one.validation_error is not None]
        winner = _winner([one for one in fitted if one.name in scores], scoring)
        gaps = (_with_gap(one, winner) if one.name in scores else one for one in known)
        return replace(self, candidates=tuple(gaps), winner=winner.name)


def select_model(
    dataset: Dataset,
    context: StudyContext,
    task: Task,
    *,
    deadline: Deadline,
    decisions: Decisions,
    first: str | None = None,
) -> ModelSelection:
    """Tune and validate every candidate on the rows of `dataset`; the lowest error wins.

    The cheapest are fitted first, each in its share of the time: to fewer rows where all would take
    longer. References come last; in the time that is left, candidates that were fitted to some of
    the rows and that more might bring to the front are fitted to more. For the baseline there
    always is time, and for the candidate named as `first`, which won on other rows.
    """
    budget, seed, allowed = context.budget, context.options.seed, deadline.left
    requested = scoring_for(context.options.scoring, task)
    scoring = None if requested.name == task.metric else requested
    with budget.stage("preprocessing"):
        prepared = PreparedRows(dataset, choose_preparation(dataset, context, decisions))
        specs = _specs_for(dataset, prepared.preparation, task)
        with few_threads(dataset):
            prepared.prepare(spec.features for spec in specs)
    dataset = dataset.without_rows()
    deadline = deadline.no_sooner_than(allowed / 2)  # whatever preprocessing took
    training: dict[str, TrainingRows] = {}
    losses: list[float] = []

    def rows_for(spec: CandidateSpec) -> TrainingRows:
        features = prepared.preparation.same(spec.features)
        if features not in training:
            preprocessor, Z = prepared.of(features)
            scaled = prepared.preparation.scaled(preprocessor)
            y, search = np.asarray(dataset.y), prepared.search(features)
            training[features] = TrainingRows(
                Z, y, task, seed, search, scaled=scaled, groups=dataset.groups, scoring=scoring,
                losses=losses,
            )  # fmt: skip
        return training[features]

    with budget.stage("comparing models"), few_threads(dataset):
        tried = _fitted_in_turn(specs, rows_for, deadline, scoring, first)
    results = [(spec, tried[spec.name].candidate, tried[spec.name].fitted) for spec in specs]
    fitted = [(spec, one, model) for spec, one, model in results if model is not None]
    compared = [one for spec, one, _ in fitted if not spec.reference]
    if not compared:
        why = "; ".join(f"{one.title}: {one.skipped}" for _, one, _ in results)
        raise ShapeError(f"No model could be fitted. {why}")
    winner = _winner(compared, scoring)
    curves = (rows.__dict__.get("k_selection") for rows in training.values())
    return ModelSelection(
        tuple(_with_gap(one, winner) for _, one, _ in results),
        winner.name,
        {one.name: _pipeline(prepared, spec, model, dataset) for spec, one, model in fitted},
        next((one for one in curves if one is not None), None),
        prepared,
        {one.name: model.left_out for _, one, model in fitted if model.left_out is not None},
    )


def _specs_for(dataset: Dataset, preparation: Preparation, task: Task) -> list[CandidateSpec]:
    """Return the candidates and references for the kind of the data and the task."""
    every = CANDIDATES if dataset.text is None else TEXT_CANDIDATES
    if preparation.has_text:
        every = (*every, *(one for one in TEXT_CANDIDATES if one.name == "tfidf_linear"))
    every = (*every, *(REFERENCES if dataset.text is None else TEXT_REFERENCES))
    return [spec for spec in every if task.name in spec.tasks]


def _fitted_in_turn(
    specs: Sequence[CandidateSpec],
    rows_for: Callable[[CandidateSpec], TrainingRows],
    deadline: Deadline,
    scoring: Scoring | None,
    first: str | None,
) -> dict[str, CandidateFit]:
    """Return the candidates by name: the cheapest are fitted first, then some to more rows."""
    tried = {spec.name: CandidateFit(spec, rows_for(spec)) for spec in specs}
    nominal = {spec.name: spec.cost(rows_for(spec).size.nominal()) for spec in specs}
    in_turn = sorted(
        specs, key=lambda spec: (spec.reference, spec.name != first, nominal[spec.name])
    )

    def note_loss(fit: CandidateFit) -> None:
        if fit.fitted is not None and not fit.spec.reference:
            rows = fit.training
            rows.losses.append(rows.task.mean_loss(fit.fitted.score.value))

    earlier = deadline.within((1 - RESERVED) * deadline.left)
    with progress("models", len(specs)) as advance:
        for place, spec in enumerate(in_turn, 1):
            always, waiting = spec.name == first or nominal[spec.name] == 0, len(in_turn) - place
            until = Deadline(None) if always else deadline if spec.reference else earlier
            tried[spec.name].fit(until, waiting=waiting)
            note_loss(tried[spec.name])
            advance(1)
    partial = [one for one in tried.values() if 0 < one.rows < len(one.training.y)]
    for one in sorted(partial, key=lambda one: _loss(one.candidate, scoring)):
        one.fit_more(deadline)
        note_loss(one)
    return tried


def _winner(candidates: Sequence[Candidate], scoring: Scoring | None) -> Candidate:
    """Return the candidate of lowest loss, of equal ones the first, and no reference."""
    return min(
        (one for one in candidates if not one.reference), key=lambda one: _loss(one, scoring)
    )


def _with_gap(one: Candidate, winner: Candidate) -> Candidate:
    """Return a reference with its gap to the winner."""
    if not one.reference or one.validation_error is None or not winner.validation_error:
        return one
    return replace(one, gap=one.validation_error / winner.validation_error - 1.0)


def _pipeline(
    prepared: PreparedRows, spec: CandidateSpec, fitted: FittedCandidate, dataset: Dataset
) -> Pipeline:
    """Return a candidate as a model of raw tables."""
    preprocessor = prepared.preprocessor(spec.features)
    if fitted.n_components is not None:
        preprocessor = preprocessor.first(fitted.n_components)
    pipeline = Pipeline([("prepare", preprocessor), *fitted.steps])
    pipeline.training_rows_ = dataset.row  # their numbers in the data: they come shuffled
    return pipeline


@contextmanager
def few_threads(dataset: Dataset) -> Iterator[None]:
    """Work in one thread where rows are few: more would wait for each other.

    The BLAS and OpenMP keep to one thread for larger tables than trees and searches do.
    """
    cells = len(dataset) * len(dataset.kinds)
    if cells > SOME_CELLS:
        yield
        return
    own = config(threads=1) if cells <= FEW_CELLS else nullcontext()
    with own, single_threaded_blas(), openmp_threads(1):
        yield


def _loss(candidate: Candidate, scoring: Scoring | None) -> float:
    """Return what is least for the winner: its error, or its score turned so."""
    error = candidate.validation_error
    if error is None:
        return np.inf
    if scoring is None or candidate.validation_score is None:
        return float(error)
    return scoring.loss(candidate.validation_score)
