"""Sparse matrices and data frames as plain data, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp

from lookalike.errors import ModelFileError

_SPARSE_TYPES = {"csr_array": sp.csr_array, "csr_matrix": sp.csr_matrix}
_SPARSE_TYPES |= {"csc_array": sp.csc_array, "csc_matrix": sp.csc_matrix}


def encode_sparse(value: Any, inner: Callable[[object, str], object]) -> dict[str, object] | None:
    """Return a compressed sparse matrix as plain data; None for anything else."""
    kind = type(value).__name__
    if type(value) is not _SPARSE_TYPES.get(kind):
        return None
    parts = {name: inner(getattr(value, name), f".{name}") for name in _SPARSE_PARTS}
    return {"sparse": kind, "shape": [int(size) for size in value.shape], **parts}


def decode_sparse(stored: Any, inner: Callable[[Any], object]) -> object:
    """Return the matrix, its numbers checked: native loops trust them."""
    parts = tuple(inner(stored[name]) for name in _SPARSE_PARTS)
    matrix = _SPARSE_TYPES[stored["sparse"]](parts, shape=tuple(stored["shape"]), copy=False)
    matrix.check_format(full_check=True)
    return matrix


def encode_frame(value: object, inner: Callable[[object, str], object]) -> dict[str, object] | None:
    """Return a data frame column by column as plain data; None for anything else."""
    frame = nw.from_native(value, pass_through=True, eager_only=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    return {
        "frame": frame.implementation.value,
        "columns": [[name, *_column(frame[name], inner)] for name in frame.columns],
    }


def decode_frame(stored: Any, inner: Callable[[object], object]) -> object:
    """Return the frame, of the library that it came from."""
    library = stored["frame"]
    if library not in ("pandas", "polars", "pyarrow"):
        raise ModelFileError(f"it holds a table of {library!r}, which is not known")
    columns = {name: inner(values) for name, values, _ in stored["columns"]}
    frame = nw.from_dict(columns, backend=library)
    chosen = [name for name, _, category in stored["columns"] if category]
    return (
        frame.with_columns(nw.col(*chosen).cast(nw.Categorical)).to_native()
        if chosen
        else frame.to_native()
    )


_SPARSE_PARTS = ("data", "indices", "indptr")


def _column(series: nw.Series[Any], inner: Callable[[object, str], object]) -> tuple[object, bool]:
    """Return the values of a column, and whether they are categories."""
    path = f"[{series.name!r}]"
    if series.dtype.is_numeric() and not series.is_null().any():
        return inner(np.ascontiguousarray(series.to_numpy()), path), False
    return inner(series.to_list(), path), series.dtype in (nw.Categorical, nw.Enum)
