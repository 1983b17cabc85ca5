"""One BLAS thread per task: engines spread the chunks, so the BLAS must not spread again."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import threadpoolctl

_lock = threading.Lock()
_inside = 0
_limit: Any = None
_found: tuple[int, Any] = (0, None)  # modules loaded when the libraries were looked for, and these


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Limit the BLAS to one thread until the last block that asked for it has ended.

    The limit is one of the whole process, so blocks of several threads share it. It also fixes
    the bits: a product summed by two BLAS threads may round differently.
    """
    global _inside, _limit  # noqa: PLW0603 - counts the blocks that are open
    with _lock:
        if _inside == 0:
            _limit = _libraries().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.restore_original_limits()
                _limit = None


def _libraries() -> Any:
    """Return the thread pools of the process, looked for again once other modules are loaded."""
    global _found  # noqa: PLW0603 - the search takes milliseconds
    if _found[0] != len(sys.modules):
        _found = (len(sys.modules), threadpoolctl.ThreadpoolController())
    return _found[1]
