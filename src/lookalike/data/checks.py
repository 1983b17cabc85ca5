"""What chunks must satisfy before numbers are made of them: finite values, the fitted columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lookalike.data.chunk import Chunk, Column, Matrix
from lookalike.errors import ColumnError, MissingValueError
from lookalike.typing import AnyArray, is_tensor, to_host
from lookalike.validation import few


def finite(chunk: Chunk, columns: Sequence[Column] | None = None) -> Chunk:
    """Return `chunk` itself where every value is finite, raise where one is not."""
    require_finite(chunk.X, chunk.offset, columns)
    return chunk


def require_finite(
    X: Matrix,
    offset: int = 0,
    columns: Sequence[Column] | None = None,
    *,
    allow_nan: bool = False,
) -> None:
    """Raise MissingValueError naming the first row and column whose value is NaN or infinite.

    With `allow_nan`, infinite ones alone are refused.

    Examples
    --------
    >>> require_finite(np.array([[1.0, np.nan]]), offset=40)
    Traceback (most recent call last):
    lookalike.errors.MissingValueError: NaN at row 40, column 'x1', ...
    """
    if is_tensor(X):
        if _all_usable(X, allow_nan=allow_nan):
            return
        X = to_host(X)
    values: AnyArray = X if isinstance(X, np.ndarray) else X.data
    if values.dtype.kind != "f":
        return
    with np.errstate(invalid="ignore", over="ignore"):
        total = values.sum()
    usable = (lambda x: ~np.isinf(x)) if allow_nan else np.isfinite
    if np.isfinite(total) or usable(values).all():  # a sum may be too large all the same
        return
    row, column = _first_not(usable, X)
    name = columns[column].name if columns else f"x{column}"
    value = "NaN" if np.isnan(X[row, column]) else str(X[row, column])
    raise MissingValueError(
        f"{value} at row {offset + row}, column {name!r}, where finite numbers are needed. "
        "Fill it (SimpleImputer), drop the row, or correct the value."
    )


def _all_usable(X: Any, *, allow_nan: bool) -> bool:
    """Return whether the values of a tensor are finite, or NaN where that is allowed."""
    if not X.dtype.is_floating_point:
        return True
    return bool((~X.isinf()).all() if allow_nan else X.isfinite().all())


def require_same_columns(fitted: Sequence[Column], given: Sequence[Column]) -> None:
    """Raise ColumnError naming the columns that are missing, new, or in another order."""
    expected, names = [c.name for c in fitted], [c.name for c in given]
    if expected != names:
        raise ColumnError(
            f"The columns differ from those of fit, {column_differences(expected, names)}"
        )


def column_differences(expected: Sequence[str], names: Sequence[str]) -> str:
    """Return which columns are missing, new, or in another order, and what to give."""
    lost = [name for name in expected if name not in set(names)]
    new = [name for name in names if name not in set(expected)]
    parts = [f"missing: {few(lost)}"] if lost else []
    parts += [f"not seen in fit: {few(new)}"] if new else []
    if not parts:
        index = next(
            i for i, pair in enumerate(zip(expected, names, strict=False)) if pair[0] != pair[1]
        )
        parts = [f"in another order: {names[index]!r} is in the place of {expected[index]!r}"]
    return f"{'; '.join(parts)}. Give these {len(expected)} columns in order: {few(expected)}."


def _first_not(usable: Callable[[AnyArray], AnyArray], X: Matrix) -> tuple[int, int]:
    if isinstance(X, np.ndarray):
        row = int(np.flatnonzero(~usable(X).all(axis=1))[0])
        return row, int(np.flatnonzero(~usable(X[row]))[0])
    places = X.tocoo()
    bad = ~usable(places.data)
    row, column = min(zip(places.row[bad].tolist(), places.col[bad].tolist(), strict=True))
    return row, column
