"""How much time a study may take, where it goes, and what does not fit."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from lookalike.errors import ParameterError
from lookalike.progress import progress, report_step
from lookalike.studies.results import NOT_BEGUN
from lookalike.workers.heap import release_free_memory

RELEASE_SECONDS = 0.5  # of work after which memory is handed back, in some milliseconds
MIN_SECONDS_OF_PACE = 0.05  # of computing, before it says how fast the machine is
TIME_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


_counted_from: ContextVar[float | None] = ContextVar("counted_from", default=None)


class TimeOver(BaseException):
    """Raised where work whose time is over may stop; no model takes it for its own error."""


class Budget:
    """The seconds allowed (None: as long as it takes), and the seconds spent on each stage.

    They count from now on, or from the moment of `count_from`.
    """

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self.stages: dict[str, float] = {}
        self._on_top = 0.0
        begin = _counted_from.get()
        self._start = time.monotonic() if begin is None else begin
        self._computed = self._computing = 0.0  # on the clock, and of the processor

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

    @property
    def pace(self) -> float:
        """Seconds on the clock that a second of computing took so far: more where others compute.

        Work whose seconds on a quiet machine are known is expected to take as many times these.
        """
        if self._computing < MIN_SECONDS_OF_PACE:
            return 1.0
        return max(self._computed / self._computing, 1.0)

    @contextmanager
    def stage(self, name: str, *, waits: bool = False) -> Iterator[None]:
        """Count the seconds of the block under `name`, and report them as progress.

        A block that waits, for a file or for other processes, does not say how fast this one is.
        """
        begin, cpu_begin = time.monotonic(), time.process_time()
        report_step(name)
        try:
            with progress(name, 1) as advance:
                yield
                advance(1)
        finally:
            spent = time.monotonic() - begin
            self.stages[name] = self.stages.get(name, 0.0) + spent
            if not waits:
                self._computed += spent
                self._computing += time.process_time() - cpu_begin
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

    def refuses(self, expected: float) -> str:
        """Return why work of `expected` seconds does not fit, or ""."""
        left = self.left
        if left > 0 and expected <= left:
            return ""
        digits = 1 if expected < 10 else 0
        return f"would take about {expected:.{digits}f} s, and {left:.{digits}f} s {NOT_BEGUN}"

    def check(self) -> None:
        """Raise TimeOver when the moment is there: called where work may stop soundly."""
        if self.left <= 0:
            raise TimeOver


@contextmanager
def count_from(moment: float | None) -> Iterator[None]:
    """Let the time of studies in the block count from a moment of the clock; None: their begin."""
    token = _counted_from.set(moment)
    try:
        yield
    finally:
        _counted_from.reset(token)


def release_after(seconds: float) -> None:
    """Hand freed memory back to the system after work that took so long, if that is not little."""
    if seconds >= RELEASE_SECONDS:
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
        seconds = float(match[1]) * TIME_UNITS[match[2]] if match else 0.0
    except ValueError:
        seconds = 0.0
    if seconds <= 0:
        raise ParameterError(
            f"time={time_limit!r} is not a length of time. Give for example '5m', or 'none'."
        )
    return seconds
