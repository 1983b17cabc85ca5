"""The model that is kept: the winner fitted again, on all rows that models learn from."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.pipeline import Pipeline

from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError, ShapeError
from lookalike.models.neighbors.k_selection import KSelection
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.companion import K_NEIGHBORS, companion_spec, has_own_neighbors
from lookalike.studies.select.ensemble_candidate import ENSEMBLE_NAME, ensemble_of, first_columns
from lookalike.studies.select.finalists import Finalists, with_calibrated_probabilities
from lookalike.studies.select.fold_work import Comparison, RowsByFeatures, pipeline_of
from lookalike.studies.select.out_of_fold import OutOfFold
from lookalike.studies.select.preparation import choose_preparation
from lookalike.studies.select.prepared_rows import PreparedRows, few_threads


@dataclass(frozen=True)
class KeptModel:
    """The winner as a model of raw tables, how rows are prepared for it, and K-NN beside it."""

    winner: str  # name of a candidate
    model: Pipeline
    hyperparameters: dict[str, dict[str, str]]  # of the winner and its companion, by name
    companion: Pipeline | None  # K-NN on the same rows, where the winner has no neighbors
    k_selection: KSelection | None
    prepared: PreparedRows


class LearningRows:
    """All rows that models learn from, prepared once: for the kept model and for analyses."""

    comparison: Comparison
    dataset: Dataset

    def __init__(self, comparison: Comparison, dataset: Dataset, decisions: Decisions) -> None:
        self.comparison, self.dataset = comparison, dataset
        preparation = choose_preparation(dataset, comparison.request, decisions)
        self.specs: Sequence[CandidateSpec] = comparison.specs(dataset, preparation)
        self.prepared: PreparedRows = PreparedRows(dataset, preparation)
        self._rows = RowsByFeatures(comparison, self.prepared, dataset)

    def feature_kinds(self) -> dict[str, str]:
        """Return which features hold those that each candidate takes, one name for equal ones."""
        joined = self.prepared.preparation.joined
        return {spec.name: joined(spec.features) for spec in self.specs}

    def keep(self, finalists: Finalists, decisions: Decisions) -> KeptModel:
        """Fit the first of the candidates that can be fitted to all rows, and its companion."""
        names, table = finalists.names, finalists.table
        for name in names:
            try:
                spec = table.contender(name).spec if name == ENSEMBLE_NAME else self._spec(name)
                fitted = self._fitted_finalist(spec, table)
            except (LookalikeError, ValueError) as error:
                decisions.add("model", f"not {name}", f"it cannot be fitted to all rows: {error}")
                continue
            model = self._pipeline(spec, fitted)
            calibration = finalists.calibrations.get(name)
            if calibration is not None:
                model = with_calibrated_probabilities(model, calibration)
                reason = "lowest log loss out of fold"
                decisions.add("probabilities", calibration.describe(), reason)
            chosen, companion = {name: fitted.hyperparameters}, None
            if not has_own_neighbors(model):
                companion = self._companion(names, table, chosen)
            selection = self._k_selection()
            self.prepared.release_rows()
            return KeptModel(name, model, chosen, companion, selection, self.prepared)
        raise ShapeError("No model could be fitted to all rows.")

    def _spec(self, name: str) -> CandidateSpec:
        return next(spec for spec in self.specs if spec.name == name)

    def _fitted_finalist(self, spec: CandidateSpec, table: OutOfFold) -> FittedCandidate:
        """Fit a candidate, or the members of the ensemble, to all rows."""
        choice = table.ensemble
        if spec.name != ENSEMBLE_NAME or choice is None:
            return self._fit(spec, table)
        specs = [self._spec(name) for name in choice.names]
        training = self._rows(spec.features)
        same = self.prepared.preparation.same
        fitted = [
            one if same(member.features) == same(spec.features) else first_columns(one, training)
            for member, one in ((member, self._fit(member, table)) for member in specs)
        ]
        n_rows = [table.fitted_rows(name) or len(training.y) for name in choice.names]
        return ensemble_of(fitted, choice, training, n_rows)

    def _fit(self, spec: CandidateSpec, table: OutOfFold | None = None) -> FittedCandidate:
        """Fit a candidate to as many rows as in the folds, all of them where it took all."""
        training = self._rows(spec.features)
        if table is not None and (n_rows := table.fitted_rows(spec.name)):
            training = training.first(n_rows)
        with warnings.catch_warnings(), few_threads(self.dataset):
            warnings.simplefilter("ignore")  # what matters is in hyperparameters and decisions
            return spec.fit(training)

    def _pipeline(self, spec: CandidateSpec, fitted: FittedCandidate) -> Pipeline:
        pipeline = pipeline_of(self.prepared, spec, fitted, self.dataset)
        if self.comparison.labels is None:
            y = np.asarray(self.dataset.y, np.float64)
            pipeline.target_range_ = np.array([y.min(), y.max()])
        return pipeline

    def _companion(
        self, names: Sequence[str], table: OutOfFold, chosen: dict[str, dict[str, str]]
    ) -> Pipeline | None:
        """Return the best K-NN candidate, or K-NN where none was compared; None if none fits.

        What a candidate chose on all rows is added to `chosen`.
        """
        compared = [self._spec(name) for name in names if name in K_NEIGHBORS]
        beside = companion_spec(self.prepared.preparation.analyzed[0])
        for spec in (*compared, beside):
            try:
                fitted = self._fit(spec, table if spec in compared else None)
                if spec in compared:
                    chosen[spec.name] = fitted.hyperparameters
                return self._pipeline(spec, fitted)
            except (LookalikeError, ValueError):
                continue  # what no K-NN can be fitted to has no companion
        return None

    def _k_selection(self) -> KSelection | None:
        """Return the leave-one-out errors of every K on these rows."""
        features = self.prepared.preparation.analyzed[0]
        try:
            with few_threads(self.dataset):
                return self._rows(features).k_selection
        except (LookalikeError, ValueError):
            return None
