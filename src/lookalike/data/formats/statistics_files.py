"""Rows of files of Stata, SPSS and SAS, where pyreadstat or pandas is installed."""

from __future__ import annotations

import importlib.util
import io
import os
import warnings
from collections.abc import Sequence
from typing import Any, Unpack

from lookalike.data.chunk import Dialect, TableChoice
from lookalike.data.formats.byte_streams import StreamContent, called
from lookalike.data.formats.cell_values import open_columns_of_values
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import ExtraMissingError, SourceError
from lookalike.missing import is_missing

STATISTICS_READERS = {  # of pyreadstat, by suffix
    ".dta": "read_dta",
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
PANDAS_FORMATS = {".sas7bdat": "sas7bdat", ".xpt": "xport"}  # beside .dta


def open_statistics(
    data: str | StreamContent, suffix: str, y: object = None, **choice: Unpack[TableChoice]
) -> Source:
    """Return the rows of a file of Stata, SPSS or SAS.

    Values that all have labels in the file become these labels, as a category.
    """
    suffix = next(
        end for end in STATISTICS_READERS if suffix.startswith(end)
    )  # without a compression
    if importlib.util.find_spec("pyreadstat") is not None:
        columns, decisions = _read_by_pyreadstat(data, suffix)
        if not columns or not len(columns[0][1]):
            raise SourceError(f"{called(data)} has no rows. Give a file with rows.")
        return open_columns_of_values(
            columns, called(data), y, dialect=Dialect(decimal="."), decisions=decisions, **choice
        )
    if importlib.util.find_spec("pandas") is None or suffix in (".sav", ".zsav", ".por"):
        raise ExtraMissingError.of(f"pyreadstat, which reads {suffix} files,", "statistics")
    from lookalike.data.sources.frames import FrameSource

    return FrameSource(_read_by_pandas(data, suffix), y, **choice)


def _read_by_pyreadstat(
    data: str | StreamContent, suffix: str
) -> tuple[list[tuple[str, Sequence[object]]], Decisions]:
    import pyreadstat

    read = getattr(pyreadstat, STATISTICS_READERS[suffix])
    content = os.fspath(data) if isinstance(data, str) else io.BytesIO(data[1])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of dates that are out of range, which become missing
            table, about = read(content, output_format="dict")
    except MemoryError:
        raise
    except Exception as error:  # a damaged file makes pyreadstat raise almost anything
        raise _unreadable(data, error) from None
    decisions = Decisions()
    columns = []
    for name, values in table.items():
        labels = about.variable_value_labels.get(name)
        cells = values.tolist() if hasattr(values, "tolist") else list(values)
        if labels and all(cell in labels for cell in cells if not is_missing(cell)):
            cells = [labels.get(cell) for cell in cells]
            value, label = next(iter(labels.items()))
            reason = f"the file has labels for its values, for example {label!r} for {value}"
            decisions.add(f"column {name!r}", "labels instead of numbers", reason)
        columns.append((name, cells))
    return columns, decisions


def _read_by_pandas(data: str | StreamContent, suffix: str) -> Any:
    import pandas as pd

    content = data if isinstance(data, str) else io.BytesIO(data[1])
    try:
        if suffix == ".dta":
            return pd.read_stata(content)
        return pd.read_sas(content, format=PANDAS_FORMATS[suffix], encoding="infer")
    except (ValueError, EOFError, OSError, KeyError) as error:
        raise _unreadable(data, error) from None


def _unreadable(data: str | StreamContent, error: Exception) -> SourceError:
    reason = " ".join(str(error).split()).rstrip(".")
    return SourceError(
        f"{called(data)} is damaged, or not a file of Stata, SPSS or SAS: {reason}. Save it again, "
        "or export it as csv."
    )
