"""The time budget is read, kept, and enforced."""

from __future__ import annotations

import signal
import time

import numpy as np
import pytest

from lookalike.errors import ParameterError
from lookalike.explain.self_search import self_search
from lookalike.studies.select.budget import Budget, TimeOver, parse_seconds


def test_time_is_read_and_refuses_what_does_not_fit():
    assert parse_seconds("1.5 h") == 5400
    assert Budget(None).deadline().refuses(1e9) == ""
    assert Budget(10.0).deadline().refuses(1.0) == ""
    assert "would take about 100 s" in Budget(10.0).deadline().refuses(100.0)
    assert "would take about 4.0 s" in Budget(10.0).deadline(parts=4).refuses(4.0)
    with pytest.raises(ParameterError, match="no length of time"):
        parse_seconds("-3m")


def test_a_deadline_that_is_over_may_be_put_off():
    over = Budget(0.0).deadline()
    assert over.left == 0
    assert 50 < over.no_sooner_than(60.0).left <= 60
    assert Budget(None).deadline().no_sooner_than(60.0).left == float("inf")


@pytest.mark.alone
def test_work_is_stopped_at_its_deadline_in_python_and_in_native_code():
    X = np.random.default_rng(0).normal(size=(40_000, 60))
    for work in (lambda: [x for x in iter(lambda: 0, 1) if x], lambda: self_search(X, 50)):
        begin = time.monotonic()
        with pytest.raises(TimeOver), Budget(0.2).deadline().enforced():
            work()
        assert time.monotonic() - begin < 5
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_timer_of_the_user_is_left_alone():
    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 60)
    try:
        with Budget(1e-3).deadline().enforced():
            assert signal.getitimer(signal.ITIMER_REAL)[0] > 50
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_timer_that_strikes_while_it_is_stopped_is_stopped_all_the_same(monkeypatch):
    stops, setitimer = [], signal.setitimer

    def strikes_at_first(which, seconds, *interval):
        if seconds == 0.0:
            stops.append(seconds)
            if len(stops) == 1:
                raise TimeOver
        return setitimer(which, seconds, *interval)

    monkeypatch.setattr(signal, "setitimer", strikes_at_first)
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(TimeOver), Budget(60.0).deadline().enforced():
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before
