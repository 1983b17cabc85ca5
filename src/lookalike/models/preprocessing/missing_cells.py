"""Missing cells of arrays and sparse matrices: which they are, what fills them, and indicators."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.impute import MissingIndicator
from sklearn.utils import check_array

from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import require_sparse_places, shown

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


FIXED_WIDTH_KINDS = "US"  # arrays of text, in which no cell can be missing


def are_cells(X: object, model: BaseEstimator) -> bool:
    """Return whether rows are imputed cell by cell, and not as a table of typed columns."""
    if sp.issparse(X):
        return True
    in_memory = isinstance(X, (np.ndarray, list)) or hasattr(X, "columns")
    if not is_missing(model.missing_values) or callable(model.strategy) or model.add_indicator:
        if not in_memory:
            raise ParameterTypeError(
                "missing_values, a function as strategy, and add_indicator are for rows in memory, "
                f"and X is {type(X).__name__}. Give an array or a frame, or leave them out."
            )
        return True
    if isinstance(X, list):
        X = _as_array(X)
    if not isinstance(X, np.ndarray):
        return _holds_objects(X, model.strategy)
    filled = model.strategy == "constant" and model.fill_value is not None
    return X.dtype.kind in "O" + FIXED_WIDTH_KINDS or filled


def _holds_objects(X: Any, strategy: str) -> bool:
    """Return whether `X` is a frame of objects alone, which have no statistic of their kind."""
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return False
    kinds = {getattr(kind, "kind", "") for kind in X.dtypes}
    if kinds != {"O"} or any(str(kind) != "object" for kind in X.dtypes):
        return False
    if strategy in ("most_frequent", "constant"):
        return True
    return any(len({type(cell) for cell in X[name].dropna()}) > 1 for name in X.columns)


def read_cells(X: Any, model: BaseEstimator, fitted: np.dtype | None) -> Any:
    """Return rows as an array or a CSC matrix; `fitted` is the type of those of fit.

    Numbers become floats where a mean or a median is taken.
    """
    _require_marker(model.missing_values)
    check_marker(X, model)
    if sp.issparse(X):
        require_sparse_places(X)
    if isinstance(X, list):
        X = _as_array(X)
    dtype: Any = (np.float64, np.float32, np.float16)
    if isinstance(model.strategy, str) and model.strategy in ("most_frequent", "constant"):
        dtype = None
    if fitted is not None and fitted.kind == "O":
        dtype = object
    finite = "allow-nan" if is_missing(model.missing_values) else True
    try:
        cells = check_array(
            X, accept_sparse="csc", dtype=dtype, ensure_all_finite=finite, copy=True, input_name="X"
        )
    except (TypeError, ValueError) as error:
        if "could not convert" in str(error):
            raise ParameterError(
                f"Cannot use {model.strategy} strategy with non-numeric data:\n{error}. Give "
                "strategy='most_frequent' or 'constant'."
            ) from None
        kind = ParameterTypeError if isinstance(error, TypeError) else ParameterError
        raise kind(f"{error} Give rows of numbers, or of objects.") from None
    if cells.dtype.kind == "b":
        cells = cells.astype(np.float64)
    if cells.dtype.kind not in "iufO":
        raise ParameterError(
            f"SimpleImputer does not support data with dtype {cells.dtype}. Give numbers, or text "
            "as an array of objects, in which values can be missing."
        )
    numeric = not isinstance(model.missing_values, str)
    if cells.dtype.kind != "O" and not numeric:
        raise ParameterError(
            f"'X' and 'missing_values' types are expected to be both numerical. Got X.dtype="
            f"{cells.dtype} and missing_values={shown(model.missing_values)}. Give a number."
        )
    return cells


def _require_marker(marker: object) -> None:
    """Raise unless a value can mark missing cells."""
    if is_missing(marker) or isinstance(marker, str):
        return
    is_number = isinstance(marker, (int, float, np.integer, np.floating))
    if not is_number or (isinstance(marker, int) and abs(marker) > sys.float_info.max):
        raise ParameterTypeError(
            f"missing_values={shown(marker)} is neither number nor text. Give one of these, or NaN."
        )


def check_marker(X: object, model: BaseEstimator) -> None:
    """Raise where sparse rows would have zeros that are missing."""
    if sp.issparse(X) and not is_missing(model.missing_values) and model.missing_values == 0:
        raise ParameterError(
            "Imputation not possible when missing_values == 0 and input is sparse. Provide a dense "
            "array instead."
        )


def missing_mask(values: AnyArray, marker: object) -> AnyArray:
    """Return which values are missing: those that equal a marker, or are NaN, None or NA.

    Examples
    --------
    >>> missing_mask(np.array([["a", None, ""]], dtype=object), None)
    array([[False,  True, False]])
    """
    if not is_missing(marker):
        return np.asarray(values == marker, bool)
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(values.shape, bool)
    flat = [is_missing(value) for value in values.ravel()]
    return np.array(flat, bool).reshape(values.shape)


def mask_of(cells: Any, marker: object) -> Any:
    """Return which cells are missing, sparse where the cells are."""
    if not sp.issparse(cells):
        return missing_mask(cells, marker)
    stored = missing_mask(cells.data, marker)
    return sp.csc_array((stored, cells.indices, cells.indptr), shape=cells.shape)


def column_fills(cells: Any, model: BaseEstimator, weight: Array | None = None) -> AnyArray:
    """Return what fills each column; NaN for a column without a value, unless it is kept."""
    numeric = cells.dtype.kind != "O"
    fill = model.fill_value
    weight = np.ones(cells.shape[0]) if weight is None else weight
    if fill is None:
        fill = 0 if numeric else "missing_value"
    elif model.strategy == "constant":
        _require_same_kind(fill, cells.dtype)
    fills: list[Any] = []
    for column in range(cells.shape[1]):
        values, share = _present(cells, column, model.missing_values, weight)
        if model.strategy == "constant" and (len(values) or model.keep_empty_features):
            fills.append(fill)
        elif not len(values):
            fills.append(0 if model.keep_empty_features else np.nan)
        else:
            fills.append(_statistic(values, share, model.strategy))
    if numeric and not (model.strategy == "constant" and isinstance(fill, str)):
        return np.array(fills, np.float64)
    statistics = np.empty(len(fills), object)
    statistics[:] = fills
    return statistics


def fill_cells(cells: Any, mask: Any, fills: AnyArray, kept: Rows) -> Any:
    """Return the columns that are kept, each missing cell with what fills its column."""
    if not sp.issparse(cells):
        filled = cells[:, kept]
        row, column = np.nonzero(mask[:, kept])
        filled[row, column] = fills[kept][column].astype(cells.dtype, copy=False)
        return filled
    column = np.repeat(np.arange(cells.shape[1]), np.diff(cells.indptr))
    filled = cells.copy()
    stored = mask.data.astype(bool)
    filled.data[stored] = fills[column[stored]].astype(cells.dtype, copy=False)
    return filled[:, kept]


def with_indicator(filled: Any, mask: Any, columns: Rows) -> Any:
    """Return rows with a column for each of `columns`, 1 where it was missing."""
    flags = mask[:, columns]
    if sp.issparse(filled):
        return sp.hstack([filled, flags.astype(filled.dtype)], format="csc")
    return np.concatenate([filled, flags.astype(filled.dtype)], axis=1)


def require_castable(fitted: np.dtype, dtype: np.dtype) -> None:
    """Raise where what fills rows of one type cannot stand in those of another."""
    if not np.can_cast(fitted, dtype, casting="same_kind"):
        raise ParameterError(
            f"The dtype of the filling value (i.e. {fitted!r}) cannot be cast to the input data "
            f"that is {dtype!r}. Give rows of the type of fit."
        )


def indicator_of(model: BaseEstimator) -> MissingIndicator:
    """Return scikit-learn's indicator of the columns that had missing values in fit."""
    pattern = np.zeros((1, model.n_features_in_))
    pattern[:, model._seen_missing] = np.nan
    return MissingIndicator(missing_values=np.nan, error_on_new=False).fit(pattern)


