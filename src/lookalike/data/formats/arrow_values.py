"""Columns of Arrow batches as arrays, where that needs no more than a look at their buffers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lookalike.data.chunk import Kind
from lookalike.typing import AnyArray


def quick_values(column: pa.ChunkedArray, kind: Kind) -> AnyArray | None:
    """Return a column as an array of its kind; None where it needs a closer look.

    Numbers without missing values are not copied; of texts, each distinct one is one object.

    Examples
    --------
    >>> quick_values(pa.array(["a", None, "a"]), "category")
    array(['a', None, 'a'], dtype=object)
    """
    if kind == "number" and _is_plain_number(column.type) and not column.null_count:
        numbers: AnyArray = column.to_numpy(zero_copy_only=True)
        return numbers
    if kind in ("category", "text", "id") and pa.types.is_string(column.type):
        return _texts(column.dictionary_encode())
    if kind == "category" and pa.types.is_dictionary(column.type):
        return _texts(column) if pa.types.is_string(column.type.value_type) else None
    return None


def _is_plain_number(kind: object) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _texts(column: pa.ChunkedArray) -> AnyArray:
    """Return the texts of a column that numbers its distinct ones; a missing one is None."""
    distinct = np.empty(len(column.dictionary) + 1, object)
    distinct[:-1] = column.dictionary.to_pylist()
    numbers: AnyArray = column.indices.fill_null(len(column.dictionary)).to_numpy()
    return distinct[numbers]
