"""Prediction intervals from out-of-fold residuals (CV+), as wide as the spread is where a row lies.

A single half width covers 90% of all rows, and may cover half of those whose spread is large. The
width therefore has a factor for each fifth of the predictions, and for each fifth of the most
important column, where the spread differs between them by more than chance. Residuals are divided
by factors that were found on other rows, and their conformal quantile is the half width: what the
factors cost in coverage is in it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.stats import kruskal

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.explain.conformal import conformal_quantile
from lookalike.studies.evaluate.kept_interval import kept_rate_interval
from lookalike.studies.evaluation_results import IntervalCoverage, WidthFactors
from lookalike.studies.load.open import open_data
from lookalike.studies.load.read import read
from lookalike.studies.results import Study
from lookalike.typing import AnyArray, Array, Rows

INTERVAL_COVERAGE = 0.9
MIN_INTERVAL_ROWS = 40
N_WIDTH_PARTS = 5
MIN_ROWS_OF_PART = 30
N_WIDTH_FOLDS = 5  # factors are found without the fold that they divide
N_WIDTH_ROUNDS = 2  # in which the factors of several axes are fitted in turns
MAX_EQUAL_SPREAD_P = 0.01  # below which the spread differs between the parts
TYPICAL_WIDTHS = (0.1, 0.9)  # quantiles of the half widths that a sentence names


def interval_coverage(
    residual: Array, columns: Mapping[str, Array], seed: int, groups: Rows | None = None
) -> IntervalCoverage | None:
    """Return conformal intervals of 90%; None below 40 held-out rows.

    Parameters
    ----------
    residual : array of shape (n_rows,)
        Out-of-fold, each row once.
    columns : mapping of name to array
        What widths may depend on: the predictions under "", numbers of columns by name.
    seed : int
        Of the halves and folds.
    groups : array, optional
        Rows of one group are on one side, so that none is measured by a copy of itself.
    """
    size, n_rows = np.abs(residual), len(residual)
    if n_rows < MIN_INTERVAL_ROWS:
        return None
    units = np.arange(n_rows) if groups is None else np.unique(groups, return_inverse=True)[1]
    fold = np.random.default_rng(seed).permutation(int(units.max()) + 1)[units]
    half = fold % 2 == 0
    if min(half.sum(), (~half).sum()) < MIN_INTERVAL_ROWS // 4:
        return None
    inside = 0
    for part in (half, ~half):
        known = fit_widths(size[~part], _some(columns, ~part), fold[~part] // 2)
        inside += int((size[part] <= known.half_widths(_some(columns, part))).sum())
    found = fit_widths(size, columns, fold)
    measured, widths = inside / n_rows, found.half_widths(columns)
    low, high = np.quantile(widths, TYPICAL_WIDTHS)
    return IntervalCoverage(
        INTERVAL_COVERAGE,
        found.half_width,
        measured,
        kept_rate_interval(measured, n_rows),
        n_rows,
        found.factors,
        (float(low), float(high)) if found.factors else None,
    )


def fit_widths(size: Array, columns: Mapping[str, Array], fold: Rows) -> IntervalCoverage:
    """Return the half width and factors for absolute residuals; coverage is not measured yet."""
    folds = np.unique(fold % N_WIDTH_FOLDS)
    edges = _differing_parts(size, columns) if len(folds) > 1 else {}
    scaled = size / 1.0
    for one in folds if edges else ():
        part = fold % N_WIDTH_FOLDS == one
        others = _fit_factors(size[~part], _some(columns, ~part), edges)
        scaled[part] /= _product(others, _some(columns, part))
    half_width = conformal_quantile(scaled, INTERVAL_COVERAGE)
    factors = _fit_factors(size, columns, edges)
    return IntervalCoverage(INTERVAL_COVERAGE, half_width, 0.0, (0.0, 1.0), len(size), factors)


def _differing_parts(size: Array, columns: Mapping[str, Array]) -> dict[str, Array]:
    """Return the edges of parts of equally many rows, of axes along which the spread differs."""
    n_parts = min(N_WIDTH_PARTS, len(size) // MIN_ROWS_OF_PART)
    edges = {}
    for name, values in columns.items() if n_parts > 1 else ():
        known = values[~np.isnan(values)]
        if len(known) < len(values) / 2:
            continue
        between = np.unique(np.quantile(known, np.arange(1, n_parts) / n_parts))
        part = np.searchsorted(between, values, side="right")
        members = [size[part == label] for label in np.unique(part)]
        varied = len(members) > 1 and (size != size[0]).any()
        if varied and kruskal(*members).pvalue < MAX_EQUAL_SPREAD_P:
            edges[name] = between
    return edges


def _fit_factors(
    size: Array, columns: Mapping[str, Array], edges: Mapping[str, Array]
) -> tuple[WidthFactors, ...]:
    """Return factors of every axis, fitted in turns, under which all parts have one quantile."""
    factors = {name: np.ones(len(between) + 1) for name, between in edges.items()}
    part = {name: np.searchsorted(between, columns[name], side="right")
            for name, between in edges.items()}  # fmt: skip
    scaled = size / 1.0
    for _ in range(N_WIDTH_ROUNDS):
        for name, of_axis in factors.items():
            overall = float(np.quantile(scaled, INTERVAL_COVERAGE))
            for label in np.unique(part[name]) if overall > 0 else ():
                rows = part[name] == label
                factor = float(np.quantile(scaled[rows], INTERVAL_COVERAGE)) / overall
                if factor > 0:
                    of_axis[label] *= factor
                    scaled[rows] /= factor
    return tuple(
        WidthFactors(name, tuple(edges[name].tolist()), tuple(of_axis.tolist()))
        for name, of_axis in factors.items()
    )


def _product(factors: tuple[WidthFactors, ...], columns: Mapping[str, Array]) -> Array:
    product = np.ones(len(columns[""]))
    for axis in factors:
        product = product * axis.of(columns[axis.name])
    return product


def _some(columns: Mapping[str, Array], rows: AnyArray) -> dict[str, Array]:
    return {name: values[rows] for name, values in columns.items()}


def predict_interval(study: Study, X: object) -> tuple[Array, Array]:
    """Return the ends of the prediction interval of every row; see `Study.prediction_interval`."""
    found, model = study.prediction_intervals, study.model
    if found is None or model is None:
        raise ParameterError(
            f"{study.title!r} has no prediction intervals: they are of numbers that are predicted, "
            f"from {MIN_INTERVAL_ROWS} held-out rows on. Study a table whose target is a number."
        )
    rows = read(open_data(X)[0], Decisions(), seed=0, labeled=False)
    columns = {"": np.asarray(model.predict(X), np.float64)}
    for axis in found.factors:
        if axis.name and axis.name in rows.kinds:
            columns[axis.name] = rows.column(axis.name).astype(np.float64)
        else:
            columns.setdefault(axis.name, np.full(len(rows), np.nan))
    half = found.half_widths(columns)
    return columns[""] - half, columns[""] + half
