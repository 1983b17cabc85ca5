"""Partial dependence of the selected model on its most important columns, with its spread."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lookalike.decisions import Decisions
from lookalike.missing import is_missing
from lookalike.studies.evaluation_results import PartialDependence
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.results import ColumnDescription
from lookalike.studies.select.budget import Deadline
from lookalike.studies.task import CLASSIFICATION_TASK, Task
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

MAX_COLUMNS_VARIED = 4
MAX_ROWS_VARIED = 100
GRID_VALUES = 12  # values of a number
MAX_CATEGORIES_VARIED = 8
OUTER_QUANTILES = (0.02, 0.98)  # quantiles between which numbers are varied
SHARE_OF_TIME_LEFT = 0.2  # of the time left


def partial_dependence(
    model: object,
    dataset: Dataset,
    names: Sequence[str],
    columns: Sequence[ColumnDescription],
    *,
    task: Task,
    seed: int,
    deadline: Deadline,
    decisions: Decisions,
) -> tuple[PartialDependence, ...]:
    """Return how predictions depend on some columns, over at most 100 of the rows given.

    One prediction of the rows is timed first: where all would take more than a fifth of the time
    left, a decision says so instead.
    """
    kinds = {column.name: column.kind for column in columns}
    wanted = [name for name in names if kinds.get(name, "text") != "text"][:MAX_COLUMNS_VARIED]
    rows = dataset.drawn(MAX_ROWS_VARIED, seed)
    part = dataset.take(rows)
    grids = {name: _grid(dataset.column(name), kinds[name]) for name in wanted}
    begin = time.perf_counter()
    labels, _ = _outputs(model, part, task)
    seconds = (time.perf_counter() - begin) * sum(map(len, grids.values()))
    if refused := deadline.refuses(seconds / SHARE_OF_TIME_LEFT):
        decisions.add("partial dependence", "skipped", refused)
        return ()
    results = []
    for name, grid in grids.items():
        if len(grid) > 1:
            curves = _curves(model, part, name, grid, task)
            results.append(_summarize(curves, (name, kinds[name]), grid, _titles(model, labels)))
    return tuple(results)


def _grid(column: AnyArray, kind: str) -> AnyArray:
    """Return the values that a column is set to: quantiles, or the most frequent ones."""
    if column.dtype.kind == "M":
        known = np.sort(column[~np.isnat(column)])
    elif column.dtype.kind == "O":
        known = np.array([cell for cell in column.tolist() if not is_missing(cell)], object)
        counts: dict[object, int] = {}
        for cell in known.tolist():
            counts[cell] = counts.get(cell, 0) + 1
        common = sorted(counts, key=lambda cell: (-counts[cell], str(cell)))[:MAX_CATEGORIES_VARIED]
        return np.array(sorted(common, key=str), object)
    else:
        known = np.sort(column[~np.isnan(column)] if column.dtype.kind == "f" else column)
    distinct = np.unique(known)
    if len(distinct) <= GRID_VALUES or kind == "boolean":
        return distinct
    inner = np.linspace(*OUTER_QUANTILES, GRID_VALUES) * (len(known) - 1)
    grid = np.unique(known[np.round(inner).astype(np.int64)])
    if len(grid) < GRID_VALUES // 2:  # most rows have one value: some of the others, evenly
        sample = np.linspace(0, OUTER_QUANTILES[1] * (len(distinct) - 1), GRID_VALUES // 2).round()
        grid = np.union1d(grid, distinct[sample.astype(np.int64)])
    return grid


def _curves(model: object, part: Dataset, name: str, grid: AnyArray, task: Task) -> Array:
    """Return the outputs of every row for every value: (values, rows, outputs)."""
    varied = part.take(np.tile(np.arange(len(part)), len(grid)))
    varied = _with_column(varied, name, np.repeat(grid, len(part)))
    return _outputs(model, varied, task)[1].reshape(len(grid), len(part), -1)


def _summarize(
    curves: Array, column: tuple[str, str], grid: AnyArray, titles: list[str]
) -> PartialDependence:
    """Return the mean and quantiles; of several classes those of the one that varies most."""
    mean = curves.mean(axis=1)
    shown = len(titles) - 1 if len(titles) < 3 else int(np.argmax(np.ptp(mean, axis=0)))
    low, high = np.quantile(curves[:, :, shown], [0.1, 0.9], axis=1)
    return PartialDependence(
        *column,
        titles[shown],
        _show(grid),
        tuple(mean[:, shown].tolist()),
        tuple(low.tolist()),
        tuple(high.tolist()),
        curves.shape[1],
    )


def _titles(model: object, labels: AnyArray | None) -> list[str]:
    if labels is None:
        return ["prediction"]
    what = "probability of" if hasattr(model, "predict_proba") else "share predicted as"
    return [f"{what} {label}" for label in labels.tolist()]


def _with_column(dataset: Dataset, name: str, values: AnyArray) -> Dataset:
    if isinstance(dataset.rows, np.ndarray):
        rows = dataset.rows.copy()
        rows[:, dataset.names.index(name)] = values
        return replace(dataset, rows=rows)
    return replace(dataset, rows={**dataset.rows, name: values})


def _outputs(model: BaseEstimator, dataset: Dataset, task: Task) -> tuple[AnyArray | None, Array]:
    """Return the classes with a column for each, or None and the predictions."""
    if task is not CLASSIFICATION_TASK:
        return None, np.asarray(model.predict(dataset.source()), np.float64)[:, None]
    labels = np.asarray(model.classes_)
    if hasattr(model, "predict_proba"):
        return labels, np.asarray(model.predict_proba(dataset.source()), np.float64)
    predicted = np.asarray(model.predict(dataset.source()))
    return labels, (predicted[:, None] == labels).astype(np.float64)


def _show(grid: AnyArray) -> tuple[float | str, ...]:
    if grid.dtype.kind == "M":
        return tuple(str(day) for day in grid.astype("datetime64[D]"))
    if grid.dtype.kind == "O":
        return tuple(str(cell) for cell in grid.tolist())
    return tuple(grid.astype(np.float64).tolist())
