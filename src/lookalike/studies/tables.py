"""Tables of a study, each made once for terminal, notebook, report and explorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from lookalike.studies.format import is_percentage, metric_title
from lookalike.studies.results import Candidate
from lookalike.table import ResultTable, TableColumn

VALIDATION_INTERVAL, HELD_OUT_INTERVAL = "validation 95% CI", "held-out 95% CI"
EQUAL, REMARK = "equal within noise", "remark"


def metric_code(metric: str) -> str:
    """Return the format code of an error rate or RMSE."""
    return "percent1" if is_percentage(metric) else "fixed4"


def leaderboard(candidates: Sequence[Candidate], winner: str | None, metric: str) -> ResultTable:
    """Return the models by validation error, then those that were not compared and why."""
    code, title = metric_code(metric), metric_title(metric)
    compared = [one for one in candidates if one.validation_error is not None]
    compared.sort(key=lambda one: float(one.validation_error or 0.0))
    listed = [*compared, *(one for one in candidates if one.validation_error is None)]
    columns = (
        TableColumn("model"),
        TableColumn(f"validation {title}", code),
        TableColumn(VALIDATION_INTERVAL, f"interval:{code}"),
        TableColumn(f"held-out {title}", code),
        TableColumn(HELD_OUT_INTERVAL, f"interval:{code}"),
        TableColumn(EQUAL, "flag"),
        TableColumn("hyperparameters"),
        TableColumn(REMARK),
    )
    rows = tuple(
        (
            one.title,
            one.validation_error,
            one.validation_interval,
            one.held_out_error,
            one.held_out_interval,
            _is_equal(one, winner),
            one.choices,
            "selected" if one.name == winner else one.skipped,
        )
        for one in listed
    )
    marked = next((place for place, one in enumerate(listed) if one.name == winner), None)
    return ResultTable(f"Models by validation {title}", columns, rows, marked)


def candidates_of(study: Mapping[str, Any]) -> list[Candidate]:
    """Return the candidates of study.json, also of one that another version wrote."""
    known = {one.name for one in fields(Candidate)}
    return [
        Candidate(**{name: value for name, value in one.items() if name in known})
        for one in study["candidates"]
    ]


def _is_equal(one: Candidate, winner: str | None) -> bool | None:
    """Return whether a model equals the winner within noise; None where that was not tested."""
    if one.name == winner or one.difference_interval is None:
        return None
    return one.equal_within_noise
