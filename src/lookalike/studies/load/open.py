"""What is to be studied: a sample by name, a file or folder, or rows that are at hand."""

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
class Opened:
    """A source, its name, what it is in words, and the name of its target."""

    source: Source
    title: str
    words: str
    target: str
    text: str | None
    brought: bool  # whether the target came with the rows, and is no column
    test: Source | None = None  # rows for testing that the file holds beside the others


def open_data(
    data: Any,
    y: Any = None,
    *,
    target: str | None = None,
    text: str | None = None,
    dialect: Mapping[str, Any] | None = None,
) -> Opened:
    """Return the rows that `data` stands for; a file named as a sample is given as ``./name``."""
    if isinstance(data, str) and data in BUNDLED:
        if dialect:
            raise ParameterError(f"{next(iter(dialect))} is of csv files, and {data!r} is none.")
        if target is not None or y is not None or text is not None:
            raise ParameterError(f"The sample {data!r} brings its own target. Leave yours out.")
        return Opened(sample(data), data, f"the sample {data}", "target", None, True)
    if isinstance(data, (str, os.PathLike)):
        title = "standard input" if data == "-" else Path(data).name
        words = title
    else:
        title, words = "data", f"a {type(data).__name__}"
    if isinstance(data, (list, tuple)) and data and all(isinstance(one, str) for one in data):
        data, text = _documents(list(data)), "text"
    choice = {**(dialect or {}), **({} if target is None else {"target": target})}
    source = open_source(data, y, **choice)
    held = None
    if title.endswith(".npz") and y is None and target is None:
        held = open_held_out(os.fspath(data))
    folder = isinstance(data, (str, os.PathLike)) and os.path.isdir(data)
    name = target or ("folder" if folder else "target")
    return Opened(source, title, words, name, _text(source, text), target is None, held)


def _documents(texts: list[str]) -> Source:
    from lookalike.data.columns_source import ColumnsSource

    column = np.empty(len(texts), object)
    column[:] = texts
    return ColumnsSource({"text": column}, {"text": "text"})


def _text(source: Source, asked: str | None) -> str | None:
    """Return the column that holds documents: the one asked for, or the only column there is."""
    names = [column.name for column in source.columns]
    if asked is not None:
        if asked not in names:
            raise ColumnError(f"text={asked!r} is no column; there are {', '.join(names[:12])}.")
        return asked
    only = len(source.columns) == 1 and source.columns[0].kind == "text"
    return names[0] if only else None
