"""Threads of the BLAS and of OpenMP: engines spread the chunks, so these must not spread again."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import threadpoolctl

_lock = threading.Lock()
_inside = 0
_limit: Any = None


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Limit the BLAS to one thread until the last of these blocks has ended.

    The limit is one of the whole process, so blocks of several threads share it. It also fixes
    the bits: a product summed by two BLAS threads may round differently.
    """
    global _inside, _limit  # noqa: PLW0603 - counts the blocks that are open
    with _lock:
        if _inside == 0:
            _take_control()
            _limit = _libraries("blas", len(sys.modules)).limit(limits=1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _take_control()  # the block that ends last need not be the one that began
                _limit.restore_original_limits()
                _limit = None


@contextmanager
def openmp_threads(threads: int) -> Iterator[None]:
    """Limit what this thread calls in the block to this many threads of OpenMP.

    The limit is one of the calling thread alone. Threads of OpenMP that wait for each other keep
    their cores busy: of little work, on a machine that does other work, most of the time is lost.
    """
    with _libraries("openmp", len(sys.modules)).limit(limits=threads):
        yield


@functools.lru_cache(maxsize=2)
def _libraries(api: str, n_modules: int) -> threadpoolctl.ThreadpoolController:  # noqa: ARG001 - key
    """Return the libraries of an interface that are loaded, those alone whose limits may change.

    Finding them takes 3 ms, and more come with modules alone, whose number is part of the key.
    """
    return threadpoolctl.ThreadpoolController().select(user_api=api)


def _take_control() -> None:
    """Let this thread set the limit: threadpoolctl 3.8 listens to the first that did."""
    clear = getattr(threadpoolctl.OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
