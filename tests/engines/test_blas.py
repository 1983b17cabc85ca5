"""The BLAS has one thread while an engine runs, and gets its own back."""

from __future__ import annotations

from threading import Barrier, Thread

import numpy as np
import threadpoolctl

import lookalike
from lookalike.engines.blas import openmp_threads, single_threaded_blas
from lookalike.settings import settings


def blas_threads():
    np.ones((2, 2)) @ np.ones((2, 2))
    result = threadpoolctl.threadpool_info()
    return {library["num_threads"] for library in result if library["user_api"] == "blas"}


def test_the_limit_ends_with_the_last_block_that_asked_for_it():
    before = blas_threads()
    barrier = Barrier(2)
    seen = []

    def inside(wait_first):
        if wait_first:
            barrier.wait()
        with single_threaded_blas():
            if not wait_first:
                barrier.wait()
            seen.append(blas_threads())

    threads = [Thread(target=inside, args=(first,)) for first in (False, True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [{1}, {1}]
    assert blas_threads() == before


def test_openmp_is_limited_on_the_thread_that_asks_alone():
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads as openmp

    before, other = openmp(), []
    with openmp_threads(1):
        assert openmp() == 1
        thread = Thread(target=lambda: other.append(openmp()))
        thread.start()
        thread.join()
    assert openmp() == before
    assert other == [before]


def test_only_the_libraries_that_are_limited_get_their_threads_back():
    before = settings()
    change = lookalike.config(threads=1)  # of the process, until the block below takes it
    with single_threaded_blas(), openmp_threads(1), change:
        assert settings().threads == 1
    assert settings() == before
