"""Opens a DATA argument: a sample of the package, or a file."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.cli.options import file_options
from lookalike.cli.output import print_note
from lookalike.data.batches import gather_table
from lookalike.data.samples import BUNDLED_SAMPLES, sample
from lookalike.data.source import Source, open_source
from lookalike.errors import ColumnError, ParameterError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray
from lookalike.validation import few

if TYPE_CHECKING:
    from lookalike.studies.results import ColumnDescription


def open_argument(
    name: str,
    *,
    target: str | None = None,
    drop: Sequence[str] | None = None,
    notes: bool = True,
    **choice: Any,
) -> Source:
    """Return the rows of a DATA argument; a file that is named as a sample is ``./name``.

    `target` is the column to predict, `drop` lists columns that are never read; what was decided
    is printed, unless `notes` is false.
    """
    if name in BUNDLED_SAMPLES:
        return _open_sample(name, target=target, drop=drop)
    options = {**choice, **file_options()}
    if types := {**(choice.get("types") or {}), **file_options().get("types", {})}:
        options["types"] = types  # what the user says goes before what a model knows
    try:
        source = open_source(name, target=target, drop=list(drop) if drop else None, **options)
    except ColumnError as error:
        raise named_option(error) from error
    if notes:
        note_reading(source)
    return source


def note_reading(source: Source, decided_later: Collection[str] = ()) -> None:
    """Print how the columns are read, but for those of which more was decided later."""
    for decision in getattr(source, "decisions", ()):
        if decision.about not in decided_later:
            print_note(f"{decision}.")


def named_option(error: ColumnError) -> ColumnError:
    """Return an error on the target or dropped columns that names the option of the command."""
    return ColumnError(re.sub(r"^(target|drop)(?=[ =])", r"--\1", str(error)))


def _open_sample(name: str, *, target: str | None, drop: Sequence[str] | None) -> Source:
    if options := file_options():
        raise ParameterError(f"--{next(iter(options))} is for files, and {name} is a sample.")
    if target is not None:
        raise ParameterError(
            f"--target {target}: the sample {name} has its own target. Leave the option out."
        )
    if drop:
        raise ParameterError(f"--drop is for files, and {name} is a sample. Leave the option out.")
    return sample(name)


def text_column(source: Source, text: str | None) -> str | None:
    """Return the column of documents: the one named, or the only column where it is text."""
    names = [column.name for column in source.columns]
    if text is not None and text not in names:
        raise ColumnError(
            f"--text {text}: there is no such column; there are {few(names, text=str)}."
        )
    only = len(names) == 1 and source.columns[0].kind == "text"
    return text or (names[0] if only else None)


def read_texts(source: Source, column: str) -> tuple[list[str], AnyArray | None]:
    """Return the documents of a source, missing ones empty, and y."""
    table = gather_table(source)
    cells = np.asarray(table.values[column]).tolist()
    return ["" if is_missing(cell) else str(cell) for cell in cells], table.y


def print_suggested_target(columns: Sequence[ColumnDescription], n_rows: int) -> None:
    """Print which column may be the target, where one is likely and none was given."""
    from lookalike.studies.load.target import suggest_target

    if likely := suggest_target(columns, n_rows):
        name, why = likely
        print_note(f"no target was given; {name!r} may be it ({why}): give --target {name}.")


def require_target(y: AnyArray | None, names: Sequence[str], name: str) -> AnyArray:
    """Return the target of the table `name`, which must have one beside the columns `names`."""
    if y is None:
        from lookalike.studies.load.target import likely_target

        likely = likely_target([one.split("=")[0] for one in names])
        hint = f"Give --target {likely}" if likely else "Give --target and the name of a column"
        raise ParameterError(f"{name} has no target. {hint}.")
    return y