def _statistic(values: AnyArray, weight: Array, strategy: Any) -> Any:
    """Return what stands for values that count as much as their weights."""
    if callable(strategy):
        return _number_of(strategy, np.repeat(values, weight.astype(np.int64)))
    if strategy == "mean":
        return np.average(values.astype(np.float64), weights=weight)
    if strategy == "most_frequent":
        return _most_frequent(values, weight)
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weight[order])
    sides = [np.searchsorted(below, below[-1] / 2, side=side) for side in ("left", "right")]
    lower, upper = values[order][np.minimum(sides, len(values) - 1)].astype(np.float64)
    return lower + (upper - lower) / 2


def _number_of(strategy: Any, values: AnyArray) -> float:
    """Return what a function makes of the values of a column, which is to be one number."""
    statistic = strategy(values)
    try:
        number = np.asarray(statistic, np.float64)
    except (TypeError, ValueError):
        number = np.empty(0)
    if number.ndim or np.asarray(statistic).dtype.kind not in "biuf":
        raise ParameterTypeError(
            f"The function given as 'strategy' returned {shown(statistic)} for a column. Give a "
            "function that returns one number, such as numpy.median."
        )
    return float(number)


def _most_frequent(values: AnyArray, weight: Array) -> Any:
    """Return the most frequent value, of equals the smallest, of several kinds by their names."""
    counts: dict[Any, float] = {}
    for value, share in zip(values.tolist(), weight.tolist(), strict=True):
        if isinstance(value, (dict, list, set)):
            raise ParameterTypeError(
                f"A cell is {shown(value)}: its argument must be a string or a number. Give values "
                "that can be counted."
            )
        counts[value] = counts.get(value, 0.0) + share
    most = max(counts.values())
    equals = [value for value, count in counts.items() if count == most]
    try:
        return min(equals)
    except TypeError:
        return min(equals, key=lambda value: (type(value).__name__, str(value)))


def _present(cells: Any, column: int, marker: object, weight: Array) -> tuple[AnyArray, Array]:
    """Return the values of a column that are not missing, and their weights.

    All zeros that are not stored are one value, of their joint weight.
    """
    if not sp.issparse(cells):
        values, share = cells[:, column], weight
    else:
        part = slice(cells.indptr[column], cells.indptr[column + 1])
        values, share = cells.data[part], weight[cells.indices[part]]
        zeros = float(weight.sum() - share.sum())
        if len(values) < cells.shape[0]:
            values, share = np.append(values, values.dtype.type(0)), np.append(share, zeros)
    kept = ~missing_mask(values, marker) & (share > 0)
    return np.asarray(values[kept]), np.asarray(share[kept])


def _require_same_kind(fill: object, dtype: np.dtype) -> None:
    if not np.can_cast(type(fill), dtype, casting="same_kind"):
        raise ParameterError(
            f"fill_value={fill!r} (of type {type(fill)!r}) cannot be cast to the input data that "
            f"is {dtype!r}. Give a value of the kind of the data."
        )


def _as_array(X: list[Any]) -> Any:
    """Return nested lists as an array: of objects where they hold text."""
    text = any(isinstance(cell, str) for row in X if isinstance(row, (list, tuple)) for cell in row)
    try:
        return np.array(X, dtype=object) if text else np.asarray(X)
    except ValueError:  # rows of unequal length, which check_array names
        return X
