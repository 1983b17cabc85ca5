"""Work that is spread over the threads of a call."""

import threading

import pytest

from lookalike import config
from lookalike.engines.local import in_threads
from lookalike.settings import settings


def test_results_come_in_the_order_of_the_items():
    with config(threads=3):
        assert list(in_threads(lambda item: item**2, range(20))) == [item**2 for item in range(20)]


def test_no_more_threads_work_than_the_call_was_given():
    names = set()
    both = threading.Barrier(2, timeout=60)

    def work(_):
        names.add(threading.current_thread().name)
        both.wait()

    with config(threads=2):
        list(in_threads(work, range(6)))
    assert len(names) == 2
    caller = in_threads(lambda _: threading.current_thread(), range(3), threads=1)
    assert set(caller) == {threading.current_thread()}


def test_threads_work_with_the_settings_of_the_block():
    with config(threads=2, memory="123MB"):
        assert list(in_threads(lambda _: settings().memory, range(4))) == [123_000_000] * 4


def test_an_error_of_an_item_is_that_of_the_call():
    with config(threads=2), pytest.raises(ZeroDivisionError):
        list(in_threads(lambda item: 1 / item, [1, 0, 2]))
