"""Moments of the classes that a model knows."""

from __future__ import annotations

import numpy as np

from lookalike.errors import ParameterError
from lookalike.index.rescale import UNSCALED_MAGNITUDES
from lookalike.models.labels import require_two_classes
from lookalike.models.linalg.magnitude import (
    MAX_SQUARES_FLOAT32,
    MAX_SQUARES_FLOAT64,
    MIN_SQUARES_FLOAT32,
    MIN_SQUARES_FLOAT64,
    USUAL_FLOAT32,
)
from lookalike.reductions.by_class import ClassSummary
from lookalike.typing import AnyArray


def classes_with_rows(summary: ClassSummary) -> ClassSummary:
    """Return the moments of the classes of positive weight; at least two are needed."""
    has_rows = summary.count > 0
    scatter = summary.scatter if summary.scatter.ndim == 2 else summary.scatter[has_rows]
    kept = ClassSummary(
        summary.classes[has_rows], summary.count[has_rows], summary.mean[has_rows], scatter
    )
    require_two_classes(kept.classes, ", or partial_fit(…, classes=…)")
    return kept


def with_all_classes(summary: ClassSummary, known: AnyArray) -> ClassSummary:
    """Return the moments of all known classes; those without rows have no weight."""
    unknown = np.setdiff1d(summary.classes, known)
    if len(unknown):
        raise ParameterError(
            f"y holds {unknown.tolist()[0]!r}, which is not among classes={known.tolist()}. "
            "Give every label in the first call."
        )
    position = np.searchsorted(known, summary.classes)
    count = np.zeros(len(known))
    mean = np.tile(summary.mean.mean(axis=0), (len(known), 1))
    count[position], mean[position] = summary.count, summary.mean
    scatter = summary.scatter
    if summary.scatter.ndim == 3:
        scatter = np.zeros((len(known), *summary.scatter.shape[1:]))
        scatter[position] = summary.scatter
    return ClassSummary(known, count, mean, scatter)


@np.errstate(over="ignore", invalid="ignore")
def moments_in_range(summary: ClassSummary, dtype: np.dtype) -> bool:
    """Return whether the scatter within and between the classes is finite, and not lost."""
    deviation = np.abs(summary.mean - summary.mean.mean(axis=0)).max()
    scatter = np.diagonal(summary.scatter, axis1=-2, axis2=-1).max(initial=0.0)
    single = dtype == np.float32
    least, usual = (
        (MIN_SQUARES_FLOAT32, USUAL_FLOAT32)
        if single
        else (MIN_SQUARES_FLOAT64, UNSCALED_MAGNITUDES)
    )
    large = max(scatter, deviation**2) > (MAX_SQUARES_FLOAT32 if single else MAX_SQUARES_FLOAT64)
    finite = np.isfinite(summary.scatter).all() and np.isfinite(deviation)
    return bool(finite and not large and (scatter >= least or deviation >= usual[0]))
