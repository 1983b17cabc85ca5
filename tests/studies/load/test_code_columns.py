"""Whole numbers that may be codes are told from counts, scales and amounts."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.studies.load.code_columns import may_be_codes


@pytest.mark.parametrize(
    ("name", "codes", "offered"),
    [
        ("kind", [20, 30, 45, 60, 190], True),
        ("thal", [3, 6, 7], True),
        ("zip", [90210, 10001, 60601], True),
        ("siblings", [0, 1, 2, 3, 4, 5, 8], False),  # a count
        ("quality", [3, 4, 5, 6, 8], False),  # a scale that lacks a value
        ("dose", [5, 20, 80, 100], False),  # by its name
        ("step", [10, 20, 30], False),
        ("area", [0, 480, 512, 519], False),
        ("size", [1.5, 3.5, 9.5], False),
        ("both", [3, 7], False),
    ],
)
def test_few_values_with_irregular_gaps_may_be_codes(name, codes, offered):
    values = np.repeat(np.array(codes, float), 30)
    assert bool(may_be_codes(name, np.append(values, np.nan))) == offered


def test_values_that_do_not_come_back_are_no_codes():
    assert not may_be_codes("x", np.cumsum(np.arange(1.0, 40)))
