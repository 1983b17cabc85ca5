"""The evidence of a sentence: every figure in it, and its place in study.json."""

from __future__ import annotations

from lookalike.studies.format import Interval, count, interval, percent, score
from lookalike.studies.results import Finding


class StatedFigures:
    """Collects the figures of a sentence while it is written.

    Examples
    --------
    >>> say = StatedFigures()
    >>> f"error {say('held_out.error', '1.9%')}", say.figures
    ('error 1.9%', {'held_out.error': '1.9%'})
    """

    def __init__(self) -> None:
        self.figures: dict[str, str] = {}

    def __call__(self, path: str, text: str) -> str:
        """Return `text`, which states the figure at `path` of study.json."""
        self.figures[path] = text
        return text

    def count(self, path: str, amount: float, one: str = "", many: str | None = None) -> str:
        """Return a number of things with its noun."""
        text = count(amount, one, many)
        self.figures[path] = count(amount)
        return text

    def share(self, path: str, value: float) -> str:
        """Return a share as a percentage."""
        return self(path, percent(value))

    def score(self, path: str, metric: str, value: float) -> str:
        """Return a score as text."""
        return self(path, score(metric, value))

    def interval(self, path: str, metric: str, ends: Interval) -> str:
        """Return an interval as text."""
        return self(path, interval(metric, ends))

    def estimate(
        self, metric: str, value: tuple[str, float], ends: tuple[str, Interval], n: tuple[str, int]
    ) -> str:
        """Return a score with its 95% interval and number of rows, each given with its path."""
        return (
            f"{self.score(value[0], metric, value[1])} (95% CI "
            f"{self.interval(ends[0], metric, ends[1])}, n = {self.count(*n)})"
        )

    def finding(self, topic: str, text: str) -> Finding:
        """Return the sentence with its evidence."""
        return Finding(topic, text, dict(self.figures))
