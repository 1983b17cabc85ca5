"""What a command shows: tables on a terminal, plain lines when piped, JSON when asked for."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lookalike.data.atomic_write import replace_file
from lookalike.data.csv_writer import write_csv
from lookalike.studies.to_json import to_jsonable


class Sheet(NamedTuple):
    """A table to show; numbers go to the right."""

    title: str
    headings: Sequence[str]
    lines: Sequence[Sequence[Any]]


def show(parts: Iterable[Sheet | str]) -> None:
    """Print tables and sentences."""
    console = Console(soft_wrap=not sys.stdout.isatty())
    for part in parts:
        if isinstance(part, str):
            console.print(part, markup=False, highlight=False)
        elif console.is_terminal:
            console.print(part.title, markup=False, highlight=False, style="bold")
            console.print(_drawn(part))
        else:
            _print_plainly(part)


def show_json(told: Mapping[str, Any]) -> None:
    """Print one JSON object; what is not finite is null."""
    print(json.dumps(to_jsonable(told), ensure_ascii=False, allow_nan=False))


def note(text: str) -> None:
    """Tell something beside the answer, where it does not get into a pipe."""
    say(text, "dim")


def say(text: str, style: str) -> None:
    """Print a line to standard error, broken between words on a terminal only."""
    console = Console(stderr=True, soft_wrap=not sys.stderr.isatty())
    console.print(f"lookalike: {text}", style=style, markup=False, highlight=False)


def save_csv(path: Path, names: Sequence[Any], lines: Iterable[Sequence[Any]]) -> None:
    """Write lines to a csv file that is there whole or not at all."""
    replace_file(path, lambda file: write_csv(file, names, lines))


def shown(value: Any) -> str:
    """Return a value as it is shown: four digits of numbers that are not whole."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    return str(value)


def _drawn(sheet: Sheet) -> Table:
    table = Table()
    for place, heading in enumerate(sheet.headings):
        numbers = all(isinstance(line[place], (int, float, np.number)) for line in sheet.lines)
        table.add_column(Text(heading), justify="right" if numbers else "left", overflow="fold")
    for line in sheet.lines:
        table.add_row(*(Text(shown(cell)) for cell in line))
    return table


def _print_plainly(sheet: Sheet) -> None:
    """Print a title, then cells between tabs."""
    if sheet.title:
        print(f"# {sheet.title}")
    for line in (sheet.headings, *sheet.lines):
        print("\t".join(shown(cell).replace("\t", " ").replace("\n", " ") for cell in line))
