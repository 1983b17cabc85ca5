"""How much time a study may take, where it goes, and what does not fit."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lookalike.errors import ParameterError
from lookalike.progress import progress

UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


class Budget:
    """The seconds allowed (None: as long as it takes), and the seconds spent on each stage."""

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self.stages: dict[str, float] = {}
        self._start = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the study began."""
        return time.monotonic() - self._start

    def left(self) -> float:
        """Return the seconds left, infinite without a limit."""
        return float("inf") if self.limit is None else self.limit - self.seconds

    def refuses(self, expected: float, share: float = 1.0) -> str:
        """Return why work of `expected` seconds does not fit `share` of what is left, or ""."""
        allowed = share * self.left()
        if expected <= max(allowed, 0.0):
            return ""
        return f"about {expected:.0f} s of work do not fit the time left of {self.limit:.0f} s"

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the seconds of the block under `name`, and tell of them as progress."""
        begin = time.monotonic()
        with progress(name, 1) as advance:
            yield
            advance(1)
        self.stages[name] = self.stages.get(name, 0.0) + time.monotonic() - begin


def parse_seconds(time_limit: str | float | None) -> float | None:
    """Return the seconds that ``"5m"``, ``"90s"``, ``"1h"`` or a number stand for.

    Examples
    --------
    >>> parse_seconds("5m"), parse_seconds(90), parse_seconds(None)
    (300.0, 90.0, None)
    """
    if time_limit is None:
        return None
    found = re.fullmatch(r"\s*([0-9.]+)\s*(s|m|min|h|)\s*", str(time_limit).lower())
    try:
        seconds = float(found[1]) * UNITS[found[2]] if found else 0.0
    except ValueError:
        seconds = 0.0
    if seconds <= 0:
        raise ParameterError(f"time={time_limit!r} is no length of time. Give such as '5m'.")
    return seconds
