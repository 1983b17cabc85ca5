"""The encoding of a text comes from all its bytes, and is said with an example."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.data import open_source
from lookalike.data.formats.byte_streams import HEAD_BYTES
from lookalike.data.formats.encodings import RepairedBytes, Utf8Repair
from lookalike.decisions import Decisions

LONG = b"a,b\n" + b"1,x\n" * (HEAD_BYTES // 4)  # as long as what is looked at first


def last_text(source):
    *_, last = source.tables()
    return last.values["b"].tolist()[-1]


def test_a_letter_far_below_the_first_bytes_decides_as_one_at_the_top(write):
    source = open_source(write(LONG + "2,Köln\n".encode("latin-1")))
    assert last_text(source) == "Köln"
    line = LONG.count(b"\n") + 1
    (decision,) = source.decisions.about("encoding")
    assert decision.choice == "cp1252"
    assert f"in line {line} is not in utf-8; read as 'Köln'" in decision.reason


def test_a_letter_far_below_in_a_stream_is_read_and_recorded_when_it_comes():
    source = open_source(io.BytesIO(LONG + "2,Köln\n".encode("latin-1")))
    assert last_text(source) == "Köln"
    (decision,) = source.decisions.about("encoding")
    assert "read as 'Köln'" in decision.reason


@pytest.mark.parametrize("filler", [b"", LONG[4:]], ids=["near", "far"])
def test_single_letters_of_another_encoding_do_not_change_the_others(write, filler):
    text = b"a,b\n" + "1,Łódź\n2,Zürich\n".encode() + filler + "3,Köln\n".encode("cp1252")
    source = open_source(write(text))
    rows = [cell for part in source.tables() for cell in part.values["b"].tolist()]
    assert (rows[0], rows[1], rows[-1]) == ("Łódź", "Zürich", "Köln")
    (decision,) = source.decisions.about("encoding")
    assert decision.choice == "utf-8, and single letters of cp1252"


def test_plain_utf_8_needs_no_decision_however_long(write):
    assert last_text(source := open_source(write(LONG + "2,Łódź\n".encode()))) == "Łódź"
    assert source.decisions.about("encoding") == []


def test_an_encoding_that_is_given_is_kept(write):
    path = write("a,b\n1,ж\n2,я\n".encode("koi8-r"))
    assert last_text(open_source(path, encoding="koi8-r")) == "я"
    assert last_text(open_source(write("a,b\n1,я\n".encode("utf-16")), encoding="utf-16")) == "я"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("word", ["Graz", "Łódź", "Київ"])
def test_two_bytes_a_letter_are_known_without_a_mark(write, encoding, word):
    path = write(f"a,b\n1,{word}\n2,x\n3,y\n".encode(encoding))
    source = open_source(path)
    assert [part.values["b"].tolist() for part in source.tables()] == [[word, "x", "y"]]
    assert [decision.choice for decision in source.decisions.about("encoding")] == [encoding]


@given(st.lists(st.one_of(st.text(max_size=9).map(str.encode), st.binary(max_size=4))), st.data())
def test_repaired_bytes_are_utf_8_however_they_are_cut(parts, data):
    content = b"".join(parts)
    whole = Utf8Repair().feed(content, final=True)
    assert len(whole.decode()) >= len(content.decode(errors="ignore"))
    size = data.draw(st.integers(1, 9))
    stream = io.BufferedReader(RepairedBytes(io.BytesIO(content), Decisions()), size)
    assert b"".join(iter(lambda: stream.read(size), b"")) == whole


@given(st.text(max_size=50))
def test_valid_utf_8_stays_as_it_is(text):
    assert Utf8Repair().feed(text.encode(), final=True) == text.encode()
