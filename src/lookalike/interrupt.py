"""Long calls into libraries that do not hear Ctrl-C, made so that it need not wait for them."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")

MAX_UNINTERRUPTED_STEPS = 512**3  # steps: a square matrix of 512 rows is decomposed in a moment
SIGNAL_POLL_SECONDS = 0.1  # where waiting itself does not notice signals


def interruptible(function: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Result:
    """Return what `function` returns; Ctrl-C raises at once, and the call ends unheard.

    Python hears signals on its main thread between two of its own steps, and LAPACK takes none
    for as long as it works. The call is therefore made on another thread while the main one
    waits, which changes nothing about its result. Small matrices, and callers that are not the
    main thread, take no other thread.

    Parameters
    ----------
    function : callable
        One that releases the lock of the interpreter, and whose result is dropped without harm.
    *args, **kwargs
        Its arguments, the matrices among those without a name.
    """
    small = _cost([getattr(part, "shape", (0,)) for part in args]) <= MAX_UNINTERRUPTED_STEPS
    if small or threading.current_thread() is not threading.main_thread():
        return function(*args, **kwargs)
    results = []
    failures: list[BaseException] = []
    ended = threading.Event()

    def call() -> None:
        try:
            results.append(function(*args, **kwargs))
        except BaseException as failure:  # raised again where it is waited for
            failures.append(failure)
        finally:
            ended.set()

    # The process waits for it before it ends: libraries free what the call still uses.
    thread = threading.Thread(target=copy_context().run, args=(call,), daemon=False)
    try:
        thread.start()
    except RuntimeError:  # the system starts no more threads
        return function(*args, **kwargs)
    while not ended.wait(SIGNAL_POLL_SECONDS):
        pass
    if failures:
        raise failures[0]
    result: Result = results[0]
    return result


def _cost(shapes: Sequence[tuple[int, ...]]) -> int:
    """Return about how many steps matrices take; a vector counts as the matrix that it is of."""
    longest = max((side for shape in shapes for side in shape), default=0)
    return longest * sum(
        math.prod(shape) if len(shape) > 1 else sum(shape) ** 2 for shape in shapes
    )
