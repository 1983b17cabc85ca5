"""The data of a study: a sample by name, a file or folder, or rows in memory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.data.npy import open_held_out
from lookalike.data.samples import BUNDLED, sample
from lookalike.data.source import Source, open_source
from lookalike.errors import ColumnError, ParameterError


@dataclass(frozen=True)
class StudyData:
    """A source, its title and description, and the names of its target and text columns."""

    source: Source
    title: str
    description: str
    target: str
    text: str | None
    has_target: bool  # whether the target came with the rows, and is no column
    test: Source | None = None  # test rows of the same file


def open_data(
    data: Any,
    y: object = None,
    *,
    target: str | None = None,
    text: str | None = None,
    dialect: Mapping[str, Any] | None = None,
) -> StudyData:
    """Open the data of a study; a file named as a sample is given as ``./name``."""
    if isinstance(data, str) and data in BUNDLED:
        if dialect:
            raise ParameterError(
                f"{next(iter(dialect))} applies to csv files, and {data!r} is none."
            )
        if target is not None or y is not None or text is not None:
            raise ParameterError(f"The sample {data!r} brings its own target. Leave yours out.")
        return StudyData(sample(data), data, f"the sample {data}", "target", None, True)
    if isinstance(data, (str, os.PathLike)):
        title = "standard input" if data == "-" else Path(data).name
        description = title
    else:
        title, description = "data", f"a {type(data).__name__}"
    if isinstance(data, (list, tuple)) and data and all(isinstance(one, str) for one in data):
        data, text, y, target = _documents(list(data), y), "text", None, None
    choice = {**(dialect or {}), **({} if target is None else {"target": target})}
    source = open_source(data, y, **choice)
    test = None
    if title.endswith(".npz") and os.path.isfile(data) and y is None and target is None:
        test = open_held_out(os.fspath(data))
    folder = isinstance(data, (str, os.PathLike)) and os.path.isdir(data)
    name = target or ("folder" if folder else "target")
    return StudyData(source, title, description, name, _text(source, text), target is None, test)


def _documents(texts: list[str], y: object) -> Source:
    from lookalike.data.columns_source import ColumnsSource

    column = np.empty(len(texts), object)
    column[:] = texts
    return ColumnsSource({"text": column}, {"text": "text"}, y=y)


def _text(source: Source, name: str | None) -> str | None:
    """Return the column that holds documents: the one named, or the only column there is."""
    names = [column.name for column in source.columns]
    if name is not None:
        if name not in names:
            raise ColumnError(f"text={name!r} is no column; there are {', '.join(names[:12])}.")
        return name
    only = len(source.columns) == 1 and source.columns[0].kind == "text"
    return names[0] if only else None
