"""Tables as people have them: what each column means is known, how it is written is awkward."""

from __future__ import annotations

import bz2
import csv
import datetime as dt
import gzip
import io
import json
import lzma
import sqlite3
import zipfile
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
from table_files import write_xlsx

FORMATS = (
    "csv", "csv.gz", "tsv", "semicolon.csv", "csv.bz2", "jsonl", "json", "csv.xz", "xlsx",
    "parquet", "csv.zst", "feather", "csv.zip", "sqlite", "jsonl.gz",
)  # fmt: skip
ENCODINGS = ("utf-8", "utf-8-sig", "latin-1", "utf-16", "cp1252")
MARKERS = ("", "NA", "NaN", "null", "")
UNKNOWN = "unknown"  # a cell that is not a number, among numbers
DATE_FORMS = ("%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%d/%m/%y", "%d %B %Y", "%Y-%m-%dT%H:%M:%S+02:00")
TARGETS = ("labels", "amounts", "codes", "stars")
TOWNS = ("Köln", "Graz", "Málaga", "Oslo")
WORDS = ("late", "broken", "great", "slow", "cheap", "noisy", "clean", "small", "warm", "old")


class AwkwardColumn(NamedTuple):
    """The values of a column, how a file of text shows them, and what a reader may make of it."""

    values: list[Any]
    cells: list[str]
    expected: set[str]


class AwkwardTable(NamedTuple):
    """A table with the name of its target, and how it is to be written."""

    columns: dict[str, AwkwardColumn]
    target: str
    suffix: str
    encoding: str
    decimal: str

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return len(next(iter(self.columns.values())).values)


def make_table(seed: int) -> AwkwardTable:
    """Return table number `seed`: formats, encodings, markers and targets take turns."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(120, 200))
    suffix = FORMATS[seed % len(FORMATS)]
    decimal = "," if suffix == "semicolon.csv" else "."
    marker, form = MARKERS[seed % len(MARKERS)], DATE_FORMS[seed % len(DATE_FORMS)]
    size, town = rng.normal(50, 12, n_rows).round(2), rng.integers(0, 4, n_rows)
    grade = rng.choice(["007", "07", "7"], n_rows)
    score = (size - 50) / 12 + (town == 1) + 2.0 * (grade == "007") + 0.3 * rng.normal(size=n_rows)
    columns = {
        "Größe": _numbers(size.tolist(), decimal, marker, rng),
        "price": _prices(rng.lognormal(7, 1, n_rows).round(2).tolist(), decimal),
        "count": _whole(rng.integers(0, 400, n_rows).tolist()),
        "mostly": _mostly_numbers(rng.normal(size=n_rows).round(3).tolist(), decimal, rng),
        "Ticket": _tickets(n_rows, rng),
        "zip": _texts([f"{z:05d}" for z in 501 + 97 * rng.integers(0, 9, n_rows)], {"category"}),
        "grade code": _texts(grade.tolist(), {"category"}),
        "town": _texts([TOWNS[t] for t in town], {"category"}, marker, rng),
        "day": _dates(rng.integers(0, 900, n_rows).tolist(), form),
        "note": _texts([" ".join(rng.choice(WORDS, 6)) for _ in range(n_rows)], {"text"}),
        "customer_id": _texts(
            [f"C{k:06d}" for k in rng.permutation(10**6)[:n_rows]], {"identifier"}
        ),
        "same": _texts(["x"] * n_rows, {"constant"}),
        "target": _target(TARGETS[seed % len(TARGETS)], score, decimal),
    }
    text = suffix.startswith(("csv", "tsv", "semicolon"))
    encoding = ENCODINGS[seed % len(ENCODINGS)] if text else "utf-8"
    return AwkwardTable(columns, "target", suffix, encoding, decimal)


def write_table(table: AwkwardTable, folder: Any, name: str = "table") -> Any:
    """Write the table in its format and return the path."""
    path = folder / f"{name}.{table.suffix}"
    suffix = table.suffix.removeprefix("semicolon.")
    kind, _, packed = suffix.partition(".")
    if kind in ("csv", "tsv"):
        content = _delimited(table).encode(table.encoding)
    elif kind in ("json", "jsonl"):
        rows = _typed_rows(table)
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        content = (json.dumps(rows) if kind == "json" else lines).encode()
    else:
        TYPED_WRITERS[kind](table, path)
        return path
    path.write_bytes(PACKERS[packed](content) if packed else content)
    return path


def _numbers(values: list[float], decimal: str, marker: str, rng: Any) -> AwkwardColumn:
    """Numbers, some of them missing."""
    missing = rng.random(len(values)) < 0.05
    kept = [None if lost else value for value, lost in zip(values, missing, strict=True)]
    cells = [marker if value is None else _show(value, decimal) for value in kept]
    return AwkwardColumn(kept, cells, {"number"})


def _prices(values: list[float], decimal: str) -> AwkwardColumn:
    """Numbers with separators of thousands."""
    shown = [f"{value:,.2f}" for value in values]
    if decimal == ",":
        shown = [cell.translate(str.maketrans(",.", ".,")) for cell in shown]
    return AwkwardColumn(list(values), shown, {"number"})


def _whole(values: list[int]) -> AwkwardColumn:
    return AwkwardColumn(list(values), [str(value) for value in values], {"number"})


def _mostly_numbers(values: list[float], decimal: str, rng: Any) -> AwkwardColumn:
    """Numbers, and three cells that are not."""
    cells = [_show(value, decimal) for value in values]
    mixed: list[Any] = list(values)
    for row in rng.choice(len(values), 3, replace=False):
        cells[row] = mixed[row] = UNKNOWN
    return AwkwardColumn(mixed, cells, {"number"})


def _tickets(n_rows: int, rng: Any) -> AwkwardColumn:
    """Three quarters are digits, as Titanic's tickets are."""
    digits = rng.integers(1000, 400_000, n_rows)
    cells = [f"A/5 {d}" if rng.random() < 0.25 else str(d) for d in digits]
    return _texts(cells, {"category", "text", "identifier"})


