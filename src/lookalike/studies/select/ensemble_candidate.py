"""The weighted ensemble of a study: weights chosen on out-of-fold predictions, by other rows.

Every row is predicted with weights that were chosen without it, so that the column of the ensemble
in the table of out-of-fold predictions is as honest as those of its members: the choice of the
weights is inside its error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from lookalike.models.cross_validation import deal_folds
from lookalike.models.ensemble.base import describe_weights
from lookalike.models.ensemble.classifier import WeightedEnsembleClassifier
from lookalike.models.ensemble.member_weights import (
    MemberTable,
    choose_weights,
    cross_fitted_weights,
)
from lookalike.models.ensemble.regressor import WeightedEnsembleRegressor
from lookalike.models.preprocessing.tree_table import FeatureRange, TreeTablePreprocessor
from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.fold_work import FoldResult
from lookalike.studies.select.out_of_fold import EnsembleChoice, OutOfFold
from lookalike.studies.select.race import Contender
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import CLASSIFICATION_TASK, Task
from lookalike.typing import AnyArray, Array, Rows

ENSEMBLE_NAME = "ensemble"
MEMBERS_OF_BOTH = (  # models whose predictions are sums over training rows
    *("nearest", "knn", "knn_weighted", "pca_knn", "nca_knn", "tfidf_knn"),
    *("kernel", "forest", "extra_trees", "kernel_ridge", "boosted"),
)
MEMBER_NAMES = {
    "classification": (*MEMBERS_OF_BOTH, "logistic", "tfidf_logistic"),
    "regression": (*MEMBERS_OF_BOTH, "ridge"),
}
TREE_FEATURES = "trees"
WEIGHT_PARTS = 6  # parts of the rows, each predicted with weights chosen on the others
MAX_MEMBER_ERROR = 1.5  # times the lowest error, up to which a candidate may be a member
MAX_MEMBERS = 8


def add_ensemble(
    table: OutOfFold,
    specs: Sequence[CandidateSpec],
    same: Mapping[str, str],
    *,
    groups: Rows | None,
    seed: int,
    seconds: float,
) -> OutOfFold:
    """Return the table with the ensemble as one more candidate, where two members are there.

    Parameters
    ----------
    table : OutOfFold
        What all candidates predict.
    specs : sequence of CandidateSpec
        The candidates.
    same : mapping
        The kind of features that hold those of each candidate; members have one kind.
    groups : ndarray or None
        The group of every row, by place; rows of one group are in one part.
    seed : int
        Of the parts.
    seconds : float
        That fitting all members to all rows may take.
    """
    names = _members(table, same, seconds)
    if len(names) < 2:
        return table
    part = parts_of_rows(table, groups, seed)
    entries = [_entries(table, name) for name in names]
    places = np.concatenate([held_out for _, held_out in table.split.parts])
    values = _member_table(table, entries, places)
    of_part = cross_fitted_weights(values, part[places])
    weights = choose_weights(values, part[places] % 2 == 0)
    if np.count_nonzero(weights) < 2:
        return table
    mixed = sum(of_part[part[places], m][:, None] * one for m, one in enumerate(entries))
    kept = [(name, float(one)) for name, one in zip(names, weights, strict=True) if one]
    choice = EnsembleChoice(tuple(name for name, _ in kept), np.array([one for _, one in kept]))
    spec = _spec(table, specs, choice)
    contender = _contender(table, spec, choice, np.asarray(mixed))
    return replace(table, contenders=(*table.contenders, contender), ensemble=choice)


def _members(table: OutOfFold, same: Mapping[str, str], seconds: float) -> list[str]:
    """Return the candidates that may be members, best first: near the best, and in time."""
    possible = [name for name in table.eligible if name in MEMBER_NAMES[table.task.name]]
    if not possible:
        return []
    error = {name: table.task.value(float(table.loss(name).mean())) for name in possible}
    possible.sort(key=lambda name: error[name])
    best = possible[0]
    names: list[str] = []
    spent = 0.0
    for name in possible:
        cost = _refit_seconds(table, name)
        near = error[name] <= MAX_MEMBER_ERROR * error[best] or len(names) < 2
        fits = same[name] == same[best] and spent + cost <= seconds
        if near and fits and len(names) < MAX_MEMBERS:
            names.append(name)
            spent += cost
    return names


def _refit_seconds(table: OutOfFold, name: str) -> float:
    """Return what fitting a candidate to all rows takes, by what the folds took."""
    contender = table.contender(name)
    mean = float(np.mean([result.seconds for result in contender.results.values()]))
    train, held_out = table.split.parts[0]
    return mean * (1 if contender.n_rows else (len(train) + len(held_out)) / max(len(train), 1))


def parts_of_rows(table: OutOfFold, groups: Rows | None, seed: int) -> Rows:
    """Return the part of every row, by place: what is chosen for one is chosen on the others."""
    rng = np.random.default_rng(seed)
    n_parts = min(WEIGHT_PARTS, len(table.y))
    if groups is not None:
        groups = np.unique(groups, return_inverse=True)[1]
        n_parts = min(n_parts, int(groups.max()) + 1)
    stratify = table.task.stratified
    return deal_folds(table.y, n_parts, stratify=stratify, rng=rng, groups=groups)


def _entries(table: OutOfFold, name: str) -> Array:
    """Return what is predicted for the held-out rows of every fold, (rows, outputs)."""
    results = table.contender(name).results
    parts = [results[part] for part in range(len(table.split.parts))]
    if table.labels is None:
        return np.concatenate([np.asarray(one.y_pred, np.float64) for one in parts])[:, None]
    return np.concatenate([np.asarray(one.shares) for one in parts])


def _member_table(table: OutOfFold, entries: Sequence[Array], places: Rows) -> MemberTable:
    y = table.y[places]
    if table.labels is None:
        values = np.stack([entry[:, 0] for entry in entries])
        target = y.astype(np.float64)
        return MemberTable(values, (values - target) ** 2, target)
    codes = np.searchsorted(table.labels, y)
    true_shares = np.stack([shares[np.arange(len(codes)), codes] for shares in entries])
    wrong = np.stack([shares.argmax(axis=1) != codes for shares in entries])
    return MemberTable(true_shares, wrong.astype(np.float64))


def _contender(
    table: OutOfFold, spec: CandidateSpec, choice: EnsembleChoice, mixed: Array
) -> Contender:
    """Return the ensemble as a candidate that predicted the rows of every fold."""
    chosen = {"members": describe_weights(choice.names, choice.weights)}
    contender, begin = Contender(spec, n_repeats=table.split.n_repeats), 0
    for part, (_, held_out) in enumerate(table.split.parts):
        values = mixed[begin : begin + len(held_out)]
        begin += len(held_out)
        y_pred: AnyArray = values[:, 0]
        if table.labels is not None:
            y_pred = table.labels[values.argmax(axis=1)]
        shares = None if table.labels is None else values
        contender.results[part] = FoldResult(spec.name, y_pred, shares, chosen)
        contender.losses[part] = table.task.loss(y_pred, table.y[held_out])
    return contender


def _spec(
    table: OutOfFold, specs: Sequence[CandidateSpec], choice: EnsembleChoice
) -> CandidateSpec:
    """Return what the ensemble is shown as; its members are fitted, not itself."""
    of_members = [spec.features for spec in specs if spec.name in choice.names]
    features = TREE_FEATURES if TREE_FEATURES in of_members else of_members[0]

    def fit(training: TrainingRows) -> FittedCandidate:
        raise NotImplementedError("an ensemble is made of members that are fitted")

    return CandidateSpec(
        ENSEMBLE_NAME,
        "Weighted ensemble",
        "Weighted mean of the predictions of several models, the weights chosen out of fold.",
        fit,
        lambda _: 0.0,
        tasks=(table.task.name,),
        features=features,
    )


def ensemble_of(
    fitted: Sequence[FittedCandidate],
    choice: EnsembleChoice,
    training: TrainingRows,
    n_rows: Sequence[int] | None = None,
) -> FittedCandidate:
    """Return the ensemble of fitted members; `n_rows` are the rows that each was fitted to."""
    models = [_one_model(member) for member in fitted]
    members = list(zip(choice.names, models, strict=True))
    model = _kind(training.task).of_fitted(
        members, choice.weights, training.Z, training.y, n_rows=n_rows
    )
    chosen = {"members": describe_weights(choice.names, choice.weights)}
    return FittedCandidate((("model", model),), chosen)


def first_columns(fitted: FittedCandidate, training: TrainingRows) -> FittedCandidate:
    """Return a candidate as a model of features for trees, the first of which are its own."""
    of_trees = training.tree_columns
    if of_trees is None:
        return fitted
    own = FeatureRange(0, of_trees.begin, of_trees.width)
    return replace(fitted, steps=(("columns", own), *fitted.steps))


def ensemble_fold_models(table: OutOfFold) -> tuple[tuple[Pipeline, Rows], ...]:
    """Return the ensembles of the folds of the first repeat, with their rows."""
    assert table.ensemble is not None, "there is no ensemble"
    names, weights = table.ensemble.names, table.ensemble.weights
    of_members = [table.fold_models(name) for name in names]
    models = []
    for index, (train, _) in enumerate(table.split.parts[: table.split.n_folds]):
        pipelines = [of_member[index][0] for of_member in of_members]
        prepare = _widest(pipelines)
        parts = [_one_model(_of_features(pipeline, prepare)) for pipeline in pipelines]
        kind = _kind(table.task)
        members = list(zip(names, parts, strict=True))
        model = Pipeline(
            [
                ("prepare", prepare),
                ("model", kind.of_fitted(members, weights, None, table.y[train])),
            ]
        )
        model.training_rows_ = pipelines[0].training_rows_
        models.append((model, of_members[0][index][1]))
    return tuple(models)


def _widest(pipelines: Sequence[Pipeline]) -> Any:
    """Return the preprocessor of the features that hold those of all others."""
    prepare = [one.steps[0][1] for one in pipelines]
    trees = (one for one in prepare if isinstance(one, TreeTablePreprocessor))
    return next(trees, prepare[0])


def _of_features(pipeline: Pipeline, prepare: object) -> FittedCandidate:
    """Return what follows the preprocessor of a pipeline, as a model of the features given."""
    own, steps = pipeline.steps[0][1], tuple(pipeline.steps[1:])
    if isinstance(prepare, TreeTablePreprocessor) and not isinstance(own, TreeTablePreprocessor):
        width = len(prepare.get_feature_names_out())
        steps = (("columns", FeatureRange(0, prepare.n_encoded_, width)), *steps)
    return FittedCandidate(steps, {})


def _kind(task: Task) -> Any:
    return WeightedEnsembleClassifier if task is CLASSIFICATION_TASK else WeightedEnsembleRegressor


def _one_model(fitted: FittedCandidate) -> Any:
    """Return a fitted candidate as one model of prepared rows."""
    return fitted.steps[0][1] if len(fitted.steps) == 1 else Pipeline(list(fitted.steps))
