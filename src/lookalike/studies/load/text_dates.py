"""Dates that a data frame or an Arrow file holds as strings."""

from __future__ import annotations

from collections.abc import Collection

from lookalike.data.column_types import SAMPLE_ROWS
from lookalike.data.formats.arrow import BatchSource
from lookalike.data.formats.date_form import recognize_dates
from lookalike.data.formats.typed_values import text_cells
from lookalike.data.source import Source
from lookalike.data.sources.frames import FrameSource
from lookalike.decisions import Decisions


def types_of_text_dates(
    source: Source, given: Collection[str], decisions: Decisions
) -> dict[str, str]:
    """Return the columns of strings that are dates, with how they are written as their type.

    Files of text are typed when they are read; a frame says that such a column holds strings.
    Columns whose type is `given` stay as they are.

    Examples
    --------
    >>> import pyarrow
    >>> frame = FrameSource(pyarrow.table({"sold": ["14.3.2021", "2.4.2021"], "town": ["a", "b"]}))
    >>> types_of_text_dates(frame, (), Decisions())
    {'sold': 'date:dmy'}
    """
    if not isinstance(source, (FrameSource, BatchSource)):
        return {}
    names = [
        column.name
        for column in source.columns
        if column.kind in ("category", "text", "id") and column.name not in given
    ]
    if not names:
        return {}
    first = next(iter(source.tables(SAMPLE_ROWS)))
    types = {}
    for name in names:
        form = recognize_dates(text_cells(first.values[name].tolist()), name)
        if form is not None:
            types[name] = f"date:{form.order}"
            decisions.add(f"column {name!r}", form.choice, form.reason)
    return types
