"""`lookalike study`: a tuned baseline, a verdict, an audit and a model from one command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import Data

if TYPE_CHECKING:
    from lookalike.cli.output import Sheet
    from lookalike.studies.results import Study

Target = Annotated[str | None, typer.Option(help="The column that is to be told.")]
Task = Annotated[str, typer.Option(help="auto, classification, regression or exploratory.")]
Test = Annotated[str | None, typer.Option(help="A file of rows to be judged on.")]
Split = Annotated[str | None, typer.Option(help="The column that says train or test.")]
Text = Annotated[str | None, typer.Option(help="The column that holds documents.")]
Metric = Annotated[str, typer.Option(help="How rows are compared, such as cosine or gower.")]
Memory = Annotated[str | None, typer.Option(help="Memory to use, such as 2GB.")]
Time = Annotated[str, typer.Option(help="Time to take, such as 90s; none is no limit.")]
Seed = Annotated[int, typer.Option(min=0, help="Of all that is drawn.")]
Engine = Annotated[str, typer.Option(help="auto, memory or dask.")]
Scheduler = Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Folder for the report and files; NAME_study beside you when absent."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the study as JSON.")]


def study(  # noqa: PLR0917 - typer reads the options off
    data: Data,
    target: Target = None,
    task: Task = "auto",
    test: Test = None,
    split: Split = None,
    text: Text = None,
    metric: Metric = "auto",
    memory: Memory = None,
    time: Time = "5m",
    seed: Seed = 0,
    engine: Engine = "auto",
    scheduler: Scheduler = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Study DATA: compare models by similarity, judge the best honestly, look for wrong rows.

    Example: lookalike study digits

    Example: lookalike study adult.csv.gz --target income --split split --time 3m

    Example: lookalike study faces/ --out faces_study
    """
    from lookalike.cli.options import dialect
    from lookalike.progress import listening
    from lookalike.report.write_study import require_free, write_study
    from lookalike.studies.study import study as make

    folder = _folder(data) if out is None else out
    require_free(folder)
    with listening(_Said()):
        found = make(
            data,
            target=target,
            task=task,
            test=test,
            split=split,
            text=text,
            dialect=dialect(),
            metric=metric,
            memory=memory,
            time=time,
            seed=seed,
            engine=engine,
            scheduler=scheduler,
        )
    write_study(found, folder)
    if json:
        typer.echo(found.to_json(), nl=False)
    else:
        _show(found, folder)


class _Said:
    """Tells of each round of models, in plain lines, where no bars are drawn."""

    def __init__(self) -> None:
        self._rounds = 0

    def __call__(self, label: str, done: int, total: int | None) -> None:
        if label == "models" and done == total and not sys.stderr.isatty():
            self._rounds += 1
            print(f"lookalike: {done} models compared, round {self._rounds}", file=sys.stderr)


def _folder(data: str) -> Path:
    name = "stdin" if data == "-" else Path(data).name.split(".")[0] or "data"
    return Path(f"{name}_study")


def _show(found: Study, folder: Path) -> None:
    """Print the verdict, the models and the place of the report."""
    from lookalike.cli.output import show

    shape = found.shape
    columns = f"{shape.n_columns} column{'' if shape.n_columns == 1 else 's'}"
    show([f"{found.title}: {shape.n_rows} rows, {columns}, {found.task}"])
    show(f"• {finding.text}" for finding in found.summary)
    if found.candidates:
        show([_models(found)])
    show([f"Report: {folder / 'report.html'}"])


def _models(found: Study) -> Sheet:
    from lookalike.cli.output import Sheet

    whole = found.held_out is not None and found.held_out.metric == "error"
    lines = []
    for one in sorted(
        found.candidates, key=lambda one: (one.validation_error is None, one.validation_error)
    ):
        chosen = ", ".join(f"{name} {value}" for name, value in one.hyperparameters.items())
        if one.validation_error is None:
            lines.append((one.title, one.skipped, "left out"))
            continue
        error = f"{one.validation_error:.1%}" if whole else f"{one.validation_error:.4g}"
        name = f"{one.title} (winner)" if one.name == found.winner else one.title
        lines.append((name, chosen, error))
    title = "Models, by their error on training rows left out in turn"
    return Sheet(title, ("model", "choices", "error"), lines)
