"""Any jsonl file gives rows or one sentence, the same ones however it is read."""

from __future__ import annotations

import gzip
import io
import json
import warnings

import pytest
from fuzz.mutations import ending, fuzzed, mutated_bytes
from fuzz.test_csv import assert_same, read, some_options
from hypothesis import given
from hypothesis import strategies as st

from lookalike.data.formats.file_names import text_format

DIALECT = ("delimiter", "decimal", "thousands", "missing", "header", "encoding")
VALUES = st.one_of(
    st.sampled_from(
        [None, True, False, 0, 1, -7, 2**53 + 1, 10**30, 10**400, 1e308, 5e-324, "", "NA"]
    ),
    st.sampled_from(["Graz", "ä", "\0", "\ud800", "x" * 200, "1", [], {}, [1], {"a": 1}]),
    st.floats(),
    st.text(max_size=5),
)


@st.composite
def jsonl_files(draw):
    """Draw the bytes of a jsonl file, mostly well formed."""
    names = st.sampled_from(["a", "b", "c", "", "ä", "\n", "y"])
    kinds = draw(
        st.sampled_from([VALUES, st.floats(), st.sampled_from(["Graz", "Linz"]), st.booleans()])
    )
    lines = [
        json.dumps(draw(st.dictionaries(names, kinds, max_size=4)))
        for _ in range(draw(st.integers(0, 6)))
    ]
    if lines and draw(st.integers(0, 9)) == 9:
        lines.append(
            draw(st.sampled_from(["[1]", "7", "nul", "{", '{"a": NaN, "a": 1}', "[" * 100_000]))
        )
    whole = (
        draw(st.sampled_from(["\n", "\r\n", "\n\n"]))
        .join(lines)
        .encode("utf-8", errors="surrogatepass")
    )
    return draw(mutated_bytes(whole)) if draw(st.booleans()) else whole


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A place for the files."""
    return tmp_path_factory.mktemp("jsonl")


@fuzzed(150)
@given(content=jsonl_files(), options=some_options(), packed=st.booleans())
def test_a_jsonl_file_is_read_or_refused(folder, content, options, packed):
    path = folder / ("table.jsonl.gz" if packed else "table.jsonl")
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    options = {name: value for name, value in options.items() if name not in DIALECT}
    with ending(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of numbers that float64 rounds
        whole = read(str(path), options, "tables", None)
        assert_same(whole, read(str(path), options, "tables", 1))
        if content.startswith(b"{") and text_format(content, None) == "jsonl":
            assert_same(whole, read(io.BytesIO(content), options, "tables", None))
        matrix = read(str(path), options, "chunks", None)
        assert isinstance(matrix, str) or not isinstance(whole, str)
