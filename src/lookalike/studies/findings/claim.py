"""Claims: sentences of a study, each of a kind that says what makes it true.

A kind is a function from a study to its text or None, registered by :func:`claim` with the rows and
the model that it speaks of (scope) and how its figures were computed (method). Figures are read
from their places in study.json, so that a sentence cannot state another number.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.studies.format import count, interval, metric_title, percent, score
from lookalike.studies.results import Finding, Study

HELD_OUT = "kept model, held-out rows"  # the scope of most claims


@dataclass(frozen=True)
class Claim:
    """A sentence with the figures in it, each by its place in study.json."""

    text: str
    figures: dict[str, str]


Statement = Callable[[Study], Claim | None]


@dataclass(frozen=True)
class ClaimKind:
    """What all claims of a kind have in common."""

    kind: str
    topic: str  # the section of the report that shows the figures
    scope: str
    method: str
    state: Statement

    def finding(self, study: Study) -> Finding | None:
        """Return the claim as the summary holds it."""
        stated = self.state(study)
        if stated is None:
            return None
        return Finding(self.topic, stated.text, stated.figures, self.kind, self.scope, self.method)


CLAIM_KINDS: dict[str, ClaimKind] = {}


def claim(
    kind: str, *, scope: str, method: str, topic: str = ""
) -> Callable[[Callable[[Study, Figures], str | None]], Statement]:
    """Register a function that writes sentences of a kind; it then returns a claim or None."""

    def register(compose: Callable[[Study, Figures], str | None]) -> Statement:
        @functools.wraps(compose)
        def state(study: Study) -> Claim | None:
            figures = Figures(study)
            text = compose(study, figures)
            return Claim(text, figures.stated_in(text)) if text else None

        CLAIM_KINDS[kind] = ClaimKind(kind, topic or kind, scope, method, state)
        return state

    return register


class Figures:
    """Writes figures of a study by their places in study.json, and keeps which were written."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.stated: dict[str, str] = {}

    def value(self, path: str) -> Any:
        """Return what is at a place of study.json: names of fields, keys and indices, by dots."""
        value: Any = self.study
        steps = path.split(".")
        while steps:
            if isinstance(value, Mapping):  # a key may have dots
                return value[".".join(steps)]
            step = steps.pop(0)
            by_index = isinstance(value, (tuple, list, np.ndarray)) and step.isdigit()
            value = value[int(step)] if by_index else getattr(value, step)
        return value

    def text(self, path: str, text: str) -> str:
        """Return `text`, which states the figures at `path` (or at several, separated by |)."""
        self.stated[path] = text
        return text

    def fixed(self, path: str, digits: int) -> str:
        """Return a number with as many decimals, or an interval of two."""
        value = self.value(path)
        ends = value if isinstance(value, tuple) else (value,)
        return self.text(path, "–".join(f"{float(end):.{digits}f}" for end in ends))

    def count(self, path: str, one: str = "", many: str | None = None) -> str:
        """Return a number of things with its noun."""
        amount = self.value(path)
        self.stated[path] = count(amount)
        return count(amount, one, many)

    def percent(self, path: str) -> str:
        """Return a share as a percentage."""
        return self.text(path, percent(self.value(path)))

    def score(self, path: str, metric: str = "") -> str:
        """Return a score as text, that of the study unless another is named."""
        return self.text(path, score(metric or self.metric, float(self.value(path))))

    def interval(self, path: str, metric: str = "") -> str:
        """Return an interval as text."""
        return self.text(path, interval(metric or self.metric, self.value(path)))

    def estimate(
        self,
        path: str,
        names: tuple[str, str, str] = ("error", "interval", "n_rows"),
        metric: str = "",
    ) -> str:
        """Return a score with its 95% interval and number of rows, fields of what is at `path`."""
        value, ends, n_rows = (f"{path}.{name}" for name in names)
        return (
            f"{self.score(value, metric)} (95% CI {self.interval(ends, metric)}, "
            f"n = {self.count(n_rows)})"
        )

    def stated_in(self, text: str) -> dict[str, str]:
        """Return the figures that the sentence has; others were looked at alone."""
        return {path: figure for path, figure in self.stated.items() if figure in text}

    @property
    def metric(self) -> str:
        """The metric of the study: "error" or "rmse"."""
        return "error" if self.study.held_out is None else self.study.held_out.metric

    @property
    def title(self) -> str:
        """The metric of the study as it is written in a sentence."""
        return metric_title(self.metric)
