"""Settings hold for the process; those of a `with` block hold in it alone."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from test_import import run

import lookalike
from lookalike.errors import LookalikeError, ParameterError, ParameterTypeError
from lookalike.settings import parse_bytes, settings


def test_a_block_takes_its_settings_back():
    before = settings()
    with lookalike.config(memory="1GB", threads=1, progress=True) as inside:
        assert (inside.memory, inside.threads, inside.progress) == (10**9, 1, True)
        assert settings() == inside
    assert settings() == before


def test_a_block_takes_its_settings_back_after_an_error():
    before = settings()
    with pytest.raises(RuntimeError), lookalike.config(threads=1):
        raise RuntimeError
    assert settings() == before


def test_what_is_not_named_stays():
    with lookalike.config(memory="3GB"), lookalike.config(threads=1):
        assert settings().memory == 3 * 10**9


@pytest.mark.parametrize(
    ("size", "bytes_"),
    [("2GB", 2 * 10**9), ("512MiB", 512 * 2**20), ("1.5 kb", 1500), (7, 7), ("1T", 10**12)],
)
def test_sizes_are_read_as_people_write_them(size, bytes_):
    assert parse_bytes(size) == bytes_


@pytest.mark.parametrize("size", ["much", "-1GB", 0, "GB", "1.2.3GB", True])
def test_a_size_that_is_none_is_an_error_that_shows_one(size):
    with pytest.raises(ParameterError, match=r"is not a size. Give bytes, or text like '2GB'"):
        lookalike.config(memory=size)


@pytest.mark.parametrize(("threads", "error"), [(0, ParameterError), (1.5, ParameterTypeError)])
def test_threads_that_are_none_are_an_error(threads, error):
    with pytest.raises(error, match="threads="):
        lookalike.config(threads=threads)
    assert issubclass(error, LookalikeError)


def test_minus_one_means_every_usable_core():
    with lookalike.config(threads=-1) as inside:
        assert inside.threads == len(os.sched_getaffinity(0))


def test_omp_num_threads_is_honored():
    code = "from lookalike.settings import settings; print(settings().threads)"
    assert run(code, OMP_NUM_THREADS="1") == "1"


def test_a_wrong_setting_changes_nothing():
    before = settings()
    with pytest.raises(ParameterError):
        lookalike.config(threads=1, memory="none")
    assert settings() == before


def test_overlapping_blocks_of_two_threads_do_not_leak():
    before, meet = settings(), threading.Barrier(2, timeout=20)

    def work(memory):
        with lookalike.config(memory=memory, threads=memory // 10**6):
            meet.wait()  # both are in their blocks
            inside = settings()
            meet.wait()
            if memory == 2 * 10**6:
                meet.wait()  # the other one has left its block
                return inside, settings()
        outside = settings()
        meet.wait()
        return inside, outside

    with ThreadPoolExecutor(2) as pool:
        (first, outside), (second, later) = pool.map(work, (10**6, 2 * 10**6))
    assert (first.memory, first.threads) == (10**6, 1)
    assert (second.memory, second.threads) == (later.memory, later.threads) == (2 * 10**6, 2)
    assert outside == before
    assert settings() == before


def test_a_change_without_a_block_holds_on_every_thread_until_it_is_taken_back():
    before = settings()
    change = lookalike.config(memory=123_456)
    try:
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(settings).result().memory == 123_456
    finally:
        with change:
            assert settings().memory == 123_456
    assert settings() == before


def test_what_is_set_in_a_block_ends_with_it():
    before = settings()
    with lookalike.config():
        lookalike.config(memory=1000)
        with lookalike.config(threads=1):
            assert (settings().memory, settings().threads) == (1000, 1)
        assert (settings().memory, settings().threads) == (1000, before.threads)
    assert settings() == before


def test_the_threads_of_an_engine_work_with_the_settings_of_the_block():
    from lookalike.data import open_source
    from lookalike.engines import engine_for

    rows = np.zeros((200_000, 2))
    source = open_source(rows)
    with lookalike.config(memory=32 * 16 * 50_000):
        seen = list(engine_for(source, n_jobs=2).map(lambda _: settings().memory, source))
    assert seen == [32 * 16 * 50_000] * 4
