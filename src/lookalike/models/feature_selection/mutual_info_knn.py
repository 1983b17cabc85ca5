"""Mutual information by nearest neighbors: all rows in memory, one column after another."""

from __future__ import annotations

import numpy as np

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.errors import UnsupportedError
from lookalike.kernels.mutual_information import information_with_classes, information_with_numbers
from lookalike.kernels.native_arrays import as_dense
from lookalike.models.feature_selection.univariate_formulas import information_of_tables
from lookalike.models.feature_selection.univariate_inputs import (
    ColumnScores,
    FilterRows,
    require_classes,
)
from lookalike.typing import AnyArray, Array

TIE_BREAKING_NOISE = 1e-10  # of a standard deviation: noise that makes equal values differ


def knn_mutual_info(rows: FilterRows, n_neighbors: int, seed: int) -> ColumnScores:
    """Return the information of every column, and its standard error over the rows.

    Categories with classes are counted exactly; of a category and a number, the number takes the
    place of the column [Ross14].
    """
    if rows.engine.name != "memory":
        raise UnsupportedError(
            f"Nearest neighbors need all rows in memory, and the engine is {rows.engine.name!r}. "
            "Choose 'mutual_info' (estimator='binned'), for every engine, or engine='memory'."
        )
    chunk = gather(rows.mixed)
    if chunk.weight is not None:
        raise UnsupportedError(
            "Nearest neighbors take no sample_weight. Choose 'mutual_info' (estimator='binned'), "
            "or repeat the rows."
        )
    X = as_dense(chunk.X)
    target = np.asarray(chunk.y)
    random = np.random.RandomState(seed)
    scores, errors, several = np.zeros((3, len(rows.columns)))
    numbers, named = np.flatnonzero(~rows.discrete), np.flatnonzero(rows.discrete)
    values = X[:, numbers].astype(np.float64)
    columns = [rows.columns[j] for j in numbers]
    require_finite(values, 0, columns, allow_nan=rows.missing == "present")
    spread = _jitter(values, random)
    if rows.task == "regression":
        target = _jitter(target.astype(np.float64)[:, None], random)[:, 0]
    if len(numbers):
        scores[numbers], errors[numbers] = _of_numbers(spread, target, rows, n_neighbors)
        several[numbers] = ~_constant(values)
        scores[numbers] = np.where(_constant(values), 0.0, scores[numbers])
        scores[numbers] = np.where(np.isnan(values).all(axis=0), np.nan, scores[numbers])
    if len(named):
        scores[named], errors[named], several[named] = _of_categories(X, target, rows, n_neighbors)
    return np.maximum(scores, 0.0), None, errors, several > 0


def _of_numbers(
    X: Array, target: AnyArray, rows: FilterRows, n_neighbors: int
) -> tuple[Array, Array]:
    if rows.task == "regression":
        return information_with_numbers(X, target, n_neighbors, threads=rows.threads)
    classes, code = np.unique(target, return_inverse=True)
    require_classes(classes)
    return information_with_classes(X, code, len(classes), n_neighbors, threads=rows.threads)


def _of_categories(X: AnyArray, target: AnyArray, rows: FilterRows, n_neighbors: int) -> Array:
    """Return information, error and whether they vary of the categorical columns, (3, m)."""
    codings, named = rows.codings(2), np.flatnonzero(rows.discrete)
    if rows.task == "classification":
        tables = rows.tables(codings, rows.target_coding(2))
        exact, _, error, varies = rows.score(tables, information_of_tables, rows.mixed)
        return np.stack([exact, error, varies])[:, named]
    results = np.zeros((3, len(named)))
    for index, j in enumerate(named):
        code = codings[j](X[:, j])
        known = code >= 0
        if not known.any():
            results[:2, index] = np.nan
        elif len(np.unique(code[known])) > 1:
            score, error = information_with_classes(
                target[known, None], code[known], codings[j].size, n_neighbors
            )
            results[:, index] = score[0], error[0], 1.0
    return results


def _jitter(X: Array, random: np.random.RandomState) -> Array:
    """Return columns of standard deviation one, with noise that makes equal values differ."""
    if not X.shape[1]:
        return X
    constant = _constant(X)
    difference = X - np.where(np.isnan(X).all(axis=0), 0.0, np.fmin.reduce(X, axis=0))
    deviation = np.nanstd(np.where(constant, 0.0, difference), axis=0)
    scaled = difference / np.where(constant, 1.0, deviation)
    return scaled + TIE_BREAKING_NOISE * random.standard_normal(size=X.shape)


def _constant(X: Array) -> AnyArray:
    varying: AnyArray = np.fmax.reduce(X, axis=0) > np.fmin.reduce(X, axis=0)
    return ~varying