def _texts(
    cells: list[str], expected: set[str], marker: str | None = None, rng: Any = None
) -> AwkwardColumn:
    values: list[Any] = list(cells)
    shown = list(cells)
    if marker is not None:
        for row in rng.choice(len(cells), 4, replace=False):
            values[row], shown[row] = None, marker
    return AwkwardColumn(values, shown, expected)


def _dates(days: list[int], form: str) -> AwkwardColumn:
    stamps = [dt.datetime(2021, 1, 1, 9, 30) + dt.timedelta(days=day) for day in days]
    cells = [stamp.strftime(form) for stamp in stamps]
    return AwkwardColumn(list(cells), cells, {"date"})


def _target(kind: str, score: Any, decimal: str) -> AwkwardColumn:
    if kind == "amounts":
        values = score.round(3).tolist()
        return AwkwardColumn(values, [_show(value, decimal) for value in values], {"number"})
    thirds = np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))
    if kind == "codes":
        return _texts([("01", "1", "001")[third] for third in thirds], {"category"})
    if kind == "stars":
        fifths = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8])) + 1
        return _whole(fifths.tolist())
    return _texts([("no", "perhaps", "yes, sure")[third] for third in thirds], {"category"})


def _show(value: float, decimal: str) -> str:
    return str(value).replace(".", decimal)


def _delimited(table: AwkwardTable) -> str:
    delimiter = {"semicolon.csv": ";", "tsv": "\t"}.get(table.suffix, ",")
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, delimiter=delimiter)
    writer.writerow(table.columns)
    writer.writerows(zip(*(column.cells for column in table.columns.values()), strict=True))
    return sink.getvalue()


def _typed_rows(table: AwkwardTable) -> list[dict[str, Any]]:
    values = [column.values for column in table.columns.values()]
    return [dict(zip(table.columns, row, strict=True)) for row in zip(*values, strict=True)]


def _arrow(table: AwkwardTable) -> pa.Table:
    typed = {name: column.values for name, column in table.columns.items()}
    typed["mostly"] = table.columns["mostly"].cells
    return pa.table(typed)


def _write_parquet(table: AwkwardTable, path: Any) -> None:
    pa.parquet.write_table(_arrow(table), path)


def _write_feather(table: AwkwardTable, path: Any) -> None:
    pa.feather.write_feather(_arrow(table), str(path))


def _write_sqlite(table: AwkwardTable, path: Any) -> None:
    names = ", ".join(f'"{name}"' for name in table.columns)
    places = ", ".join("?" for _ in table.columns)
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE orders ({names})")
        rows = [tuple(row.values()) for row in _typed_rows(table)]
        database.executemany(f"INSERT INTO orders VALUES ({places})", rows)
    database.close()


def _write_xlsx(table: AwkwardTable, path: Any) -> None:
    rows = [list(row.values()) for row in _typed_rows(table)]
    path.write_bytes(write_xlsx({"Sheet": [list(table.columns), *rows]}))


def _zip(content: bytes) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("table.csv", content)
    return sink.getvalue()


def _zst(content: bytes) -> bytes:
    packed: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return packed


TYPED_WRITERS = {
    "parquet": _write_parquet,
    "feather": _write_feather,
    "sqlite": _write_sqlite,
    "xlsx": _write_xlsx,
}
PACKERS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zip": _zip,
    "zst": _zst,
}
