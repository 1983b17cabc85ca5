"""Bandwidth of kernels, given or selected by leave-one-out or cross-validated error."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from lookalike.data.source import Source, open_source
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.index.rescale import scale_of
from lookalike.models.cross_validation import HeldOutRows, as_groups, assign_folds
from lookalike.models.kernel.nearby_rows import nearest_distances
from lookalike.models.linalg.magnitude import RescaledRows
from lookalike.models.neighbors.supervised import rows_of
from lookalike.reductions.columns import Columns, ColumnSummary
from lookalike.typing import Array
from lookalike.validation import check_int, is_float

KernelModel: TypeAlias = Any  # KernelClassifier, KernelDensityClassifier or KernelRegressor
BANDWIDTHS_TRIED = 25  # bandwidths tried
LARGEST_SQUARED = 1e150  # distance whose square is compared with others
MOST_DISTANCES = 1e12  # to the nearest row, that the largest bandwidth spans
BANDWIDTH_SAMPLE_ROWS = 1000  # rows held out in turn while a bandwidth is selected


def choose_bandwidth(self: KernelModel, groups: object) -> None:
    """Set `bandwidth_`, and `curve_` where it is selected: the scores of every one tried.

    A model has `_scores(held_out, tried)`, the scores of the bandwidths tried by name, the last of
    which is the loss; and `_rule_bandwidth()`, the bandwidth of a rule that was named.
    """
    self.__dict__.pop("curve_", None)
    if self.bandwidth in ("loo", "cv"):
        held_out = _held_out_rows(self, groups)
        tried = _bandwidths_to_try(self, held_out)
        self.curve_ = {"bandwidth": tried, **self._scores(held_out, tried)}
        name, loss = list(self.curve_.items())[-1]
        self.bandwidth_ = float(tried[loss.argmin()])
        how = "leave-one-out" if self.bandwidth == "loo" else "cross-validated"
        reason = f"lowest {how} {name} of {BANDWIDTHS_TRIED} tried"
        self.decisions_.put("bandwidth", f"{self.bandwidth_:.4g}", reason)
    elif groups is not None:
        raise ParameterError("groups matter where a bandwidth is chosen. Give 'loo' or 'cv'.")
    else:
        named = isinstance(self.bandwidth, str)
        self.bandwidth_ = self._rule_bandwidth() if named else float(self.bandwidth)


def check_bandwidth(model: KernelModel, named: tuple[str, ...] = ()) -> None:
    """Raise unless the parameters are those of a kernel; a bandwidth may have one of the names."""
    check_int("folds", model.folds, least=2)
    chosen, given = ("loo", "cv", *named), model.bandwidth
    if isinstance(given, str):
        if given not in chosen:
            raise ParameterError(
                f"bandwidth={given!r} is not known. Give a number or one of {', '.join(chosen)}."
            )
    elif not is_float(given):
        raise ParameterTypeError(f"bandwidth={given!r} is not a number. Give one above 0.")
    elif not 0 < float(given) < np.inf:
        raise ParameterError(f"bandwidth={given} is out of range. Give a number above 0.")
    if model.algorithm == "lsh":
        raise ParameterError(
            "algorithm='lsh' may miss rows whose kernels matter. Choose 'auto', or another "
            "exact one."
        )
    if model.missing == "present":
        raise ParameterError("missing='present' leaves kernels undefined. Choose 'mean'.")


def column_variances(model: KernelModel) -> tuple[ColumnSummary, float]:
    """Return moments of the columns of rows times a power of two, and that; 1 as a rule."""
    rows: Source = open_source(model.space_.queries(None), weight=model.space_.weight)
    engine = model._engine(rows)
    with np.errstate(over="ignore", invalid="ignore"):
        columns = engine.reduce(Columns(), rows)
    largest = float(np.abs([columns.least, columns.most]).max())
    scale = scale_of(largest)
    if scale != 1.0:
        columns = engine.reduce(Columns(), RescaledRows(rows, scale))
    return columns, scale


def targets_of(model: KernelModel) -> Any:
    """Return the codes of classes (rows, outputs), or the numbers."""
    held = model.targets_
    return held.codes if hasattr(held, "codes") else held.values


def _held_out_rows(model: KernelModel, groups: object) -> HeldOutRows:
    """Return the rows that are held out in turn: all, or a fixed sample."""
    n_rows, weight = model.n_samples_fit_, model.space_.weight
    rows = np.arange(n_rows) if weight is None else np.flatnonzero(weight)
    part = None if groups is None else as_groups(groups, n_rows)
    if model.bandwidth == "cv":
        targets = targets_of(model)
        part = assign_folds(targets, model.folds, stratify=targets.dtype.kind == "i", groups=part)
    n_parts = len(rows) if part is None else len(np.unique(part[rows]))
    copies = weight is not None and part is None and weight.sum() > 1
    if n_parts < 2 and not copies:
        raise ShapeError(
            f"bandwidth={model.bandwidth!r} leaves no row, of n_samples = {n_rows}. "
            "Give a number, more rows, or more groups."
        )
    if len(rows) > BANDWIDTH_SAMPLE_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, BANDWIDTH_SAMPLE_ROWS, replace=False))
        model.decisions_.put(
            "held out", f"{BANDWIDTH_SAMPLE_ROWS} rows", "a sample selects as well"
        )
    return HeldOutRows(rows, part)


def _bandwidths_to_try(model: KernelModel, held_out: HeldOutRows) -> Array:
    """Return bandwidths from a small part of the nearest distance to half the spread of rows.

    Weights act as repetition does: a row with copies is not a distance away from the nearest.
    """
    everyone = model.space_.queries(None)
    nearest = nearest_distances(model, rows_of(everyone, held_out.row), held_out)
    distinct = nearest[(nearest > 0) & np.isfinite(nearest)]
    scale = scale_of(float(np.median(distinct))) if len(distinct) else 1.0
    scaled = np.minimum(distinct * scale, LARGEST_SQUARED)
    near = np.sqrt(np.median(scaled**2)) / scale if len(distinct) else 1.0
    far = min(max(near, _spread(model)) / 2, MOST_DISTANCES * near)
    return np.geomspace(near / 20, max(far, near / 2), BANDWIDTHS_TRIED)


def _spread(model: KernelModel) -> float:
    """Return the root of the summed variances of the columns."""
    columns, scale = column_variances(model)
    return float(np.sqrt(columns.variance.sum()) / scale)
