"""Rows of a mixed table as numbers, by the scales and categories of fitted rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.errors import ParameterTypeError
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import shown

MISSING_CATEGORY = "(missing)"  # the category of missing values
ONEHOT_VALUE = np.sqrt(0.5)  # of a category that a row has


class TableEncoder:
    """The transform of a fitted preprocessor for one chunk; picklable, without any rows.

    Parameters
    ----------
    columns : sequence of Column
        The numbers of a chunk, for messages.
    scales : tuple of ndarray
        What missing numbers are imputed with, what is subtracted, and divided by.
    categories : sequence of tuple
        The categories of each column that has them.
    onehot : bool
        Whether categories are one-hot encoded, and missing numbers imputed.
    """

    columns: tuple[Column, ...]
    onehot: bool
    categories: list[tuple[str, ...]]
    fill: Array
    shift: Array
    spread: Array

    def __init__(
        self,
        columns: tuple[Column, ...],
        scales: tuple[Array, Array, Array],
        categories: Sequence[tuple[str, ...]],
        *,
        onehot: bool,
    ) -> None:
        self.columns, self.onehot, self.categories = columns, onehot, list(categories)
        self.fill, self.shift, self.spread = scales

    def __call__(self, chunk: Chunk) -> AnyArray:
        """Return the encoded rows."""
        X: AnyArray = chunk.X
        require_finite(X, chunk.offset, self.columns, allow_nan=True)
        widths = [len(known) if self.onehot else 1 for known in self.categories]
        column = n_numbers = X.shape[1]
        encoded = np.empty((len(X), n_numbers + sum(widths)), X.dtype)
        encoded[:, n_numbers:] = 0.0
        self._scale(X, encoded[:, :n_numbers])
        for number, (known, width) in enumerate(zip(self.categories, widths, strict=True)):
            assert chunk.y is not None
            block = encoded[:, column : column + width]
            self._encode(chunk.y[:, number], known, block)
            column += width
        return encoded

    def _scale(self, X: AnyArray, numbers: AnyArray) -> None:
        """Write the numbers into their block of the result: missing ones imputed, scaled."""
        with np.errstate(over="ignore", invalid="ignore"):
            total = X.sum()
        if self.onehot and np.isnan(total):  # a value is missing, or infinite sums cancel
            row, column = np.nonzero(np.isnan(X))
            numbers[:] = X
            numbers[row, column] = self.fill[column]
            X = numbers
        np.subtract(X, self.shift.astype(X.dtype), out=numbers)
        if (self.spread != 1.0).any():
            numbers /= self.spread.astype(X.dtype)

    def _encode(self, cells: AnyArray, known: tuple[str, ...], block: AnyArray) -> None:
        """Write the categories of one column into its block of the result."""
        codes = _codes(cells, known)
        if self.onehot:
            rows = np.flatnonzero((codes >= 0) & (codes < len(known)))
            block[rows, codes[rows]] = ONEHOT_VALUE
        else:
            block[:, 0] = np.where(codes < 0, np.nan, codes)


def _codes(cells: AnyArray, known: tuple[str, ...]) -> Rows:
    """Return the number of each category, one more for a new one; that of missing, or -1."""
    code: dict[str | None, int] = {category: number for number, category in enumerate(known)}
    code[None] = code.get(MISSING_CATEGORY, -1)
    return np.fromiter(map(code.get, cells.tolist(), repeat(len(known))), np.int64, len(cells))


def require_encoded(Z: object, n_features: int) -> None:
    """Raise unless `Z` are numbers of `n_features` columns."""
    numbers = isinstance(Z, np.ndarray) and Z.dtype.kind in "biuf"
    if not numbers or getattr(Z, "shape", ())[-1:] != (n_features,):
        raise ParameterTypeError(
            f"Z={shown(Z)} is not an array of numbers with {n_features} columns. Give encoded "
            "rows, or means of them."
        )
