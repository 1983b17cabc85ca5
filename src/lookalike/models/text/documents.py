"""Documents, however they come: a list of strings, a series, or the text column of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from lookalike.data.chunk import Column
from lookalike.data.source import Source, open_source
from lookalike.data.sources.arrays import kinds_of
from lookalike.decisions import Decisions
from lookalike.errors import ColumnError, ParameterError, ParameterTypeError
from lookalike.missing import is_missing


def read_documents(
    X: object, column: str | None = None, decisions: Decisions | None = None
) -> list[str] | Source:
    """Return the documents of `X`, missing ones empty, or its rows where they hold numbers.

    Parameters
    ----------
    X : list of str, series, table or matrix
        A table is anything that :func:`lookalike.data.open_source` takes.
    column : str, optional
        The column of a table that holds the documents; its only text column when None.
    decisions : Decisions, optional
        Where to note missing documents, and the columns that are not read.

    Examples
    --------
    >>> read_documents(["a car", None])
    ['a car', '']
    """
    values = _list(X)
    if values is not None:
        if column is not None:
            raise ParameterError(
                f"column={column!r} names a column of a table, and X is a list of documents. "
                "Leave it out."
            )
        return _check(values, decisions)
    source = _open(X, column)
    numeric = kinds_of(source.columns) <= {"number", "boolean"}
    if numeric and column is None:
        return source
    name = _text_column(source.columns, column)
    cells = np.concatenate([table.values[name] for table in source.tables()])
    texts = _check(cells.tolist(), decisions)
    left_out = tuple(each.name for each in source.columns if each.name != name)
    if left_out and decisions is not None:
        decisions.add("columns", name, f"it holds text; not read: {left_out}")
    return texts


def _open(X: object, column: str | None) -> Source:
    """Return the table, of which only the given column need be read."""
    source = open_source(X)
    if column is None or column not in [each.name for each in source.columns]:
        return source
    return open_source(X, columns=[column]) if source is not X else source


def _list(X: Any) -> Sequence[object] | None:
    """Return the entries of a one-dimensional collection that holds strings, None for others."""
    if nw.dependencies.is_into_series(X):
        X = nw.from_native(X, series_only=True).to_list()
    elif isinstance(X, np.ndarray) and X.ndim == 1:
        X = X.tolist()
    if isinstance(X, (list, tuple)) and any(isinstance(entry, str) for entry in X):
        return X
    return None


def _text_column(columns: Sequence[Column], name: str | None) -> str:
    strings = [column for column in columns if column.kind in ("text", "category")]
    if any(column.name == name for column in strings):
        return str(name)
    texts = [column for column in strings if column.kind == "text"] or strings
    if len(texts) == 1 and name is None:
        return texts[0].name
    if name is not None or not texts:
        name = name or columns[0].name
        raise ColumnError(f"column {name!r} holds no text. Name the column of the documents.")
    names = ", ".join(repr(column.name) for column in texts)
    raise ColumnError(f"Several columns hold text: {names}. Choose one with column=….")


def _check(entries: Sequence[object], decisions: Decisions | None) -> list[str]:
    texts, missing = [], 0
    for index, entry in enumerate(entries):
        if is_missing(entry):
            texts.append("")
            missing += 1
        elif isinstance(entry, str):
            texts.append(entry)
        else:
            raise ParameterTypeError(
                f"Document {index} is {entry!r}, a {type(entry).__name__}. Give strings alone."
            )
    if missing and decisions is not None:
        decisions.add("documents", "empty", f"{missing} are missing")
    return texts
