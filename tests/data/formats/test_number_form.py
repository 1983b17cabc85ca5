"""Numbers are read however they are written: with units, as in accounts, as times of a clock."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from lookalike.data.chunk import Dialect
from lookalike.data.formats.parse_cells import convert, recognize

NUMBERS = {
    ("20.1 °C", "-3 °C"): [20.1, -3],
    ("12km/h", "1.5km/h"): [12, 1.5],
    ("70 kg/m²", "1 kg/m²"): [70, 1],
    ("1 year", "10 years"): [1, 10],
    ("1.234,5 kg", "3 kg"): [1234.5, 3],
    ("1'200 m", "900 m"): [1200, 900],
    ("30°", "45°"): [30, 45],
    ("40.1°N", "41.25°N"): [40.1, 41.25],
    ("8.12° E", "9.5 ° E"): [8.12, 9.5],
    ("(1,200.50)", "$4"): [-1200.5, 4],
    ("($1.20)", "$3"): [-1.2, 3],
    ("\u22120.5", "3"): [-0.5, 3],
    ("13:30", "0:15"): [13.5, 0.25],
    ("1:30 PM", "12:15 a.m."): [13.5, 0.25],
    ("1:30:36", "0:00:18.0"): [1.51, 0.005],
}


def form_of(cells, name="x", **options):
    return recognize(pa.array(list(cells) * 20), Dialect(delimiter=","), name, **options)


@pytest.mark.parametrize("cells", NUMBERS)
def test_a_number_is_read_and_what_is_left_out_is_said(cells):
    form = form_of(cells)
    assert form.kind == "number"
    np.testing.assert_allclose(convert(pa.array(cells), form), NUMBERS[cells])
    assert form.reason or cells[0].startswith("\u2212")  # our own minus is a plain number


@pytest.mark.parametrize(
    "cells",
    [
        ("1st", "2nd"),  # several endings
        ("1Fam", "2fmCon"),
        ("007A", "012A"),  # codes with leading zeros
        ("A1", "B2"),
        ("(1)", "(2)"),  # no amount without parentheses
        ("12 of 20", "3 of 20"),
        ("192.168.0.1", "10.0.0.1"),
        ("$5", "€7"),
        ("1:05", "1:05:07"),  # minutes or hours
        ("13:75", "13:99"),
    ],
)
def test_what_may_be_something_else_stays_as_it_is(cells):
    assert form_of(cells).kind == "category"


def test_few_labels_and_codes_keep_their_unit():
    assert form_of(("3G", "5G"), label=True).kind == "category"
    assert form_of(("10 kg", "20 kg"), "country code").kind == "category"
    assert form_of(("3G", "5G")).kind == "number"


def test_a_cell_without_the_unit_is_the_number_that_it_shows():
    form = form_of(("20.5 °C", "21"))
    np.testing.assert_array_equal(convert(pa.array(["3 °C", "4", "5 K"]), form), [3, 4, np.nan])
