"""An exploration of a model and rows: those that it was fitted on, or others."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, is_classifier
from sklearn.pipeline import Pipeline

from lookalike.data.batches import gather
from lookalike.data.samples import BUNDLED_SAMPLES
from lookalike.data.source import Source, open_source
from lookalike.errors import ParameterError
from lookalike.explain.prediction.feature_origins import feature_origins
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.metric_options import MinkowskiOptions
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.models.neighbors.training_rows import training_rows
from lookalike.store.file import load
from lookalike.studies.context import StudyContext, StudyOptions, load_context
from lookalike.studies.select.budget import Budget
from lookalike.typing import AnyArray, Rows
from lookalike.web.explorer.exploration import Exploration
from lookalike.web.explorer.exploration_state import ExplorationState
from lookalike.web.explorer.explored_rows import ExploredRows
from lookalike.web.explorer.fit_neighbors import (
    array_or_csr,
    is_neighbors,
    quiet_model,
)
from lookalike.web.explorer.neighbor_model import NeighborModel, unlabeled_search

if TYPE_CHECKING:
    from lookalike.data.chunk import Matrix

DEFAULT_K = 5


def explore_model(
    model: object,
    data: object,
    *,
    target: str | None = None,
    corrections: str | os.PathLike[str] | None = None,
) -> Exploration:
    """Return the exploration of a model, or model file, and rows to look at.

    Parameters
    ----------
    model : fitted model or path
        A classifier or regressor, or a pipeline that ends in one.
    data : table or path
        Rows with the columns of the model. Where they are those it was fitted on, each is left
        out of its own neighbors; of other rows the neighbors are among themselves.
    target : str, optional
        The column of labels; the only column that the model does not use, when None.
    corrections : path, optional
        The csv file that corrections are written to; without it labels cannot be edited.
    """
    name = type(model).__name__
    if isinstance(model, (str, os.PathLike)):
        name, model = Path(model).stem, quiet_model(load(os.fspath(model)))
    if not hasattr(model, "predict"):
        raise ParameterError(f"{name} predicts nothing. Give a classifier or a regressor.")
    context = _read(model, data, target)
    rows = _rows(context, model, name)
    neighbors = _neighbors(model, rows)
    if not is_neighbors(_last(model)) or neighbors.title.endswith("other rows"):
        _predict(model, rows)
    path = None if corrections is None else Path(corrections)
    return Exploration(ExplorationState.open(rows, neighbors, model=model), path)


def _last(model: BaseEstimator) -> BaseEstimator:
    return model[-1] if isinstance(model, Pipeline) else model


def _read(model: BaseEstimator, data: object, target: str | None) -> StudyContext:
    """Return the rows with their target: the column named, or the one that the model lacks."""
    known = isinstance(data, str) and data in BUNDLED_SAMPLES
    if target is None and not known:
        used = _used(model)
        names = [column.name for column in open_source(data).columns]
        spare = [name for name in names if name not in used] if used else []
        target = spare[0] if len(spare) == 1 else None
    task = "classification" if is_classifier(_last(model)) else "regression"
    options = StudyOptions(
        os.fspath(data) if isinstance(data, os.PathLike) else data,
        target=target,
        task=task if target is not None or known else "exploratory",
    )
    return load_context(options, Budget(None))


def _used(model: BaseEstimator) -> set[str]:
    first = model.steps[0][1] if isinstance(model, Pipeline) else model
    columns = getattr(first, "columns_", None)
    if columns is not None:
        return {str(name) for name in columns}
    return {str(name) for name in getattr(first, "feature_names_in_", ())}


def _rows(context: StudyContext, model: BaseEstimator, name: str) -> ExploredRows:
    dataset, task, classes = context.dataset, context.target.task, None
    if task == "classification":
        classes = np.unique(np.concatenate([np.asarray(dataset.y, object), model.classes_]))
        classes = np.array(classes.tolist())
    return ExploredRows(name, task, dataset, target=context.target.name, classes=classes)


def _neighbors(model: BaseEstimator, rows: ExploredRows) -> NeighborModel:
    """Return the neighbors of the rows by the features of the model."""
    last = _last(model)

    def transform(given: Source) -> Matrix:
        if isinstance(model, Pipeline) and len(model.steps) > 1:
            return array_or_csr(model[:-1].transform(given))
        return np.asarray(gather(given).X)

    Z = transform(rows.dataset.source())
    steps = model[:-1] if isinstance(model, Pipeline) and len(model.steps) > 1 else last
    names = feature_origins(steps, Z.shape[1])
    if steps is last and rows.dataset.named:
        names = rows.dataset.names, rows.dataset.names
    own = type(last).__name__
    trained = _training_rows(model, Z, rows) if is_neighbors(last) else None
    if trained is not None:
        return NeighborModel(
            last, Z, trained, name=own, title=f"{own}: the model", transform=transform,
            features=names,
        )  # fmt: skip
    search = _search(last)
    everyone = np.arange(len(rows))
    if rows.task == "exploratory":
        return NeighborModel(
            unlabeled_search(Z, search), Z, everyone, name="nearest rows",
            title="nearest rows: there is no target", transform=transform, features=names,
        )  # fmt: skip
    kind = KNeighborsClassifier if rows.code is not None else KNeighborsRegressor
    k = min(int(getattr(last, "n_neighbors_", DEFAULT_K)), max(len(rows) - 1, 1))
    weights = last.weights if is_neighbors(last) else "uniform"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a single class
        fitted = kind(k, weights=weights, **search).fit(Z, rows.dataset.y)
    title = f"{k}-NN among these rows, by the features of the model, which is fitted on other rows"
    return NeighborModel(
        fitted, Z, everyone, name=f"{k}-NN", title=title, transform=transform, features=names
    )


def _search(last: BaseEstimator) -> MinkowskiOptions:
    if not is_neighbors(last):
        return {}
    return {"metric": last.metric, "p": last.p, "metric_params": last.metric_params}


def _training_rows(model: BaseEstimator, Z: Matrix, rows: ExploredRows) -> Rows | None:
    """Return the positions of the model's training rows; None where they are not among the rows."""
    last = _last(model)
    kept = getattr(model, "training_rows_", None)
    numbers = np.arange(last.n_samples_fit_) if kept is None else np.asarray(kept)
    positions = rows.positions(numbers[: last.n_samples_fit_])
    if (positions < 0).any() or len(positions) != last.n_samples_fit_:
        return None
    here = Z[positions]
    there = training_rows(last)
    if sp.issparse(here) and sp.issparse(there):
        same = here.shape == there.shape and (here != there).nnz == 0
    else:
        same = isinstance(there, np.ndarray) and np.array_equal(here, there, equal_nan=True)
    return positions if same else None


def _predict(model: BaseEstimator, rows: ExploredRows) -> None:
    """Set what the model predicts for all rows."""
    if rows.task == "exploratory":
        return
    values: AnyArray = np.asarray(model.predict(rows.dataset.source()))
    rows.predicted_by = f"{rows.name}, for all rows, those it may have been fitted on included"
    if rows.number is not None:
        rows.predicted = values.astype(np.float64)
    else:
        rows.predicted = np.searchsorted(rows.classes, values).astype(np.int64)
