"""Memory that was freed goes back to the system."""

from __future__ import annotations

import ctypes

import numpy as np

from lookalike.workers import heap
from lookalike.workers.heap import release_free_memory


def test_freed_memory_below_memory_in_use_is_handed_back(monkeypatch):
    heap._malloc_trim.cache_clear()
    called = []

    class Library:
        def malloc_trim(self, left):
            called.append(left)
            return 1

    monkeypatch.setattr(ctypes, "CDLL", lambda _: Library())
    release_free_memory()
    heap._malloc_trim.cache_clear()
    assert called == [0]


def test_a_library_that_cannot_be_asked_keeps_its_memory(monkeypatch):
    heap._malloc_trim.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    release_free_memory()
    heap._malloc_trim.cache_clear()


def test_arrays_in_use_stay_as_they_are():
    parts = [np.full(1000, number) for number in range(100)]
    del parts[::2]
    release_free_memory()
    assert [part[0] for part in parts] == list(range(1, 100, 2))
