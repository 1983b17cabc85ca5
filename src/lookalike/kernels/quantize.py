"""Values as whole numbers of one step, a byte each: exact where the rows allow it, else rounded."""

from __future__ import annotations

import numpy as np

from lookalike import _core
from lookalike.kernels.exact import WIDEST_CODE
from lookalike.typing import AnyArray, Array

CODE_COUNT = 256
STEP_PROBE_ROWS = 256  # rows by which a step is chosen
SAME_VALUE_STEPS = 1e-4  # values this many steps apart are the same but for rounding
GRID_TAIL_SHARE = 5e-4  # of the values on each side lie outside a grid


def find_quantization(X: AnyArray, *, whole: bool) -> tuple[Array, float] | None:
    """Return the offsets and the step of a sample of the rows, up to rounding; None without them.

    Examples
    --------
    >>> import numpy as np
    >>> find_quantization(np.array([[0.0, 0.25], [1.0, 0.75]]), whole=False)
    (array([0.  , 0.25]), 0.5)
    """
    if not X.size or X.shape[1] > WIDEST_CODE - 3:
        return None
    least = X.min(axis=0).astype(np.float64)
    span = float((X.max(axis=0) - least).max())
    if whole:
        return (least, 1.0) if span < CODE_COUNT else None
    values = np.unique(_probe(X) - least)
    gaps = np.diff(values)
    gaps = gaps[gaps > SAME_VALUE_STEPS * span / CODE_COUNT]
    if not len(gaps) or not span < (CODE_COUNT - 0.5) * gaps.min():
        return None
    steps = np.round(values / (span / round(span / gaps.min())))
    step = float((steps @ values) / (steps @ steps))
    return (least, step) if np.abs(values - step * steps).max() < SAME_VALUE_STEPS * step else None


def rounding_quantization(X: AnyArray) -> tuple[Array, float] | None:
    """Return offsets and a step to which nearly all values may be rounded; None without spread."""
    if not X.size or X.shape[1] > WIDEST_CODE - 3:
        return None
    center = X.mean(axis=0, dtype=np.float64)
    low, high = np.quantile(_probe(X) - center, [GRID_TAIL_SHARE, 1 - GRID_TAIL_SHARE])
    step = float(high - low) / (CODE_COUNT - 1)
    return (center + low, step) if 0 < step < np.inf else None


def quantize(
    X: AnyArray, least: Array, step: float, *, clip: bool, threads: int
) -> tuple[AnyArray, Array]:
    """Return the values of `X` as signed bytes, columns filled up to fours, and what they leave.

    Bytes count steps from `least`, an offset for every column. The second is the distance of each
    row from the row that its bytes stand for, rounded up; infinite where a value is not a whole
    number of steps. With `clip`, values outside become the nearest inside first, which lets no
    distance grow.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[0.0, 0.5], [0.1, 0.0]])
    >>> codes, off = quantize(rows, np.zeros(2), 0.5, clip=False, threads=1)
    >>> codes[0].tolist(), (off < 1e-9).tolist()
    ([-128, -127, 0, 0], [True, False])
    """
    codes = np.empty((len(X), -(-X.shape[1] // 4) * 4), np.int8)
    off = np.empty(len(X))
    if len(X):
        _core.quantize_rows(
            X=X, least=least, step=step, clip=clip, threads=threads, code=codes, off=off
        )
    return codes, off


def _probe(X: AnyArray) -> Array:
    rows = np.unique(np.linspace(0, len(X) - 1, STEP_PROBE_ROWS).astype(np.int64))
    return np.asarray(X[rows], np.float64)
