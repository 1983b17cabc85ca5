"""Day or month first, by evidence of the column (case 183)."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from lookalike.data.formats.date_form import names_a_time, recognize_dates
from lookalike.data.formats.parse_dates import parse_dates

FORMS = ["%d/%m/%y", "%d/%m/%Y", "%m/%d/%Y", "%m/%d/%y", "%d.%m.%Y", "%d.%m.%y", "%d-%m-%Y"]
FORMS += ["%Y-%m-%d", "%Y/%m/%d", "%y/%m/%d", "%d %B %Y", "%b %d, %Y", "%d-%b-%y", "%Y%m%d"]
FORMS += ["%Y-%m-%dT%H:%M:%S+02:00", "%d.%m.%Y %H:%M", "%m/%d/%Y %I:%M %p", "%Y%m%dT%H%M%S"]


def draw_days(seed, n_rows=300):
    rng = np.random.default_rng(seed)
    start = dt.datetime(int(rng.integers(1975, 2020)), 1, 1)
    minutes = rng.integers(0, int(rng.integers(400, 2000)) * 24 * 60, n_rows)
    return [start + dt.timedelta(minutes=int(minute)) for minute in minutes]


@pytest.mark.parametrize("form", FORMS)
def test_two_hundred_columns_are_read_right(form):
    for seed in range(200 // len(FORMS) + 1):
        days = draw_days(seed)
        cells = [day.strftime(form) for day in days]
        expected = [dt.datetime.strptime(cell, form) for cell in cells]
        if "+02:00" in form:
            expected = [moment - dt.timedelta(hours=2) for moment in expected]
        cells[5], cells[17] = "unknown", None
        result = recognize_dates(pa.array(cells), "date of sale")
        assert result is not None, (form, seed)
        dates = parse_dates(pa.array(cells), result.order).tolist()
        assert dates[5] is None
        assert dates[17] is None
        assert [date for j, date in enumerate(dates) if j not in (5, 17)] == [
            date for j, date in enumerate(expected) if j not in (5, 17)
        ]


def short_days(n_rows=100, *, ordered=False):
    days = [day.replace(day=1 + day.day % 12) for day in draw_days(1, n_rows)]
    return sorted(days) if ordered else days


@pytest.mark.parametrize(
    ("form", "order", "other"),
    [("%d/%m/%Y", "mdy", "dmy"), ("%d.%m.%Y", "dmy", "mdy"), ("%d-%m-%Y", "dmy", "mdy")],
)
def test_where_nothing_decides_the_reason_says_so(form, order, other):
    result = recognize_dates(pa.array([day.strftime(form) for day in short_days()]), "sold")
    assert result.order == order
    assert "no cell decides between day and month" in result.reason
    assert (
        f"--types sold=date:{other} (in Python types={{'sold': 'date:{other}'}})" in result.reason
    )


@pytest.mark.parametrize(("form", "order"), [("%d/%m/%Y", "dmy"), ("%m.%d.%Y", "mdy")])
def test_the_order_of_the_rows_in_time_decides(form, order):
    cells = pa.array([day.strftime(form) for day in short_days(ordered=True)])
    result = recognize_dates(cells)
    assert result.order == order
    assert "follow each other in time" in result.reason


def test_one_day_beyond_twelve_decides_and_is_the_example():
    result = recognize_dates(pa.array(["03/04/2021", "28/02/2021", "05/06/2021"]), "sold")
    assert result.choice == "dates, day before month"
    assert result.reason.startswith("'28/02/2021' is 2021-02-28, and no date in the other order")


def test_versions_codes_scores_and_words_are_not_dates():
    for cells in (["1.2.10", "2.10.11"], ["01-02-03", "04-05-06"], ["3:2", "1:0"], ["may", "june"]):
        assert recognize_dates(pa.array(cells * 50), "date") is None
    assert recognize_dates(pa.array(["5 may 2021", "no", "maybe", "soon"])) is None
    assert recognize_dates(pa.array([], pa.string())) is None


def test_numbers_are_dates_only_where_the_name_says_so():
    seconds = pa.array([str(1_600_000_000 + 1000 * j) for j in range(50)])
    assert recognize_dates(seconds, "price") is None
    assert recognize_dates(seconds, "createdAt").order == "seconds"
    assert recognize_dates(pa.array(["2021", "2022"]), "date") is None
    assert recognize_dates(pa.array([str(j) for j in range(172_000)]), "Time") is None
    assert recognize_dates(pa.array(["20210314", "20220101"]), "price") is None


def test_many_numbers_of_eight_digits_that_are_days_need_no_name():
    days = np.datetime64("2019-03-01") + np.arange(0, 900, 9)
    cells = [str(day).replace("-", "") for day in days]
    form = recognize_dates(pa.array(cells), "dt")
    assert form.order == "yyyymmdd"
    assert "every number is a day; --types dt=number" in form.reason
    assert recognize_dates(pa.array([*cells, "20191301"]), "dt") is None
    assert recognize_dates(pa.array([str(20_210_000 + j) for j in range(100)]), "dt") is None


def test_a_given_date_is_read_in_the_form_that_fits_most_cells():
    cells = pa.array(["14.3.2021", "soon", "later", "15.3.2021"])
    assert recognize_dates(cells) is None
    assert recognize_dates(cells, given=True).order == "dmy"
    assert recognize_dates(pa.array(["x"]), given=True).order == "ymd"
    assert recognize_dates(pa.array(["86400"]), given=True).order == "seconds"
    assert recognize_dates(pa.array([None], pa.string()), given=True).order == "ymd"


def test_names_of_times_are_words_of_the_name():
    assert all(map(names_a_time, ("date", "Order Date", "ts", "t_created", "TIMESTAMP", "day1")))
    assert not any(map(names_a_time, ("update_count", "latest", "candidates", "sometimes", "")))
