"""Corrections of a table: rows relabeled or dropped, written beside the original."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from lookalike.data.formats.byte_streams import TextInput, open_text
from lookalike.data.formats.compression import can_compress, compress
from lookalike.data.formats.files import require_known
from lookalike.data.source import open_source
from lookalike.data.write.atomic_write import replace_file
from lookalike.data.write.csv import FORMULA_PREFIXES
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError

CORRECTION_ACTIONS = ("relabel", "drop")
CORRECTION_HEADINGS = ("row", "action", "label")


class Correction(NamedTuple):
    """What is done with one row of a table, by its number from 0."""

    row: int
    action: str  # "relabel" or "drop"
    label: object = None  # the new one


def write_corrected(
    path: str, target: str | None, corrections: Iterable[Correction], dialect: Mapping[str, object]
) -> Path:
    """Write the table with its corrections as NAME_cleaned beside it; return the new path.

    csv, jsonl and Parquet or Arrow files; all other cells stay as they are.
    """
    listed = list(corrections)
    if target is None and any(correction.action == "relabel" for correction in listed):
        raise ParameterError("Corrections relabel rows, and there is no target. Give --target.")
    changes = {correction.row: correction for correction in listed}
    destination = cleaned_path(path)
    name = require_known(path)
    if name.format in ("parquet", "arrow"):
        return _arrow(path, name.suffix, target, changes, destination)
    delimited = name.format in ("csv", "tsv")
    content = _delimit(path, target, changes, dialect) if delimited else None
    packed = compress(content or _lines(path, target, changes), name.suffix)
    replace_file(destination, lambda file: file.write(packed))
    return destination


def cleaned_path(path: str) -> Path:
    """Return where a cleaned table is written: never the original, nor another file."""
    name = require_known(path)
    text = name.format in ("csv", "tsv", "jsonl") and can_compress(name.suffix)
    if not text and not (name.format in ("parquet", "arrow") and not name.compressed):
        raise _not_rewritten(path, name.suffix)
    destination = Path(path).with_name(
        Path(path).name[: -len(name.suffix)] + f"_cleaned{name.suffix}"
    )
    if destination.exists():
        raise ParameterError(f"{destination} exists already. Rename or remove it.")
    return destination


def _not_rewritten(path: str, suffix: str) -> ParameterError:
    return ParameterError(
        f"{path} is a {suffix} file, which is not rewritten. Apply the corrections where its rows "
        "come from, or give a csv, jsonl, Parquet or Arrow file."
    )


def require_corrections(path: Path) -> None:
    """Raise where `path` is a file of something else than corrections, which would be lost."""
    if not path.exists():
        return
    expected = ",".join(CORRECTION_HEADINGS).encode()
    if path.is_file():
        with open(path, "rb") as file:
            if file.read(len(expected) + 3).removeprefix(codecs.BOM_UTF8).startswith(expected):
                return
    raise ParameterError(
        f"{path} exists and is not a file of corrections, which begins with "
        f"{','.join(CORRECTION_HEADINGS)}. It would be replaced; give another file for corrections."
    )


def read_corrections(path: Path) -> list[Correction]:
    """Return the corrections of a csv file with the columns row, action and label."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if missing := [
            name for name in CORRECTION_HEADINGS if name not in (reader.fieldnames or ())
        ]:
            raise ParameterError(
                f"{path} has no column {missing[0]!r}. Give row, action (relabel, drop) and label."
            )
        return [_correction(path, number, cells) for number, cells in enumerate(reader, start=2)]


def _correction(path: Path, line: int, cells: Mapping[str, object]) -> Correction:
    row, action, label = (str(cells[name] or "").strip() for name in CORRECTION_HEADINGS)
    if action not in CORRECTION_ACTIONS or not row.isdigit():
        raise ParameterError(
            f"{path}, line {line}: row {row!r} and action {action!r}. Give the number of a row and "
            "relabel or drop."
        )
    if label.startswith("'") and label[1:].startswith(FORMULA_PREFIXES):
        label = label[1:]  # which the apostrophe kept from being a formula
    return Correction(int(row), action, label)


def _delimit(
    path: str, target: str | None, changes: Mapping[int, Correction], dialect: Mapping[str, Any]
) -> bytes:
    source: Any = open_source(path, **dialect)
    if not hasattr(source, "open_text"):  # a workbook, for example, that is named as a csv file
        raise _not_rewritten(path, "binary")
    delimiter = source.dialect.delimiter or ","
    with source.open_text() as file:
        records = [record for record in csv.reader(file, delimiter=delimiter) if record]
    header = [] if source.dialect.header is False else [source.header_row or records.pop(0)]
    names = [column.name for column in source.columns]
    destination = _place(names, target, path)

    def relabeled(record: Sequence[str], label: object) -> list[str]:
        return [*record[:destination], str(label), *record[destination + 1 :]]

    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter=delimiter, lineterminator="\n")
    writer.writerows([*header, *_changed(records, changes, relabeled, path)])
    return written.getvalue().encode("utf-8" if source.encoding == "utf-8-sig" else source.encoding)


def _lines(path: str, target: str | None, changes: Mapping[int, Correction]) -> bytes:
    with open_text(TextInput(path), Decisions()) as file:
        records = [line.rstrip("\n") for line in file if line.strip()]

    def relabeled(line: str, label: object) -> str:
        row = json.loads(line)
        row[target] = _type(label, row.get(target))
        return json.dumps(row, ensure_ascii=False)

    return ("\n".join(_changed(records, changes, relabeled, path)) + "\n").encode()


def _arrow(
    path: str, suffix: str, target: str | None, changes: Mapping[int, Correction], destination: Path
) -> Path:
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet as pq

    parquet = suffix in (".parquet", ".pq")
    table = pq.read_table(path) if parquet else pyarrow.feather.read_table(path)
    rows = list(range(table.num_rows))
    kept = [row for row in rows if row not in changes or changes[row].action != "drop"]
    list(_changed(rows, changes, lambda row, _: row, path))  # every row that is named exists
    if target is not None and any(
        correction.action == "relabel" for correction in changes.values()
    ):
        column = _place(table.column_names, target, path)
        cells = table.column(column).to_pylist()
        for row, correction in changes.items():
            if correction.action == "relabel":
                cells[row] = _type(correction.label, cells[row])
        table = table.set_column(column, target, pa.array(cells, table.schema.field(column).type))
    table = table.take(kept)
    write: Callable[[IO[bytes]], object] = (
        (lambda file: pq.write_table(table, file))
        if parquet
        else (lambda file: pyarrow.feather.write_feather(table, file))
    )
    replace_file(destination, write)
    return destination


def _changed(
    records: Sequence[object],
    changes: Mapping[int, Correction],
    relabeled: Callable[[Any, object], object],
    path: str,
) -> Iterator[Any]:
    """Give the records that stay, those that are relabeled with their new label."""
    if changes and max(changes) >= len(records):
        raise ParameterError(
            f"Row {max(changes)} is to be corrected, and {path} has {len(records)} rows."
        )
    for row, record in enumerate(records):
        correction = changes.get(row)
        if correction is None:
            yield record
        elif correction.action == "relabel":
            yield relabeled(record, correction.label)


def _place(names: Sequence[str], target: str | None, path: str) -> int:
    if target is None:
        return 0
    if target not in names:
        raise ParameterError(f"{path} has no column {target!r}. Give --target and its name.")
    return list(names).index(target)


def _type(label: Any, old: object) -> object:
    """Return a new label in the type of the old one."""
    if isinstance(old, bool):
        return str(label).lower() in ("true", "1")
    return type(old)(label) if isinstance(old, (int, float, str)) else label
