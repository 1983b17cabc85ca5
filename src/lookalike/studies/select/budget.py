"""How much time a study may take, where it goes, and what does not fit."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lookalike.engines.heap import release_free_memory
from lookalike.errors import ParameterError
from lookalike.progress import progress
from lookalike.studies.results import NOT_BEGUN

AGAIN = 0.25  # seconds after which work that did not stop is interrupted again
MUCH_WORK = 0.5  # seconds after which memory is handed back, in some milliseconds
UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


class TimeOver(BaseException):
    """Raised inside work whose time is over; no model takes it for an error of its own."""


class Budget:
    """The seconds allowed (None: as long as it takes), and the seconds spent on each stage."""

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self.stages: dict[str, float] = {}
        self._on_top = 0.0
        self._start = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the study began."""
        return time.monotonic() - self._start

    def put_on_top(self, name: str) -> None:
        """Let the seconds of a stage come on top of the limit."""
        self._on_top += self.stages.get(name, 0.0)

    def deadline(self, share: float = 1.0, parts: int = 1) -> Deadline:
        """Return when `share` of the limit is spent, or the first of `parts` until then."""
        if self.limit is None:
            return Deadline(None)
        left = max(share * self.limit - self.seconds + self._on_top, 0.0)
        return Deadline(time.monotonic() + left / parts)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the seconds of the block under `name`, and report them as progress."""
        begin = time.monotonic()
        try:
            with progress(name, 1) as advance:
                yield
                advance(1)
        finally:
            spent = time.monotonic() - begin
            self.stages[name] = self.stages.get(name, 0.0) + spent
            release_after(spent)


class Deadline:
    """A moment after which work is stopped; None: never."""

    def __init__(self, moment: float | None) -> None:
        self._moment = moment

    @property
    def left(self) -> float:
        """Seconds that are left, infinite without a moment."""
        if self._moment is None:
            return float("inf")
        return max(self._moment - time.monotonic(), 0.0)

    def within(self, seconds: float) -> Deadline:
        """Return the moment after these seconds, or this one where it comes first."""
        return self if self.left <= seconds else Deadline(time.monotonic() + seconds)

    def no_sooner_than(self, seconds: float) -> Deadline:
        """Return the moment after these seconds, or this one where it comes later."""
        return self if self.left >= seconds else Deadline(time.monotonic() + seconds)

    def refuses(self, expected: float) -> str:
        """Return why work of `expected` seconds does not fit, or ""."""
        left = self.left
        if left > 0 and expected <= left:
            return ""
        digits = 1 if expected < 10 else 0
        return f"would take about {expected:.{digits}f} s, and {left:.{digits}f} s {NOT_BEGUN}"

    @contextmanager
    def enforced(self) -> Iterator[None]:
        """Raise TimeOver inside the block when the moment is there.

        A timer of the process does it, as long as the caller is the main thread and has no timer
        of its own; otherwise the block runs to its end.
        """
        if self._moment is None or not _timer_is_free():
            yield
            return
        before = signal.signal(signal.SIGALRM, _time_over)
        try:
            try:  # again and again: an exception inside a callback may be lost
                signal.setitimer(signal.ITIMER_REAL, max(self.left, 1e-3), AGAIN)
                yield
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
        finally:  # the timer may have struck again before it was stopped
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)


def _timer_is_free() -> bool:
    main = threading.current_thread() is threading.main_thread()
    return main and hasattr(signal, "setitimer") and not any(signal.getitimer(signal.ITIMER_REAL))


def _time_over(number: int, frame: object) -> None:  # noqa: ARG001 - as signals call
    raise TimeOver


def release_after(seconds: float) -> None:
    """Hand freed memory back to the system after work that took so long, if that is not little."""
    if seconds >= MUCH_WORK:
        release_free_memory()


def parse_seconds(time_limit: str | float | None) -> float | None:
    """Return the seconds that ``"5m"``, ``"90s"``, ``"1h"`` or a number mean.

    Examples
    --------
    >>> parse_seconds("5m"), parse_seconds(90), parse_seconds("none")
    (300.0, 90.0, None)
    """
    if time_limit is None or str(time_limit).lower() == "none":
        return None
    match = re.fullmatch(r"\s*([0-9.]+)\s*(s|m|min|h|)\s*", str(time_limit).lower())
    try:
        seconds = float(match[1]) * UNITS[match[2]] if match else 0.0
    except ValueError:
        seconds = 0.0
    if seconds <= 0:
        raise ParameterError(
            f"time={time_limit!r} is no length of time. Give for example '5m', or 'none'."
        )
    return seconds
