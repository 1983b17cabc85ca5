"""Rows of a SciPy sparse matrix, which stays sparse."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse

from lookalike.data.chunk import Chunk, Column, Home, Table, chunk_rows
from lookalike.data.sources.arrays import MAX_COLUMNS_WITH_NAMES, number_columns, part_of
from lookalike.data.targets import as_target, as_weight
from lookalike.errors import ParameterTypeError, ShapeError
from lookalike.inexact import first_inexact, warn_inexact
from lookalike.validation import require_sparse_places


class SparseSource:
    """The rows of a sparse matrix or array of any format, as csr_array.

    Entries stored twice are summed, explicit zeros are kept, the input is not changed, and a
    dense copy is never made.
    """

    n_rows: int
    n_features: int
    dtype: np.dtype

    repeatable = True
    home: Home = "memory"
    named = False

    def __init__(self, X: Any, y: object = None, *, weight: object = None) -> None:
        if X.ndim != 2 or 0 in X.shape:
            raise ShapeError(
                f"X is sparse of shape {X.shape}. Give two dimensions, a row and a column at least."
            )
        require_sparse_places(X)
        if X.dtype.kind not in "biuf":
            raise ParameterTypeError(f"X is sparse of {X.dtype}. Give real numbers.")
        if X.dtype.itemsize > 8:
            warnings.warn(
                f"X is {X.dtype}: computed in float64, with its 53 bits.", UserWarning, stacklevel=3
            )
            X = X.astype(np.float64)
        rows = scipy.sparse.csr_array(X)
        if not rows.has_canonical_format:
            rows = rows.copy() if X.format == "csr" else rows  # whose arrays are the input's
            rows.sum_duplicates()
        self._X = rows
        self.n_rows, self.n_features = rows.shape
        self.dtype = rows.dtype
        if inexact := first_inexact(rows.data):
            row = int(np.searchsorted(rows.indptr, inexact[0], "right")) - 1
            warn_inexact(inexact[1], row, f"x{rows.indices[inexact[0]]}")
        self._y, self._weight = as_target(y, self.n_rows), as_weight(weight, self.n_rows)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns, made when they are first used: a vocabulary may have millions."""
        return number_columns(self.n_features, self.dtype)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows in csr arrays of at most `rows` rows."""
        stored = -(-self._X.nnz // self.n_rows) + 1  # in a row, as a rule
        wide = self.n_features > MAX_COLUMNS_WITH_NAMES
        rows = chunk_rows(rows, stored if wide else self.n_features, self.dtype.itemsize)
        for start in range(0, self.n_rows, rows):
            part = slice(start, start + rows)
            yield Chunk(self._X[part], part_of(self._y, part), part_of(self._weight, part), start)

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Refuse: columns one by one would be dense."""
        raise ParameterTypeError(
            f"Sparse rows of {self.n_features} columns are not given column by column, which would "
            f"make them dense (rows={rows}). Use a model that takes matrices, or X.toarray()."
        )
