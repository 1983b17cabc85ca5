"""Formats of files: what a suffix says, and what the first bytes say."""

from __future__ import annotations

import codecs
import json
from typing import Literal, NamedTuple, TypeAlias

from lookalike.data.formats.compression import COMPRESSION_SUFFIXES as COMPRESSIONS
from lookalike.data.formats.encodings import BYTE_ORDER_MARKS

Format: TypeAlias = Literal[
    "csv", "tsv", "jsonl", "json", "parquet", "arrow", "npy", "npz", "spreadsheet", "sqlite",
    "statistics",
]  # fmt: skip
FILE_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".npy": "npy",
    ".npz": "npz",
    ".xlsx": "spreadsheet",
    ".xlsm": "spreadsheet",
    ".xls": "spreadsheet",
    ".xlsb": "spreadsheet",
    ".ods": "spreadsheet",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".dta": "statistics",
    ".sav": "statistics",
    ".zsav": "statistics",
    ".por": "statistics",
    ".sas7bdat": "statistics",
    ".xpt": "statistics",
    ".txt": "csv",
    ".data": "csv",
    ".tab": "tsv",
}
TEXT_FORMATS = ("csv", "tsv", "jsonl", "json")
CONTENT_FORMATS: dict[bytes, tuple[Format, str]] = {  # how binary files begin, and a suffix
    b"PAR1": ("parquet", ".parquet"),
    b"ARROW1": ("arrow", ".arrow"),
    b"\x93NUMPY": ("npy", ".npy"),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("spreadsheet", ".xls"),
    b"SQLite format 3\x00": ("sqlite", ".sqlite"),
    b"<stata_dta>": ("statistics", ".dta"),
    b"$FL2": ("statistics", ".sav"),
    b"$FL3": ("statistics", ".zsav"),
    b"HEADER RECORD***": ("statistics", ".xpt"),
}
ARROW_SUFFIXES = tuple(end for end, kind in FILE_FORMATS.items() if kind in ("parquet", "arrow"))
UNPRINTED_BYTES = b"\x00 \t\r\n"  # of utf-16, and blanks


class FileName(NamedTuple):
    """What the name of a file says: its format if known, and its suffix with the compression."""

    format: Format | None
    suffix: str
    compressed: bool

    @property
    def known(self) -> bool:
        """Whether the suffix says something."""
        return bool(self.suffix)


def read_name(path: str) -> FileName:
    """Return the format, the whole suffix, and whether that says compressed.

    Examples
    --------
    >>> read_name("rows.CSV.gz"), read_name("rows.zip").suffix, read_name("rows.xyz").known
    (FileName(format='csv', suffix='.csv.gz', compressed=True), '.zip', False)
    """
    name = path.lower()
    outer = next((end for end in COMPRESSIONS if name.endswith(end)), "")
    inner = name[: len(name) - len(outer)]
    suffix = next((end for end in FILE_FORMATS if inner.endswith(end)), "")
    return FileName(FILE_FORMATS.get(suffix), suffix + outer, bool(outer))


def known_suffixes() -> str:
    """Return the suffixes as a message lists them."""
    return f"{', '.join(FILE_FORMATS)}, each also followed by {', '.join(COMPRESSIONS)}"


def binary_format(head: bytes) -> tuple[Format, str] | None:
    """Return the format of a binary file and its usual suffix by its first bytes, None of text."""
    return next((kind for start, kind in CONTENT_FORMATS.items() if head.startswith(start)), None)


def text_format(head: bytes, stated: Format | None) -> Format:
    """Return the format of a text: what its name says, unless it is JSON of the other form.

    Examples
    --------
    >>> text_format(b'[{"a": 1}]', "jsonl"), text_format(b'{"a": 1}', None)
    ('json', 'jsonl')
    """
    if stated in ("csv", "tsv"):
        return stated
    mark = next((one for one in (codecs.BOM_UTF8, *BYTE_ORDER_MARKS) if head.startswith(one)), b"")
    text = head.removeprefix(mark).lstrip(UNPRINTED_BYTES).replace(b"\x00", b"")
    if text.startswith(b"["):
        array = text[1:].lstrip()[:1] in (b"{", b"]")
        return "json" if array else stated or "csv"
    if text.startswith(b"{"):
        return _json_form(text, stated)
    return stated or "csv"


def _json_form(text: bytes, stated: Format | None) -> Format:
    """Return whether an object is the first of many lines, or the whole file."""
    first, _, rest = text.partition(b"\n")
    try:
        row = json.loads(first.decode("latin-1"), parse_int=str)  # in whatever encoding it is
    except (ValueError, RecursionError):  # an object of several lines, or no JSON
        return "json" if stated == "json" or (stated is None and rest) else "jsonl"
    if rest.lstrip().startswith(b"{"):
        return "jsonl"
    plain = isinstance(row, dict) and not any(isinstance(v, (dict, list)) for v in row.values())
    return stated or ("jsonl" if plain else "json")
