"""`lookalike study`: a tuned model, its held-out error, an audit and a report in one command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.options import ColumnOptions, Data, Seed, Target, Time
from lookalike.printable import printable

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
Models = Annotated[
    list[str] | None,
    typer.Option(
        help="A candidate to compare, for example knn; repeatable, or names with commas between "
        "them; default: all. docs/study.md lists them."
    ),
]
Metric = Annotated[str, typer.Option(help="The distance, for example cosine or gower.")]
Memory = Annotated[str | None, typer.Option(help="Memory budget, for example 2GB.")]
Effort = Annotated[
    str | None,
    typer.Option(
        help="full or quick: fewer folds, trees and centers, for a first look; default: "
        "$LOOKALIKE_EFFORT, else full."
    ),
]
References = Annotated[
    bool,
    typer.Option(
        "--references",
        help="Compare CatBoost, LightGBM and XGBoost too, where they are installed.",
    ),
]
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
All = Annotated[
    bool, typer.Option("--all", help="Print all findings and all models, not the first of them.")
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
    models: Models = None,
    columns: ColumnOptions,
    metric: Metric = "auto",
    memory: Memory = None,
    time: Time = "5m",
    seed: Seed = 0,
    effort: Effort = None,
    references: References = False,
    engine: Engine = "auto",
    scheduler: Scheduler = None,
    out: Out = None,
    all_findings: All = False,
    json: Json = False,
) -> None:
    """Study DATA: tune and compare models, evaluate the best on held-out rows, audit the rows.

    Example: lookalike study digits

    Example: lookalike study adult.csv.gz --target income --split split --time 3m

    Example: lookalike study faces/ --out faces_study
    """
    from lookalike.cli import program_begin
    from lookalike.cli.destination import is_standard_output, require_other_files
    from lookalike.cli.load_data import print_suggested_target
    from lookalike.cli.options import file_options
    from lookalike.cli.study_progress import StudyProgress
    from lookalike.cli.study_summary import print_summary
    from lookalike.report.write_study import STUDY_FILES, require_free, write_study
    from lookalike.studies.select.budget import count_from, parse_seconds
    from lookalike.studies.study import study as run_study

    folder = study_folder(data) if out is None else out
    no_folder = is_standard_output(folder)
    if not no_folder:
        require_free(folder)
        require_other_files([folder / name for name in STUDY_FILES], (data, test))
    with count_from(program_begin.get()), StudyProgress(parse_seconds(time)).shown():
        result = run_study(
            data,
            target=target,
            task=task,
            test=test,
            split=split,
            groups=groups,
            scoring=scoring,
            models=",".join(models or ()),
            drop=columns.drop or (),
            text=columns.text,
            metric=metric,
            dialect=file_options(),
            memory=memory,
            time=time,
            seed=seed,
            effort=effort,
            references=references,
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
        print_summary(result, folder, everything=all_findings)


def study_folder(data: str) -> Path:
    """Return the folder that a study of DATA is written to unless another is given."""
    name = "stdin" if data == "-" else printable(Path(data).name.split(".")[0]) or "data"
    return Path(f"{name}_study")
