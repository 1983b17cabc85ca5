"""The data of a study: a sample by name, a file or folder, or rows in memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.data.formats.npy import open_held_out
from lookalike.data.samples import BUNDLED_SAMPLES, sample
from lookalike.data.source import Source, is_source, open_source
from lookalike.decisions import Decisions
from lookalike.errors import ColumnError, ParameterError
from lookalike.studies.load.text_dates import types_of_text_dates
from lookalike.validation import few


def open_data(
    data: Any,
    y: object = None,
    *,
    target: str | None = None,
    text: str | None = None,
    drop: Sequence[str] = (),
    dialect: Mapping[str, Any] | None = None,
) -> tuple[Source, str | None, Source | None]:
    """Open the data of a study; a file named as a sample is given as ``./name``.

    Columns to `drop` are never read, except those of a sample or a Source, which are as they are.
    Returns the rows, the column that holds documents if there is one, and test rows of the same
    file if it has some.
    """
    if is_sample(data):
        if dialect:
            raise ParameterError(
                f"{next(iter(dialect))} is for files, and {data!r} is a sample. Leave it out."
            )
        if target is not None or y is not None or text is not None:
            raise ParameterError(f"The sample {data!r} brings its own target. Leave yours out.")
        return _check(sample(data), drop), None, None
    name = data
    if _is_documents(data):
        if target is not None:
            raise ColumnError(
                f"target names {target!r}, and a list of documents has no columns. Give their "
                "classes as y."
            )
        data, text, y = _documents(list(data), y), "text", None
    if text is not None and text in drop:
        raise ColumnError(f"drop={text!r} is the text that is studied. Name other columns.")
    choice = {**(dialect or {}), **({} if target is None else {"target": target})}
    if drop and not is_source(data):
        choice["drop"] = list(drop)
    source = _check(open_source(data, y, **choice), () if "drop" in choice else drop)
    decisions = Decisions()
    if types := types_of_text_dates(source, choice.get("types") or (), decisions):
        choice["types"] = {**(choice.get("types") or {}), **types}
        source = open_source(data, y, **choice)
        source.decisions = Decisions([*source.decisions, *decisions])  # type: ignore[attr-defined]
    test = None
    archive = isinstance(name, (str, os.PathLike)) and Path(name).name.endswith(".npz")
    if archive and os.path.isfile(name) and y is None and target is None:
        test = open_held_out(os.fspath(name))
    return source, _text(source, text), test


def _check(source: Source, drop: Sequence[str]) -> Source:
    """Return the source, which must have the columns that are to be dropped later."""
    names = [column.name for column in source.columns]
    for name in drop:
        if name not in names:
            raise ColumnError(
                f"drop names {name!r}, and there is no such column. The columns are "
                f"{few(names)}. Name one of them."
            )
    return source


def is_sample(data: object) -> bool:
    """Return whether the data are given by the name of a sample."""
    return isinstance(data, str) and data in BUNDLED_SAMPLES


def data_title(data: Any) -> tuple[str, str]:
    """Return the title of a study of these data, and what they are.

    Examples
    --------
    >>> data_title("iris"), data_title([[1.0]])
    (('iris', 'the sample iris'), ('data', 'a list'))
    """
    if is_sample(data):
        return data, f"the sample {data}"
    if isinstance(data, (str, os.PathLike)):
        title = "standard input" if data == "-" else Path(data).name
        return title, title
    return "data", f"a {type(data).__name__}"


def target_name(data: object, target: str | None) -> str:
    """Return the name of the target: its column, or what it is called if it is not a column."""
    if target is not None:
        return target
    folder = isinstance(data, (str, os.PathLike)) and not is_sample(data) and os.path.isdir(data)
    return "folder" if folder else "target"


def _is_documents(data: object) -> bool:
    if not isinstance(data, (list, tuple)) or not data:
        return False
    return all(isinstance(item, str) for item in data)


def _documents(texts: list[str], y: object) -> Source:
    from lookalike.data.sources.columns_source import ColumnsSource

    column = np.empty(len(texts), object)
    column[:] = texts
    return ColumnsSource({"text": column}, {"text": "text"}, y=y)


def _text(source: Source, name: str | None) -> str | None:
    """Return the column that holds documents: the one named, or the only column there is."""
    names = [column.name for column in source.columns]
    if name is not None:
        if name not in names:
            raise ColumnError(f"text={name!r} is not a column; there are {few(names, text=str)}.")
        return name
    only = len(source.columns) == 1 and source.columns[0].kind == "text"
    return names[0] if only else None
