"""What LSH may be given: rows as hashes and keys of a metric want them, a recall, a width."""

from __future__ import annotations

import numpy as np

from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.index import rescale
from lookalike.kernels.assign import unit_rows
from lookalike.kernels.lsh import KeyForm
from lookalike.typing import AnyArray
from lookalike.validation import is_float

# metric: the family of its hash functions, the form of its keys
LSH_METRICS = {
    "euclidean": ("gaussian", KeyForm.SQUARED),
    "manhattan": ("cauchy", KeyForm.MANHATTAN),
    "cosine": ("sign", KeyForm.COSINE),
    "jaccard": ("minhash", KeyForm.JACCARD),
    "hamming": ("sample", KeyForm.HAMMING),
}


def embed(X: AnyArray, metric: str, scale: float, name: str) -> AnyArray:
    """Return the rows of `X` as the metric compares them."""
    if metric == "cosine":
        return np.asarray(unit_rows(X, name))
    if metric == "jaccard":
        return members(X, name)
    if metric == "hamming":
        return X
    scaled = X if scale == 1.0 else X.astype(np.float64) * scale
    if len(scaled) and float(np.abs(scaled).max()) > rescale.LARGEST_SCALED_QUERY:
        raise rescale.query_too_far(X, scale, name)
    return scaled


def members(X: AnyArray, name: str) -> AnyArray:
    """Return `X` where it holds nothing but 0 and 1."""
    if not ((X == 0) | (X == 1)).all():
        row, column = np.argwhere((X != 0) & (X != 1))[0]
        raise ParameterError(
            f"{name} holds {X[row, column]} at row {row}, column {column}, where jaccard compares "
            f"sets. Give 0 and 1, for example {name} > 0."
        )
    return X


def check_share(recall: object) -> float:
    """Return a recall between 0 and 1, neither included."""
    if not is_float(recall):
        raise ParameterTypeError(f"recall={recall!r} is not a number. Give one between 0 and 1.")
    share = float(recall)
    if not 0 < share < 1:
        raise ParameterError(
            f"recall={recall!r} is not between 0 and 1. For all neighbors use an exact index."
        )
    return share


def check_width(width: object, metric: str) -> float | None:
    """Return a width > 0, or None, for a metric that has widths."""
    if width is None:
        return None
    if metric not in ("euclidean", "manhattan"):
        raise ParameterError(f"width={width!r} has no meaning for metric={metric!r}. Leave it out.")
    if not is_float(width):
        raise ParameterTypeError(f"width={width!r} is not a number. Give one > 0.")
    if not 0 < float(width) < np.inf:
        raise ParameterError(f"width={width!r} is not > 0 and finite. Give a number > 0.")
    return float(width)
