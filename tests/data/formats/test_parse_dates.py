"""Dates in their common forms, read back to the same instant (case 183)."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.data.formats.date_patterns import FIXED_ORDER, MONTH_NUMBERS
from lookalike.data.formats.parse_dates import parse_dates

DAY_FORMS = {
    "ymd": (
        "%Y-%m-%d|%Y/%m/%d|%Y.%m.%d|%Y%m%dT%H%M%S|%d %B %Y|%d. %b %Y|%b %d, %Y|%B %d %Y|%d-%b-%y|"
        "%A, %d %B %Y|%a %b %d %H:%M:%S %Y|%d%b%Y|%Y %b %d|%Y-%b-%d|%y/%m/%d|%y-%m-%d"
    ),
    "dmy": "%d/%m/%Y|%d.%m.%Y|%d-%m-%Y|%d/%m/%y|%d. %m. %Y|%d.%m.%y",
    "mdy": "%m/%d/%Y|%m-%d-%Y|%m/%d/%y",
    "yyyymmdd": "%Y%m%d",
}
TIME_FORMS = ["", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S%p", "T%H:%M", ", %I:%M:%S %p"]
FORMS = [(order, day) for order, days in DAY_FORMS.items() for day in days.split("|")]
NOT_DATES = [
    "2021-02-29",
    "31.04.2021",
    "14/13/2021",
    "2021-03-14 24:00",
    "2021-03-14 10:60",
    "1.10.2",
    "13:00 PM",
    "10:30",
    "",
    "03/14/2021 13:00 PM",
    "01/02-2021",
    "14 Foo 2021",
    "192.168.0.1",
    "2021-03-14T10:00+25:00",
    "today",
    "now",
]
moments = st.datetimes(dt.datetime(1970, 1, 1), dt.datetime(2067, 12, 31))
offsets = st.integers(-14 * 60, 14 * 60)


@given(st.sampled_from(FORMS), st.sampled_from(TIME_FORMS), st.lists(moments, min_size=1))
def test_a_date_comes_back_through_every_form(order_and_form, time, written):
    order, form = order_and_form
    form += time if "%H" not in form and order != "yyyymmdd" else ""
    cells = [moment.strftime(form) for moment in written]
    expected = [dt.datetime.strptime(cell, form) for cell in cells]
    assert parse_dates(pa.array(cells), order).tolist() == expected


@given(st.lists(st.tuples(moments, offsets), min_size=1, max_size=20))
def test_mixed_offsets_become_utc(written):
    zoned = [
        moment.replace(tzinfo=dt.timezone(dt.timedelta(minutes=offset)))
        for moment, offset in written
    ]
    expected = [moment.astimezone(dt.UTC).replace(tzinfo=None) for moment in zoned]
    for form in ("%Y-%m-%dT%H:%M:%S.%f%z", "%m-%d-%Y %H:%M:%S.%f %z", "%d %b %Y %H:%M:%S.%f %z"):
        cells = pa.array([moment.strftime(form) for moment in zoned])
        assert parse_dates(cells, "mdy").tolist() == expected, form


@given(st.lists(moments.map(lambda moment: moment.replace(microsecond=0)), min_size=1))
def test_seconds_and_milliseconds_since_1970_come_back(written):
    seconds = [int(moment.replace(tzinfo=dt.UTC).timestamp()) for moment in written]
    assert parse_dates(pa.array(map(str, seconds)), "seconds").tolist() == written
    milliseconds = pa.array(str(1000 * second) for second in seconds)
    assert parse_dates(milliseconds, "milliseconds").tolist() == written


@given(st.lists(st.text(max_size=20) | st.none()))
def test_any_text_is_a_date_or_missing_in_every_order(cells):
    for order in (*DAY_FORMS, "seconds", "milliseconds"):
        dates = parse_dates(pa.array(cells, pa.string()), order)
        assert dates.dtype == "datetime64[us]"
        assert len(dates) == len(cells)


@pytest.mark.parametrize("cell", NOT_DATES)
def test_no_day_and_no_time_is_invented(cell):
    for order in DAY_FORMS:
        assert np.isnat(parse_dates(pa.array([cell, "2020-01-01"]), order)[0])


@pytest.mark.parametrize(
    ("cell", "day"),
    [
        ("14. März 2021", "2021-03-14"),
        ("14 DE MARZO DE 2021", "2021-03-14"),
        ("1er août 2021", "2021-08-01"),
        ("3 dicembre 2021", "2021-12-03"),
        ("May 3rd, 2021", "2021-05-03"),
        ("2021-03", "2021-03-01"),
        ("Dec-2015", "2015-12-01"),
    ],
)
def test_names_of_months_in_several_languages_and_months_alone(cell, day):
    assert str(parse_dates(pa.array([cell]))[0])[:10] == day


def test_a_date_with_two_digits_of_the_year_lies_between_1969_and_2068():
    years = parse_dates(pa.array(["01/01/69", "01/01/99", "01/01/00", "01/01/68"]), "dmy")
    assert years.astype("datetime64[Y]").astype(int).tolist() == [-1, 29, 30, 98]


def test_every_pattern_is_linear_in_the_length_of_a_cell():
    long = pa.array(["1" * 100_000, "a" * 100_000, "1 " * 50_000, "1/1/20" * 20_000])
    assert np.isnat(parse_dates(long)).all()
    assert len(FIXED_ORDER) < 10
    assert set(MONTH_NUMBERS.values()) == set(range(1, 13))
