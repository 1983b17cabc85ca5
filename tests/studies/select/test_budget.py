"""The time budget is read and kept."""

from __future__ import annotations

import time

import pytest

from lookalike.errors import ParameterError
from lookalike.studies.select.budget import Budget, TimeOver, count_from, parse_seconds


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


def test_time_counts_from_the_begin_of_the_program():
    with count_from(time.monotonic() - 5.0):
        assert 5.0 <= Budget(8.0).seconds < 7.0
        assert Budget(8.0).deadline().left < 3.0
    assert Budget(8.0).seconds < 1.0


def test_the_pace_is_what_computing_takes_on_the_clock_and_waiting_does_not_count(monkeypatch):
    clock, processor = [0.0], [0.0]
    budget = Budget(100.0)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(time, "process_time", lambda: processor[0])
    assert budget.pace == 1.0
    with budget.stage("reading", waits=True):
        clock[0] += 30.0
    assert budget.pace == 1.0
    with budget.stage("fitting"):  # others compute too
        clock[0] += 6.0
        processor[0] += 2.0
    assert budget.pace == 3.0
    with budget.stage("searching"):  # several threads are no reason to expect less
        clock[0] += 1.0
        processor[0] += 40.0
    assert budget.pace == 1.0
