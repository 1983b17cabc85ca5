"""The neighbor model of a study: its winner where that is K-NN, else its best K-NN candidate."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline

from lookalike.explain.prediction.feature_origins import feature_origins
from lookalike.models.decomposition.pca import PCA
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.metric_options import metric_of
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.models.preprocessing.table import TablePreprocessor
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.select.companion import K_NEIGHBORS
from lookalike.typing import AnyArray, Rows
from lookalike.web.explorer.neighbor_model import NeighborModel, unlabeled_search

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.data.chunk import Matrix
    from lookalike.studies.select.preparation import Preparation

FEATURES_OF_CANDIDATE = {
    "pca_knn": "linear",
    "tfidf_knn": "tfidf",
    "lsa_knn": "lsa",
}  # others: distance
DEFAULT_CANDIDATE: dict[str, Any] = {
    "name": "knn",
    "title": "K nearest neighbors",
    "hyperparameters": {"K": "5"},
}


def is_neighbors(model: object) -> bool:
    """Return whether a model predicts by K neighbors."""
    return isinstance(model, (KNeighborsClassifier, KNeighborsRegressor))


def quiet_model(model: object) -> Any:
    """Return a model that does not warn of unknown categories: the page says it of a new item."""
    if not isinstance(model, Pipeline) or not isinstance(model[0], TablePreprocessor):
        return model
    quiet, prepare = copy(model), copy(model[0]).set_params(handle_unknown="ignore")
    quiet.steps = [(model.steps[0][0], prepare), *model.steps[1:]]
    return quiet


def pipeline_neighbors(
    pipeline: Pipeline, dataset: Dataset, row: Rows, name: str, title: str
) -> NeighborModel:
    """Return the neighbor model of a pipeline that ends in K-NN, fitted on the rows `row`."""
    steps, last = pipeline[:-1], pipeline[-1]
    return NeighborModel(
        last,
        array_or_csr(steps.transform(dataset.source())),
        row[: last.n_samples_fit_],
        name=name,
        title=title,
        transform=lambda rows: array_or_csr(steps.transform(rows)),
        features=feature_origins(steps, last.n_features_in_),
        groups=groups_of(dataset, row[: last.n_samples_fit_]),
    )


def candidate_neighbors(
    study: Mapping[str, object], preparation: Preparation, dataset: Dataset, row: Rows
) -> NeighborModel:
    """Return the best K-NN candidate of a study, fitted on the training rows `row` again."""
    best = best_k_nearest(study)
    chosen, name = best["hyperparameters"], best["name"]
    features = FEATURES_OF_CANDIDATE.get(name, preparation.analyzed[0])
    training = dataset.take(row)
    preprocessor = preparation.preprocessor(features)
    Z = array_or_csr(preprocessor.fit_transform(training.source()))
    steps: list[tuple[str, BaseEstimator]] = [("prepare", preprocessor)]
    if name == "lsa_knn":
        steps = [("prepare", preprocessor.first(int(chosen["components"])))]
        Z = Z[:, : int(chosen["components"])]
    search = preparation.search(preparation.same(features), preprocessor)
    if name == "pca_knn":
        pca = PCA(int(chosen["components"])).fit(Z)
        steps, Z, search = [*steps, ("pca", pca)], np.asarray(pca.transform(Z)), {}
    kind = KNeighborsClassifier if study["task"] == "classification" else KNeighborsRegressor
    model = kind(int(chosen["K"]), weights=chosen.get("weights", "uniform"), **search)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what matters was said when the study was made
        model.fit(Z, training.y)
    transform = transform_of(steps)
    return NeighborModel(
        model,
        transform(dataset.source()),
        row,
        name=best["title"],
        title=candidate_title(study),
        transform=transform,
        features=feature_origins(Pipeline(steps), Z.shape[1]),
        groups=groups_of(dataset, row),
    )


def exploratory_neighbors(preparation: Preparation, dataset: Dataset) -> NeighborModel:
    """Return the search of all rows of a study without a target."""
    preprocessor = preparation.preprocessor(preparation.analyzed[0])
    Z = array_or_csr(preprocessor.fit_transform(dataset.source()))
    search = metric_of(preparation.search(preparation.analyzed[0], preprocessor))
    return NeighborModel(
        unlabeled_search(Z, search),
        Z,
        np.arange(len(dataset)),
        name="nearest rows",
        title="nearest rows: there is no target",
        transform=transform_of([("prepare", preprocessor)]),
        features=feature_origins(Pipeline([("prepare", preprocessor)]), Z.shape[1]),
    )


def best_k_nearest(study: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the K-NN candidate of a study with the lowest validation error."""
    compared = [
        candidate
        for candidate in study["candidates"]
        if candidate["name"] in K_NEIGHBORS and candidate["validation_error"] is not None
    ]
    return min(
        compared,
        key=lambda candidate: float(candidate["validation_error"]),
        default=DEFAULT_CANDIDATE,
    )


def candidate_title(study: Mapping[str, object]) -> str:
    """Return which model the neighbors of a study are of whose winner has none."""
    title = best_k_nearest(study)["title"]
    return f"{title}: a candidate of the study, whose selected model is {winner_title(study)}"


def winner_title(study: Mapping[str, Any]) -> str:
    """Return the title of the selected model."""
    titles = {candidate["name"]: str(candidate["title"]) for candidate in study["candidates"]}
    return titles[study["winner"]]


def transform_of(steps: list[tuple[str, BaseEstimator]]) -> Callable[[object], Matrix]:
    """Return the features of rows by fitted steps."""

    def transform(rows: object) -> Matrix:
        for _, step in steps:
            rows = step.transform(rows)
        return array_or_csr(rows)

    return transform


def array_or_csr(rows: Any) -> Matrix:
    """Return features as an array or a sparse matrix, whatever the transformer gave."""
    return rows.tocsr() if sp.issparse(rows) else np.asarray(rows)


def groups_of(dataset: Dataset, row: Rows) -> Rows | None:
    """Return the groups of training rows; None where every row is one of its own."""
    if dataset.groups is None:
        return None
    groups: AnyArray = np.unique(dataset.groups[row], return_inverse=True)[1]
    return None if int(groups.max()) + 1 == len(groups) else groups.astype(np.int64)
