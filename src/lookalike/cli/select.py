"""`lookalike select`: the columns that tell most of a target."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lookalike.cli.options import Data, Json, OutCsv, Task

Target = Annotated[str | None, typer.Option(help="The column that is to be told.")]
Count = Annotated[str, typer.Option("-k", "--columns", help="How many: a number, or all.")]
Score = Annotated[str, typer.Option(help="pearson, f, chi2, snr, mutual_info or mutual_info_knn.")]
Wrapper = Annotated[
    bool, typer.Option("--wrapper", help="Search for the set with which neighbors err least.")
]


def select(  # noqa: PLR0917 - typer reads the options off
    data: Data,
    target: Target = None,
    task: Task = "auto",
    columns: Count = "10",
    score: Score = "pearson",
    wrapper: Wrapper = False,
    out: OutCsv = None,
    json: Json = False,
) -> None:
    """Rank the columns of DATA by what they tell of the target.

    Example: lookalike select wine --score mutual_info

    Example: lookalike select table.csv --target y --wrapper -k best
    """
    from lookalike.cli.load_data import open_rows, require_target
    from lookalike.cli.output import Sheet, save_csv, show, show_json
    from lookalike.models.feature_selection.filter import SelectByFilter
    from lookalike.models.feature_selection.wrapper import SelectByWrapper

    rows = require_target(open_rows(data, target=target), data)
    count: Any = int(columns) if columns.isdigit() else columns
    model: Any = (
        SelectByWrapper(k=count, task=task)
        if wrapper
        else SelectByFilter(score, k=count, task=task)
    )
    model.fit(rows.X, rows.y)
    names, lines = _path(model, rows.names) if wrapper else _ranking(model, rows.names)
    if out is not None:
        save_csv(out, names, lines)
    if json:
        told = [dict(zip(names, line, strict=True)) for line in lines]
        show_json({"columns": told, "decisions": [str(one) for one in model.decisions_]})
    else:
        show([Sheet(f"Columns of {data}", names, lines)])
        show([*map(str, model.decisions_), *([f"Ranking: {out}"] if out is not None else [])])


def _ranking(model: Any, names: list[str]) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return the columns, the best first."""
    lines = [
        (
            int(model.ranking_[place]),
            names[place],
            "yes" if model.support_[place] else "no",
            float(model.scores_[place]),
        )
        for place in model.ranking_.argsort(kind="stable")
    ]
    return ("rank", "column", "kept", "score"), lines


def _path(model: Any, names: list[str]) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return the best set of every size."""
    kept = set(model.get_support(indices=True).tolist())
    lines = [
        (
            len(step.features),
            ", ".join(names[place] for place in step.features),
            "yes" if set(step.features) == kept else "no",
            float(step.score),
        )
        for step in model.path_
    ]
    return ("size", "columns", "kept", "score"), lines
