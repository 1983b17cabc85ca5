"""What `lookalike study` prints: six lines, five models, and the commands that come next."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from lookalike.cli.output import draw_table, print_lines
from lookalike.studies.format import count
from lookalike.studies.overview import (
    actions,
    complete_command,
    left_out_rows,
    selection_note,
    skipped_work,
    verdict,
)
from lookalike.studies.results import Study
from lookalike.studies.tables import EQUAL_COLUMN, REMARK_COLUMN, VALIDATION_INTERVAL, leaderboard
from lookalike.table import ResultTable

MAX_MODELS_PRINTED = 5


def print_summary(study: Study, folder: Path, *, everything: bool = False) -> None:
    """Print the verdict, what to do next, the first models and where the report is.

    `everything` prints all findings and all models.
    """
    shape = study.shape
    size = f"{count(shape.n_rows, 'row')}, {count(shape.n_columns, 'column')}"
    name = "target" if study.target is None else study.target.name
    target = f" of {name}" if name != "target" else ""
    left_out = "".join(f" ({one})" for one in left_out_rows(study))
    print_lines([f"{study.title}: {size}, {study.task}{target}{left_out}"], "bold")
    print_lines([verdict(study)], "bold green")
    if skipped := skipped_work(study):
        print_lines([f"{skipped} All of it: {complete_command(study)}"], "yellow")
    print_lines((f"→ {action.text}" for action in actions(study)), "cyan")
    if everything:
        print_lines(f"• {finding.text}" for finding in study.summary)
    hidden = 0
    if study.candidates:
        models = _models(study, everything=everything)
        shown = models if everything else _first_models(models)
        hidden = len(models.rows) - len(shown.rows)
        draw_table(shown)
    if note := selection_note(study):
        print_lines([f"Of the selected model: {note[:1].lower()}{note[1:]}"], "dim")
    if hidden:
        print_lines([f"{count(hidden, 'more model')}, in the report or by --all"], "dim")
    print_lines([f"Report: {folder / 'report.html'}", *_next_commands(folder)])


def _models(study: Study, *, everything: bool) -> ResultTable:
    """Return the leaderboard; without hyperparameters, a model fits a line of a terminal."""
    metric, scoring = "error", ""
    if study.held_out is not None:
        metric, scoring = study.held_out.metric, study.held_out.scoring
    table = leaderboard(study.candidates, study.winner, metric, scoring)
    validation, held_out = table.names[1], table.names[3]
    by_score = table.names[5 : table.names.index(EQUAL_COLUMN)]  # where a score was asked for
    if not everything:
        return table.take(
            "model", validation, VALIDATION_INTERVAL, *by_score, EQUAL_COLUMN, REMARK_COLUMN
        )
    return table.take(
        "model", validation, held_out, *by_score, EQUAL_COLUMN, "hyperparameters", REMARK_COLUMN
    )


def _first_models(table: ResultTable) -> ResultTable:
    """Return the first models of the table, with the selected one among them."""
    places = list(range(min(len(table.rows), MAX_MODELS_PRINTED)))
    if table.marked is not None and table.marked not in places:
        places[-1] = table.marked
    marked = None if table.marked is None else places.index(table.marked)
    return replace(table, rows=tuple(table.rows[index] for index in places), marked=marked)


def _next_commands(folder: Path) -> list[str]:
    """Return the commands that show the rows and, where a model was kept, predict new ones."""
    model = folder / "model.lookalike"
    commands = [f"lookalike serve {shlex.quote(str(folder))}"]
    if model.is_file():
        commands.append(f"lookalike predict {shlex.quote(str(model))} NEW_ROWS.csv")
    return [f"Next: {command}" for command in commands]
