"""What models are given: rows and weights of any table, checked and as floats."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from lookalike.data.checks import require_finite
from lookalike.data.source import Source, open_features
from lookalike.data.targets import as_weight
from lookalike.errors import ParameterError, ParameterTypeError, RepeatError, ShapeError
from lookalike.typing import AnyArray, Array

MOST_WEIGHT = 1e100  # that all rows may have together


def as_rows(X: object) -> AnyArray:
    """Return the rows of any table as one array of floats."""
    require_dense(X, "all of them are needed as one array")
    return as_floats(np.concatenate([chunk.in_memory().X for chunk in open_features(X).chunks()]))


def as_transformed(X: object, n_columns: int, what: str, *, allow_nan: bool = False) -> AnyArray:
    """Return rows that transform returned, `what` being the word for their columns, or raise."""
    Z = as_rows(X)
    if Z.shape[1] != n_columns:
        raise ShapeError(
            f"X has {Z.shape[1]} {what} a row, the model {n_columns}. Give what transform returned."
        )
    require_finite(Z, allow_nan=allow_nan)
    return Z


def as_floats(X: AnyArray) -> AnyArray:
    """Return `X` as float32 or float64: float32 stays, all others become float64."""
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def as_sample_weight(sample_weight: object) -> Array | None:
    """Return the weights as float64: finite, none negative, at least one above zero."""
    weight = as_weight(sample_weight, None, "sample_weight")
    if weight is None:
        return None
    with np.errstate(over="ignore"):
        total = float(weight.sum())
    if not weight.any():
        raise ParameterError("sample_weight is zero for every row. Give one row a weight above 0.")
    if not 1 / MOST_WEIGHT <= total <= MOST_WEIGHT:
        raise ParameterError(
            f"sample_weight adds up to {total:g}, and weighted sums overflow or underflow. "
            f"Give weights that add up to {1 / MOST_WEIGHT:g} at least and {MOST_WEIGHT:g} at most."
        )
    return weight


def require_dense(X: object, reason: str) -> None:
    """Raise where `X` is sparse; `reason` says why it cannot be."""
    if sp.issparse(X):
        raise ParameterTypeError(f"Sparse rows are not supported: {reason}. Give X.toarray().")


def require_repeatable(source: Source, reason: str) -> None:
    """Raise where the rows can be read only once; `reason` says who reads them again."""
    if not source.repeatable:
        raise RepeatError(
            f"{reason}, and this source gives them once. Give a function that returns the "
            "iterator, or an array."
        )


def is_sklearn_table(X: object) -> bool:
    """Return whether `X` is a table that scikit-learn validates: no source, path or generator."""
    library = type(X).__module__.partition(".")[0]
    return library in ("builtins", "numpy", "pandas", "polars", "scipy") and not (
        isinstance(X, str) or hasattr(X, "__next__") or callable(X)
    )
