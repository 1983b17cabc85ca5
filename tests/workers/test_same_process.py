"""The same interface without processes gives the same answers."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
import work_functions

from lookalike.settings import config, settings
from lookalike.workers import Failure, SameProcess, Work, WorkerPool


def answers(pool):
    rows = pool.share(np.arange(12.0).reshape(3, 4))
    with pool:
        for k in range(3):
            pool.submit(Work(k, np.sum, (rows, k % 2)))
        pool.submit(Work("bad", math.sqrt, (-1.0,)))
        pool.submit(Work("late", work_functions.echo, (1,), 0.0))
        pool.submit(Work("dropped", work_functions.echo, (1,), 0.0))
        pool.cancel("dropped")
        found = {}
        while (outcome := pool.next_outcome()) is not None:
            found[outcome.key] = outcome
    return found


def test_the_same_work_gives_the_same_answers_as_in_other_processes():
    here, there = answers(SameProcess()), answers(WorkerPool(2))
    assert here.keys() == there.keys() == {0, 1, 2, "bad", "late"}
    for key, outcome in here.items():
        assert outcome.failure == there[key].failure
        np.testing.assert_array_equal(outcome.value, there[key].value)
    assert here["bad"].failure == Failure("error", "math domain error")
    assert here["late"].failure == Failure("time", "stopped after 0 s")


def test_work_runs_when_its_outcome_is_asked_for_in_this_process():
    pool = SameProcess()
    assert pool.n_free == 1
    pool.submit(Work("it", os.getpid))
    assert pool.n_free == 0
    assert pool.next_outcome().value == os.getpid()
    assert pool.next_outcome() is None


def test_work_has_the_threads_of_the_pool_and_warns_nobody():
    with config(memory="1GB"):
        pool = SameProcess(threads=1)
        pool.submit(Work("settings", settings))
        pool.submit(Work("warning", work_functions.warn))
        made = pool.next_outcome().value
        assert (made.threads, made.memory) == (1, 10**9)
        assert pool.next_outcome().failure is None


def test_what_is_shared_cannot_be_written_to_and_is_not_copied():
    rows = np.ones((2, 2))
    shared = SameProcess().share(rows)
    assert np.shares_memory(rows, shared)
    with pytest.raises(ValueError, match="read-only"):
        shared[0] = 0
    assert rows.flags.writeable


def test_ctrl_c_is_not_taken_for_a_failure_of_work():
    pool = SameProcess()
    pool.submit(Work("it", interrupt))
    with pytest.raises(KeyboardInterrupt):
        pool.next_outcome()


def interrupt():
    raise KeyboardInterrupt
