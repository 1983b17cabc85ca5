"""The time budget is read and kept."""

from __future__ import annotations

import pytest

from lookalike.errors import ParameterError
from lookalike.studies.select.budget import Budget, TimeOver, parse_seconds


def test_time_is_read_and_refuses_what_does_not_fit():
    assert parse_seconds("1.5 h") == 5400
    assert Budget(None).deadline().refuses(1e9) == ""
    assert Budget(10.0).deadline().refuses(1.0) == ""
    assert "would take about 100 s" in Budget(10.0).deadline().refuses(100.0)
    assert "would take about 4.0 s" in Budget(10.0).deadline(parts=4).refuses(4.0)
    with pytest.raises(ParameterError, match="not a length of time"):
        parse_seconds("-3m")


def test_work_stops_where_it_asks_whether_the_time_is_over():
    Budget(None).deadline().check()
    Budget(60.0).deadline().check()
    with pytest.raises(TimeOver):
        Budget(0.0).deadline().check()
