"""Words cut to their stems."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.models.text.porter import porter

PRINTED = {  # the examples of [Porter80], after all steps
    "caresses": "caress", "ponies": "poni", "ties": "ti", "cats": "cat", "feed": "feed",
    "agreed": "agre", "plastered": "plaster", "bled": "bled", "motoring": "motor", "sing": "sing",
    "conflated": "conflat", "troubled": "troubl", "sized": "size", "hopping": "hop",
    "tanned": "tan", "falling": "fall", "hissing": "hiss", "fizzed": "fizz", "failing": "fail",
    "filing": "file", "happy": "happi", "sky": "sky", "relational": "relat",
    "conditional": "condit", "rational": "ration", "digitizer": "digit", "operator": "oper",
    "feudalism": "feudal", "decisiveness": "decis", "hopefulness": "hope", "formaliti": "formal",
    "sensitiviti": "sensit", "sensibiliti": "sensibl", "triplicate": "triplic",
    "formative": "form", "formalize": "formal", "electrical": "electr", "goodness": "good",
    "revival": "reviv", "allowance": "allow", "inference": "infer", "airliner": "airlin",
    "adjustable": "adjust", "replacement": "replac", "adoption": "adopt", "effective": "effect",
    "probate": "probat", "rate": "rate", "cease": "ceas", "controll": "control", "roll": "roll",
    "yes": "ye", "yielding": "yield", "syzygy": "syzygi",
}  # fmt: skip


@pytest.mark.parametrize(("word", "stem"), PRINTED.items())
def test_the_printed_examples_come_out(word, stem):
    assert porter(word) == stem


@pytest.mark.parametrize("word", ["", "a", "of", "m1", "10degrees", "größen", "Σ"])
def test_what_is_not_an_english_word_stays(word):
    assert porter(word) == word


@given(st.text("abcdefghijklmnopqrstuvwxyz", max_size=15))
def test_a_stem_is_no_longer_than_its_word(word):
    assert len(porter(word)) <= len(word)
    assert (porter(word) == "") == (word == "")
