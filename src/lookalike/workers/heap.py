"""Memory that was freed goes back to the system, where the C library would keep it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache


def release_free_memory() -> None:
    """Hand freed memory back to the system.

    The allocator of glibc keeps what was freed below memory that is still in use, and models that
    are fitted one after the other leave hundreds of megabytes so. Other C libraries hand it back
    themselves, or cannot be asked to.
    """
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):  # Windows has no such library
        return None
    return getattr(library, "malloc_trim", None)
