"""`lookalike study`: a tuned model, its held-out error, an audit and a report in one command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import ColumnOptions, Data, Seed, Target, Time
from lookalike.printable import printable

if TYPE_CHECKING:
    from lookalike.studies.results import Study

Task = Annotated[str, typer.Option(help="auto, classification, regression or exploratory.")]
Test = Annotated[str | None, typer.Option(help="A file of test rows.")]
Split = Annotated[
    str | None,
    typer.Option(
        help="The column that marks rows as train or test; time:COLUMN holds out the latest fifth."
    ),
]
Groups = Annotated[
    str | None, typer.Option(help="The column of rows that belong together and are never split.")
]
Scoring = Annotated[
    str,
    typer.Option(
        help="What models are selected by: error, balanced_accuracy, f1, auc, log_loss; rmse, "
        "mae, r2; auto is error or rmse."
    ),
]
Metric = Annotated[str, typer.Option(help="The distance, for example cosine or gower.")]
Memory = Annotated[str | None, typer.Option(help="Memory budget, for example 2GB.")]
Engine = Annotated[str, typer.Option(help="auto, memory or dask.")]
Scheduler = Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Folder for the report and files; default: NAME_study. - prints JSON alone.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the study as JSON.")]


def study(
    data: Data,
    *,
    target: Target = None,
    task: Task = "auto",
    test: Test = None,
    split: Split = None,
    groups: Groups = None,
    scoring: Scoring = "auto",
    columns: ColumnOptions,
    metric: Metric = "auto",
    memory: Memory = None,
    time: Time = "5m",
    seed: Seed = 0,
    engine: Engine = "auto",
    scheduler: Scheduler = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Study DATA: tune and compare models, evaluate the best on held-out rows, audit the rows.

    Example: lookalike study digits

    Example: lookalike study adult.csv.gz --target income --split split --time 3m

    Example: lookalike study faces/ --out faces_study
    """
    from lookalike.cli.destination import is_standard_output
    from lookalike.cli.load_data import print_suggested_target
    from lookalike.cli.options import file_options
    from lookalike.progress import listening
    from lookalike.report.write_study import require_free, write_study
    from lookalike.studies.study import study as run_study

    folder = _folder(data) if out is None else out
    no_folder = is_standard_output(folder)
    if not no_folder:
        require_free(folder)
    with listening(_RoundPrinter()):
        result = run_study(
            data,
            target=target,
            task=task,
            test=test,
            split=split,
            groups=groups,
            scoring=scoring,
            drop=columns.drop or (),
            text=columns.text,
            metric=metric,
            dialect=file_options(),
            memory=memory,
            time=time,
            seed=seed,
            engine=engine,
            scheduler=scheduler,
        )
    if result.target is None and task == "auto":
        print_suggested_target(result.columns, result.shape.n_rows)
    if not no_folder:
        write_study(result, folder)
    if json or no_folder:
        typer.echo(result.to_json(), nl=False)
    else:
        _print_summary(result, folder)


class _RoundPrinter:
    """Prints a line after each round of models, where no progress bar is drawn."""

    def __init__(self) -> None:
        self._rounds = 0

    def __call__(self, label: str, done: int, total: int | None) -> None:
        from lookalike.cli.output import print_stderr

        if label == "models" and done == total and not sys.stderr.isatty():
            self._rounds += 1
            print_stderr(f"{done} models compared, round {self._rounds}", "none")


def _folder(data: str) -> Path:
    name = "stdin" if data == "-" else printable(Path(data).name.split(".")[0]) or "data"
    return Path(f"{name}_study")


def _print_summary(study: Study, folder: Path) -> None:
    """Print the findings, the models and the path of the report."""
    from lookalike.cli.output import print_lines
    from lookalike.studies.format import count

    shape = study.shape
    size = f"{count(shape.n_rows, 'row')}, {count(shape.n_columns, 'column')}"
    print_lines([f"{study.title}: {size}, {study.task}"])
    print_lines(f"• {finding.text}" for finding in study.summary)
    if study.candidates:
        _print_models(study)
    print_lines([f"Report: {folder / 'report.html'}"])


def _print_models(study: Study) -> None:
    from lookalike.cli.output import print_table
    from lookalike.studies.format import score

    metric = study.held_out.metric if study.held_out is not None else "error"
    lines = []
    for one in sorted(
        study.candidates, key=lambda one: (one.validation_error is None, one.validation_error)
    ):
        if one.validation_error is None:
            lines.append((one.title, one.skipped, "not compared", ""))
            continue
        error = score(metric, one.validation_error)
        name = f"{one.title} (selected)" if one.name == study.winner else one.title
        held_out = "" if one.held_out_error is None else score(metric, one.held_out_error)
        lines.append((name, one.choices, error, held_out))
    title = "Models by validation error"
    head = ("model", "hyperparameters", "validation error", "held-out error")
    print_table(title, head, lines)
