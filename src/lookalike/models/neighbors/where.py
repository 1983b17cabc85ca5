"""The rows that a search is limited to: a mask, row numbers, or a condition on columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.data.predicate import Where, is_predicate, rows_where
from lookalike.data.source import open_source
from lookalike.errors import ParameterError
from lookalike.index.chunked import ChunkedIndex
from lookalike.index.validate import check_where
from lookalike.models.neighbors.column_codes import CategoryCodes
from lookalike.typing import AnyArray, to_host

if TYPE_CHECKING:
    from lookalike.models.neighbors.search_space import SearchSpace


def allowed_rows(where: Where, space: SearchSpace) -> AnyArray | None:
    """Return for each training row whether it may be a neighbor; None where all may.

    Parameters
    ----------
    where : mask, row numbers, str, expression or function
        True or False for each row, such as a boolean column of a frame; numbers of rows; or a
        condition on the columns that the model was fitted on, as they were given: in the syntax
        of ``pandas.DataFrame.query`` (``"age > 30 and city == 'Rome'"``), as an expression of
        polars or narwhals, or as a function of the columns that returns a mask.
    space : SearchSpace
        The training rows.
    """
    if where is None:
        return None
    if is_predicate(where):
        where = _rows_where(where, space)
    mask: AnyArray = check_where(where, space.n_rows)
    return mask


def _rows_where(where: Where, space: SearchSpace) -> AnyArray:
    index = space.index
    if isinstance(index, ChunkedIndex):
        source = getattr(index.source, "source", index.source)
        pieces = [rows_where(where, table.values) for table in source.tables()]
        return np.concatenate(pieces)
    return rows_where(where, _columns(space))


def _columns(space: SearchSpace) -> dict[str, AnyArray]:
    """Return the columns of the training rows by name."""
    rows, codes = to_host(space.rows), space.codes
    if codes is not None and not isinstance(codes, CategoryCodes):
        raise ParameterError(
            "where is a condition on columns, and these rows are sets of items. Give a mask or row "
            "numbers."
        )
    if codes is not None:
        return {
            name: rows[:, column] if of is None else _decode(rows[:, column], of)
            for column, (name, of) in enumerate(zip(codes.names, codes.codes, strict=True))
        }
    if hasattr(rows, "toarray"):
        rows = rows.tocsc()
        columns = [rows[:, [column]].toarray()[:, 0] for column in range(rows.shape[1])]
    elif hasattr(rows, "columns"):
        return next(iter(open_source(rows).tables(len(rows)))).values
    else:
        columns = list(rows.T)
    names = space.names or [f"x{i}" for i in range(len(columns))]
    return dict(zip(names, columns, strict=True))


def _decode(values: AnyArray, codes: dict[str, int]) -> AnyArray:
    names = np.full(max(codes.values(), default=-1) + 2, None, object)
    for name, code in codes.items():
        names[code] = name
    known = np.isfinite(values) & (values >= 0) & (values < len(names) - 1)
    return names[np.where(known, values, len(names) - 1).astype(np.int64)]
