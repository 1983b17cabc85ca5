"""Any csv file and any options on it give rows or one sentence, the same ones however they are read."""

# ruff: noqa: E501 - tables of values

from __future__ import annotations

import gzip
import io
import warnings

import numpy as np
import pytest
from fuzz.mutations import ending, fuzzed, mutated_bytes
from hypothesis import given
from hypothesis import strategies as st

from lookalike.data import open_source
from lookalike.errors import LookalikeError

CELLS = [
    "", "NA", "nan", "?", "1", "-2", "3.5", "1e5", "1e400", "0x10", "1_000", "1,5", "1.234,5", "inf",
    "true", "False", "2024-01-01", "2024-01-01T10:00:00Z", "2024-13-01", "Graz", "ä", "Ω", "𝛑", "a b",
    " 7 ", '"q"', '"a,b"', '"a\nb"', '"a""b"', '"', "'", "\t", "\x1b[31m", "\u202e", "x" * 300, "-999",
    "1.", ".5", "+1", "--1", "1e", "１", "NaN", "null", "1 000", "1'000", "99999999999999999999", "\x00",
]  # fmt: skip
DELIMITERS = [",", ";", "\t", "|", " ", ":", "::", "", '"', "\n", "ä"]
OPTIONS = {
    "delimiter": st.sampled_from([None, None, *DELIMITERS]),
    "decimal": st.sampled_from([None, None, ".", ",", "", "..", "e", "-"]),
    "thousands": st.sampled_from([None, None, None, ",", ".", "'", " ", "0"]),
    "missing": st.sampled_from([(), ("",), ("-999", "?"), ("1",), "NA", [1], None]),
    "header": st.sampled_from([None, None, True, False, 1, "yes"]),
    "encoding": st.sampled_from(
        [None, None, "utf-8", "latin-1", "utf-16", "utf-32", "ascii", "cp037", "rot13", "hex", "", "no", "idna"]
    ),
    "target": st.sampled_from([None, None, "a", "b", 0, -1, 99, "nowhere", ["a", "b"], [], 1.5, {}]),
    "columns": st.sampled_from([None, None, ["a"], [0], ["a", "a"], [], "b", 7, [None]]),
    "types": st.sampled_from(
        [None, None, {"a": "category"}, {"a": "number"}, {"b": "date"}, {"b": "boolean"}, {"a": "text"},
         {"no": "text"}, {"a": "x"}, {"a": 1}]
    ),
    "weight": st.sampled_from([None, None, None, "a", "b", "nowhere"]),
}  # fmt: skip


@st.composite
def csv_files(draw):
    """Draw the bytes of a csv file, mostly well formed, in some encoding."""
    delimiter = draw(st.sampled_from([",", ",", ";", "\t", "|"]))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    width = draw(st.integers(1, 4))
    kinds = [
        draw(st.sampled_from([None, "3.5", "Graz", "true", "2024-01-01"])) for _ in range(width)
    ]
    lines = [delimiter.join("abcd"[:width])] if draw(st.integers(0, 4)) else []
    for _ in range(draw(st.integers(0, 8))):
        cells = [kind or draw(st.sampled_from(CELLS)) for kind in kinds]
        cells += ["9"] * (draw(st.integers(0, 20)) == 20)
        lines.append(delimiter.join(cells))
    text = end.join(lines) + end * draw(st.integers(0, 2))
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"]))
    whole = text.encode(encoding, errors="replace")
    return draw(mutated_bytes(whole)) if draw(st.booleans()) else whole


@st.composite
def some_options(draw):
    """Draw a few options, of which most are left out."""
    names = draw(st.lists(st.sampled_from(sorted(OPTIONS)), max_size=2, unique=True))
    return {name: draw(OPTIONS[name]) for name in names}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A place for the files."""
    return tmp_path_factory.mktemp("csv")


@fuzzed(150)
@given(
    content=csv_files(), options=some_options(), suffix=st.sampled_from([".csv", ".tsv", ".csv.gz"])
)
def test_a_csv_file_is_read_or_refused(folder, content, options, suffix):
    path = folder / f"table{suffix}"
    path.write_bytes(gzip.compress(content, 1) if suffix.endswith("gz") else content)
    with ending(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of numbers that float64 rounds
        whole = read(str(path), options, "tables", None)
        for data, rows in ((str(path), 1), (io.BytesIO(content), None), (io.BytesIO(content), 2)):
            if not isinstance(data, str) and (suffix == ".tsv" or content[:1] in (b"{", b"P")):
                continue  # only the name says that tabs separate, or that it is no jsonl
            assert_same(whole, read(data, options, "tables", rows))
        matrix = read(str(path), options, "chunks", None)
        assert isinstance(matrix, str) or not isinstance(whole, str)


def read(data, options, how, rows):
    """Return all columns and targets as lists, or what the error says."""
    columns: dict[str, list] = {}
    try:
        for part in getattr(open_source(data, **options), how)(rows):
            named = part.values if how == "tables" else {"X": part.X}
            for name, values in {**named, "y": part.y, "weight": part.weight}.items():
                columns.setdefault(name, []).extend([] if values is None else list(values))
    except LookalikeError as error:
        return str(error) or "an empty sentence"
    return columns


def assert_same(one, other):
    """Raise unless both were read alike, or both refused."""
    assert isinstance(one, str) == isinstance(other, str), (one, other)
    if isinstance(one, str):
        return
    assert {name: list(map(written, values)) for name, values in one.items()} == {
        name: list(map(written, values)) for name, values in other.items()
    }


def written(value):
    """Return a value as text; truth values are objects in a part where some are missing."""
    return repr(bool(value) if isinstance(value, np.bool_) else value)
