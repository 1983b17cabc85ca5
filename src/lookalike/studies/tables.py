"""Tables of a study, each made once for terminal, notebook, report and explorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from lookalike.studies.format import metric_code, metric_title
from lookalike.studies.results import Candidate
from lookalike.studies.scoring import KNOWN_SCORINGS
from lookalike.table import ResultTable, TableColumn

VALIDATION_INTERVAL, HELD_OUT_INTERVAL = "validation 95% CI", "held-out 95% CI"
EQUAL_COLUMN, REMARK_COLUMN = "equal within noise", "remark"


def selection_loss(candidate: Candidate, scoring: str) -> float:
    """Return what models were selected by, the lower the better: the error or a score."""
    if scoring in KNOWN_SCORINGS and candidate.validation_score is not None:
        return KNOWN_SCORINGS[scoring].loss(candidate.validation_score)
    return float(candidate.validation_error or 0.0)


def rank(candidates: Sequence[Candidate], scoring: str) -> list[Candidate]:
    """Return the models that were compared, by what they were selected by, the best first."""
    compared = [candidate for candidate in candidates if candidate.validation_error is not None]
    return sorted(compared, key=lambda candidate: selection_loss(candidate, scoring))


def leaderboard(
    candidates: Sequence[Candidate], winner: str | None, metric: str, scoring: str = ""
) -> ResultTable:
    """Return the models, the best first, then those that were not compared and why.

    Where a score was asked for, it is the order and has a column.
    """
    code, title = metric_code(metric), metric_title(metric)
    by_score = scoring not in ("", metric)
    order = metric_title(scoring) if by_score else title
    others = [candidate for candidate in candidates if candidate.validation_error is None]
    listed = [*rank(candidates, scoring), *others]
    columns = (
        TableColumn("model"),
        TableColumn(f"validation {title}", code),
        TableColumn(VALIDATION_INTERVAL, f"interval:{code}"),
        TableColumn(f"held-out {title}", code),
        TableColumn(HELD_OUT_INTERVAL, f"interval:{code}"),
        *([TableColumn(f"validation {order}", metric_code(scoring))] if by_score else []),
        TableColumn(EQUAL_COLUMN, "flag"),
        TableColumn("hyperparameters"),
        TableColumn(REMARK_COLUMN),
    )
    rows = tuple(
        (
            candidate.title,
            candidate.validation_error,
            candidate.validation_interval,
            candidate.held_out_error,
            candidate.held_out_interval,
            *([candidate.validation_score] if by_score else []),
            _is_equal(candidate, winner),
            candidate.choices,
            "selected" if candidate.name == winner else candidate.skipped,
        )
        for candidate in listed
    )
    marked = next(
        (index for index, candidate in enumerate(listed) if candidate.name == winner), None
    )
    return ResultTable(f"Models by validation {order}", columns, rows, marked)


def candidates_of(study: Mapping[str, Any]) -> list[Candidate]:
    """Return the candidates of study.json, also of one that another version wrote."""
    known = {one.name for one in fields(Candidate)}
    return [
        Candidate(**{name: value for name, value in one.items() if name in known})
        for one in study["candidates"]
    ]


def _is_equal(candidate: Candidate, winner: str | None) -> bool | None:
    """Return whether a model equals the winner within noise; None where that was not tested."""
    if candidate.name == winner or candidate.difference_interval is None:
        return None
    return candidate.equal_within_noise
