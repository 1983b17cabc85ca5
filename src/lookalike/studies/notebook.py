"""A study as a notebook shows it: the summary, the leaderboard, and a plot of the errors."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lookalike.printable import printable
from lookalike.studies.format import Interval, interval
from lookalike.studies.tables import EQUAL, leaderboard

if TYPE_CHECKING:
    from lookalike.studies.results import Candidate, Study

WIDTH, LINE, LABEL = 640, 22, 260  # pixels


def study_html(study: Study) -> str:
    """Return the summary in sentences, the models by validation error, and a plot of them."""
    items = "".join(f"<li>{_text(finding.text)}</li>" for finding in study.summary)
    parts = [f"<h3>{_text(study.title)}</h3><ul>{items}</ul>"]
    known = [one for one in study.candidates if one.validation_error is not None]
    known.sort(key=lambda one: float(one.validation_error or 0.0))
    if known:
        metric = study.held_out.metric if study.held_out is not None else "error"
        table = leaderboard(known, study.winner, metric)
        shown = table.take("model", "hyperparameters", table.names[1], table.names[3], EQUAL)
        parts += [shown.to_html(), _plot(study, known, metric)]
    return "".join(parts)


def _plot(study: Study, candidates: list[Candidate], metric: str) -> str:
    """Return the validation errors, and the winner's held-out error, with 95% intervals."""
    blue, red = "#1f77b4", "#d62728"
    marks = [(one.title, _error(one), blue) for one in candidates]
    held_out = study.held_out
    if held_out is not None:
        title = f"held-out, selected model: {interval(metric, held_out.interval)}"
        marks.append((title, (held_out.error, held_out.interval), red))
    most = max(high for _, (_, (_, high)), _ in marks)
    scale = (WIDTH - LABEL - 20) / (most or 1.0)
    lines = [
        _line(place, title, error, scale, color)
        for place, (title, error, color) in enumerate(marks)
    ]
    height = LINE * len(lines) + 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" role="img" '
        f'aria-label="validation errors of the models">{"".join(lines)}</svg>'
    )


def _error(candidate: Candidate) -> tuple[float, Interval]:
    error = float(candidate.validation_error or 0.0)
    return error, candidate.validation_interval or (error, error)


def _line(place: int, title: str, error: tuple[float, Interval], scale: float, color: str) -> str:
    value, ends = error
    y = LINE * place + LINE // 2 + 5
    low, high, dot = (LABEL + scale * float(end) for end in (*ends, value))
    return (
        f'<text x="{LABEL - 8}" y="{y + 4}" text-anchor="end" font-size="12">{_text(title)}</text>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" stroke="{color}" '
        f'stroke-width="2"/><circle cx="{dot:.1f}" cy="{y}" r="4" fill="{color}"/>'
    )


def _text(text: str) -> str:
    return escape(printable(text))
