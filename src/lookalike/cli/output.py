"""Output of a command: tables on a terminal, tab-separated lines when piped, JSON on request."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from lookalike.cli.destination import destination, is_standard_output
from lookalike.cli.options import OutputOptions
from lookalike.cli.standard_streams import drop
from lookalike.data.write.atomic_write import replace_file
from lookalike.data.write.csv import write_csv
from lookalike.printable import number, printable, printable_json
from lookalike.studies.format import count
from lookalike.studies.to_json import to_jsonable
from lookalike.table import ResultTable
from lookalike.typing import AnyArray

PARQUET_SUFFIXES = (".parquet", ".pq")
TERMINAL_TABLE_LINES = 20  # lines of a long table on a terminal
Columns: TypeAlias = Mapping[str, AnyArray]


class QuietConsole(Console):
    """A console that raises where its reader has gone, and does not end the program itself."""

    def on_broken_pipe(self) -> None:
        """Raise what was caught."""
        raise BrokenPipeError


def print_lines(lines: Iterable[str], style: str | None = None) -> None:
    """Print sentences, wrapped on a terminal only, and in a color where that has colors."""
    console = QuietConsole(soft_wrap=not sys.stdout.isatty())
    for line in lines:
        console.print(printable(line), style=style, markup=False, highlight=False)


def print_table(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[object]],
    numeric: Sequence[bool] | None = None,
) -> None:
    """Print a table: framed, with numbers to the right on a terminal; else cells between tabs.

    `numeric` tells which columns hold figures, where their cells are text already.
    """
    console = QuietConsole(soft_wrap=not sys.stdout.isatty())
    if console.is_terminal:
        console.print(printable(title), markup=False, highlight=False, style="bold")
        console.print(_framed(headings, rows, numeric))
        return
    if title:
        print(printable(f"# {title}"))
    for line in (headings, *rows):
        print("\t".join(map(_piped_cell, line)))


def draw_table(table: ResultTable) -> None:
    """Print a table whose columns know how their cells are written."""
    numeric = [column.is_numeric for column in table.columns]
    print_table(table.title, table.names, table.texts(), numeric)


def print_json(result: Mapping[str, object]) -> None:
    """Print one JSON object; what is not finite is null."""
    text = jsonlib.dumps(to_jsonable(result), ensure_ascii=False, allow_nan=False, default=str)
    print(printable_json(text))


def print_facts(title: str, facts: Mapping[str, object], *, json: bool) -> None:
    """Print facts by name: a JSON object, or a table of fields and values."""
    if json:
        print_json(facts)
    else:
        lines = [
            (name.replace("_", " "), count(value) if type(value) is int else value)
            for name, value in facts.items()
        ]
        print_table(title, ("field", "value"), lines)


def print_note(text: str) -> None:
    """Print a remark to standard error, where it does not get into a pipe."""
    print_stderr(text, "dim")


def print_stderr(text: str, style: str) -> None:
    """Print a line to standard error, wrapped on a terminal only; dropped where that is closed."""
    console = QuietConsole(stderr=True, soft_wrap=not sys.stderr.isatty())
    line = f"lookalike: {printable(text)}"
    try:
        console.print(line, style=style, markup=False, highlight=False)
    except OSError:
        drop(sys.stderr)


def print_paths(paths: Mapping[str, Path | None]) -> None:
    """Print where each file was written."""
    print_lines(f"{name}: {path}" for name, path in paths.items() if path is not None)


def save_table(path: Path, names: Sequence[object], rows: Iterable[Sequence[object]]) -> None:
    """Write rows to a csv or, by the suffix .parquet, Parquet file, completely or not at all."""
    if path.suffix.lower() not in PARQUET_SUFFIXES:
        replace_file(destination(path), lambda file: write_csv(file, names, rows))
        return
    from lookalike.data.write.parquet import write_parquet

    replace_file(destination(path), lambda file: write_parquet(file, names, rows))


def save_columns(path: Path, names: Sequence[str], pieces: Iterable[Columns]) -> None:
    """Write pieces of a table, arrays by column name, as they come: completely or not at all."""
    if path.suffix.lower() not in PARQUET_SUFFIXES:
        save_table(path, names, lines_of(pieces))
        return
    from lookalike.data.write.parquet import write_columns

    replace_file(destination(path), lambda file: write_columns(file, pieces))


def lines_of(pieces: Iterable[Columns]) -> Iterator[tuple[object, ...]]:
    """Give the lines of pieces of a table."""
    for piece in pieces:
        yield from zip(*piece.values(), strict=True)


def output_columns(
    names: Sequence[str],
    pieces: Iterable[Columns],
    output: OutputOptions,
    *,
    title: str,
    label: str,
) -> None:
    """Write a table that comes in pieces to a file or a pipe; or print it, its first lines only.

    `label` says what is in the file.
    """
    if output.file is not None:
        save_columns(output.file, names, pieces)
        if output.json:
            print_json({label.lower(): str(output.file)})
        elif not is_standard_output(output.file):
            print_paths({label: output.file})
    elif output.json:
        for line in lines_of(pieces):
            print_json(dict(zip(names, line, strict=True)))
    elif sys.stdout.isatty():
        lines = lines_of(pieces)
        print_table(title, names, list(islice(lines, TERMINAL_TABLE_LINES)))
        if next(lines, None) is not None:
            print_lines(
                [
                    f"The first {TERMINAL_TABLE_LINES} lines; give -o FILE or redirect the output "
                    "for all."
                ]
            )
    else:
        write_csv(sys.stdout.buffer, names, lines_of(pieces))


def format_cell(value: object) -> str:
    """Return a value as printable text: four digits of numbers that are not integers.

    >>> format_cell(-0.123456), format_cell(56940.0), format_cell("a")
    ('−0.1235', '56,940', 'a')
    """
    if isinstance(value, (float, np.floating)):
        return number(float(value))
    return printable(str(value))


def _piped_cell(value: object) -> str:
    """Return a value between tabs: numbers with the minus that programs read."""
    text = format_cell(value)
    text = text.replace("−", "-") if isinstance(value, (float, np.floating)) else text
    return text.replace("\t", " ").replace("\n", " ")


def _framed(
    headings: Sequence[str], rows: Sequence[Sequence[object]], numeric: Sequence[bool] | None
) -> RichTable:
    table = RichTable()
    for index, heading in enumerate(headings):
        numbers = all(isinstance(line[index], (int, float, np.number)) for line in rows)
        numbers = numbers if numeric is None else numeric[index]
        table.add_column(
            Text(printable(heading)), justify="right" if numbers else "left", overflow="fold"
        )
    for line in rows:
        table.add_row(*(Text(format_cell(cell)) for cell in line))
    return table
