"""Panels of the study: each a table, and how a chart of it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ParameterError
from lookalike.studies.format import is_percentage, metric_title
from lookalike.studies.tables import VALIDATION_INTERVAL, candidates_of, leaderboard

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration_state import ExplorationState

Panel = dict[str, Any]


def panel(exploration: ExplorationState, name: str) -> Panel:
    """Return a panel by name: leaderboard, scree, learning_curve, confusion or columns."""
    if name not in PANELS_BY_NAME:
        raise ParameterError(
            f"There is no panel {name!r}. Give one of {', '.join(PANELS_BY_NAME)}."
        )
    if name == "confusion":
        return _confusion(exploration)
    if exploration.study is None:
        raise ParameterError("A model alone has no panels. Open the folder of a study.")
    return PANELS_BY_NAME[name](exploration.study)


def _metric(study: Mapping[str, Any]) -> str:
    scores = study["held_out"]
    return "error" if scores is None else str(scores["metric"])


def _shares(metric: str, value: str) -> list[str]:
    """Return the columns that are written in percent: errors of classes are, an RMSE is not."""
    return [value, "low", "high"] if is_percentage(metric) else []


def _leaderboard(study: Mapping[str, Any]) -> Panel:
    scoring = (study["held_out"] or {}).get("scoring", "")
    table = leaderboard(candidates_of(study), study["winner"], _metric(study), scoring)
    selected = None if table.marked is None else table.rows[table.marked][0]
    return {
        **table.to_dict(),
        "chart": {
            "kind": "bar", "label": "model", "value": table.names[1],
            "interval": VALIDATION_INTERVAL, "mark": selected,
        },
        "note": "Intervals of 95%. The validation error of the selected model is optimistic, as "
        "the best of several is; the held-out error is not.",
    }  # fmt: skip


def _scree(study: Mapping[str, Any]) -> Panel:
    spectrum = study["spectrum"]
    if spectrum is None:
        raise ParameterError("The study has no spectrum; its decisions say why.")
    share = np.array(spectrum["explained_variance_ratio"], float)
    rows = [
        [index + 1, float(component_share), float(total)]
        for index, (component_share, total) in enumerate(zip(share, np.cumsum(share), strict=True))
    ]
    rules = ", ".join(f"{name}: {kept}" for name, kept in spectrum["n_components_by_rule"].items())
    return {
        "title": "Share of variance by component",
        "columns": ["component", "share of variance", "cumulative"],
        "rows": rows,
        "chart": {"kind": "line", "x": "component", "y": ["share of variance", "cumulative"]},
        "shares": ["share of variance", "cumulative"],
        "note": f"Components that rules would keep: {rules}.",
    }


def _learning_curve(study: Mapping[str, Any]) -> Panel:
    curve = study["learning_curve"]
    if curve is None:
        raise ParameterError("The study has no learning curve; its decisions say why.")
    metric = metric_title(_metric(study))
    figures = (curve[name] for name in ("train_sizes", "error", "low", "high"))
    rows = [list(row) for row in zip(*figures, strict=True)]
    return {
        "title": "Learning curve of K neighbors",
        "columns": ["training rows", metric, "low", "high"],
        "rows": rows,
        "chart": {
            "kind": "line", "x": "training rows", "y": [metric], "low": "low", "high": "high",
            "log_x": True,
        },
        "shares": _shares(_metric(study), metric),
    }  # fmt: skip


def _columns(study: Mapping[str, Any]) -> Panel:
    importance = {one["name"]: one for one in study["feature_importance"]}
    rows = []
    for one in study["columns"]:
        known = importance.get(one["name"])
        rows.append(
            [
                one["name"],
                one["kind"],
                one["role"],
                one["missing"],
                one["distinct"],
                None if known is None else known["importance"],
                None if known is None else known["interval"][0],
                None if known is None else known["interval"][1],
                one["reason"],
            ]
        )
    rows.sort(key=lambda row: -(row[5] if row[5] is not None else float("-inf")))
    chart = None
    if any(row[5] is not None for row in rows):
        chart = {"kind": "bar", "label": "column", "value": "importance", "low": "low",
                 "high": "high"}  # fmt: skip
    return {
        "title": "Columns",
        "columns": ["column", "type", "role", "missing", "distinct", "importance", "low", "high",
                    "remark"],
        "rows": rows,
        "chart": chart,
        "note": "Permutation importance: by how much shuffling a column raises the error on "
        "held-out rows.",
    }  # fmt: skip


def _confusion(exploration: ExplorationState) -> Panel:
    """Return the confusion matrix of all rows as the page predicts them, so that cells open."""
    rows = exploration.rows
    if rows.code is None:
        raise ParameterError("There are no classes, so there is no confusion matrix.")
    predicted = exploration.predicted()
    known = (rows.code >= 0) & (predicted >= 0)
    counts = np.zeros((len(rows.classes), len(rows.classes)), np.int64)
    np.add.at(counts, (rows.code[known], predicted[known]), 1)
    names = rows.class_names
    return {
        "title": "Confusion matrix",
        "columns": ["true", *names],
        "rows": [[name, *line] for name, line in zip(names, counts.tolist(), strict=True)],
        "chart": {"kind": "matrix", "labels": names},
        "note": f"All {int(known.sum()):,} rows; predictions by {exploration.predicted_by}.",
    }


PANELS_BY_NAME: dict[str, Callable[[Mapping[str, Any]], Panel]] = {
    "leaderboard": _leaderboard,
    "scree": _scree,
    "learning_curve": _learning_curve,
    "confusion": lambda _: {},
    "columns": _columns,
}
