"""Text from data cannot act on a terminal, and scripts that are not Latin stay as they are."""

import json
from pathlib import Path

import pytest

from lookalike.errors import LookalikeError, SourceMissingError, WriteError
from lookalike.printable import count, number, percent, printable, printable_json

ACTING = ["\x1b", "\a", "\0", "\x7f", "\x9b", "\u202e", "\u2066", "\u2028", "\ud800", "\U000e0041"]


@pytest.mark.parametrize("character", ACTING)
def test_what_acts_on_a_terminal_is_written_as_its_code(character):
    shown = printable(f"a{character}b")
    assert character not in shown
    assert shown.isprintable()
    assert shown.encode().decode("unicode_escape") == f"a{character}b"


@pytest.mark.parametrize("text", ["a\tb\r\nc", "mörk", "字", "🙂", "سلام\u200c\u200f", "e\u0301"])
def test_everything_else_stays(text):
    assert printable(text) == text
    assert printable_json(text) == text


def test_a_carriage_return_that_ends_no_line_is_written_as_its_code():
    assert printable("right\rwrong") == r"right\x0dwrong"


def test_json_means_the_same():
    value = {f"a{character}": [character, "字"] for character in ACTING}
    text = printable_json(json.dumps(value, ensure_ascii=False))
    assert text.isprintable()
    assert json.loads(text) == value


@pytest.mark.parametrize("kind", [LookalikeError, WriteError, SourceMissingError])
def test_errors_show_their_message_safely(kind):
    error = kind("no column \x1b[31mred")
    assert str(error) == r"no column \x1b[31mred"
    assert error.args == ("no column \x1b[31mred",)


@pytest.mark.parametrize("written", [number, percent, count])
def test_a_figure_is_written_as_the_page_writes_it(written):
    cases = json.loads((Path(__file__).parent / "page" / "number_cases.json").read_text("utf-8"))
    for value, text in cases[written.__name__]:
        assert written(value) == text
