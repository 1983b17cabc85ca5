"""`lookalike select`: feature selection by univariate scores or by a wrapper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import Data, Drop, OutputOptions, Scale, TargetOptions, TextColumn

if TYPE_CHECKING:
    from lookalike.models.feature_selection.filter import SelectByFilter
    from lookalike.models.feature_selection.wrapper import SelectByWrapper
    from lookalike.typing import AnyArray

Count = Annotated[
    str,
    typer.Option(
        "-k",
        "--columns",
        help="How many columns: a number, all or fdr; with --wrapper a number, best or one_se.",
    ),
]
Score = Annotated[str, typer.Option(help="pearson, f, chi2, snr, mutual_info or mutual_info_knn.")]
Wrapper = Annotated[
    bool, typer.Option("--wrapper", help="Search for the subset with the lowest K-NN error.")
]


def select(
    data: Data,
    *,
    target: TargetOptions,
    columns: Count = "10",
    score: Score = "pearson",
    wrapper: Wrapper = False,
    text: TextColumn = None,
    drop: Drop = None,
    scale: Scale = None,
    output: OutputOptions,
) -> None:
    """Select features of DATA: by their univariate scores, or by a wrapper around K-NN.

    Rows are prepared as a study prepares them: identifiers and constant columns are left out,
    numbers are z-scores (--scale none leaves them in their own units, as chi2 needs them),
    categories one-hot encoded, missing numbers imputed with the mean. The features of documents are
    their most frequent terms.

    Example: lookalike select wine --score mutual_info

    Example: lookalike select table.csv --target y --wrapper -k best
    """
    from lookalike.cli.destination import check_destinations
    from lookalike.cli.load_data import require_target
    from lookalike.cli.output import print_json, print_lines, print_paths, print_table, save_table
    from lookalike.models.feature_selection.filter import SelectByFilter
    from lookalike.models.feature_selection.wrapper import SelectByWrapper

    streamed = check_destinations(output.file, json=output.json, inputs=(data,))
    counted = score == "chi2" and not wrapper
    X, y, names, choices = _features(
        data, target.target, text, drop, "none" if counted else scale, counted=counted
    )
    y = require_target(y, names, data)
    k = int(columns) if columns.isdigit() else columns
    task = target.task
    model = SelectByWrapper(k=k, task=task) if wrapper else SelectByFilter(score, k=k, task=task)
    model.fit(X, y)
    headings, lines = (
        _path(model, names) if isinstance(model, SelectByWrapper) else _ranking(model, names)
    )
    if output.file is not None:
        save_table(output.file, headings, lines)
    decisions = [*choices, *map(str, model.decisions_)]
    if streamed:
        return
    if output.json:
        features = [dict(zip(headings, line, strict=True)) for line in lines]
        print_json({"subsets" if wrapper else "features": features, "decisions": decisions})
    else:
        print_table(f"Features of {data}", headings, lines)
        print_lines(decisions)
        print_paths({"Ranking": output.file})


def _features(
    data: str,
    target: str | None,
    text: str | None,
    drop: list[str] | None,
    scale: str | None,
    *,
    counted: bool,
) -> tuple[AnyArray, AnyArray | None, list[str], list[str]]:
    """Return the features of DATA, its target, the names of the features, and what was chosen.

    Features that are counted are numbers and 0 or 1 for each category.
    """
    from lookalike.cli.load_data import note_reading, open_argument, text_column
    from lookalike.cli.prepare import preparation_lines, prepare_supervised, weighted_terms
    from lookalike.errors import ParameterError

    source = open_argument(data, target=target, drop=drop, notes=False)
    documents = text_column(source, text)
    if documents is not None:
        chosen = f"features: tf-idf weights of terms (column {documents!r} holds documents)"
        note_reading(source)
        return *weighted_terms(source, documents), [chosen]
    prepared = prepare_supervised(source, scale=scale)
    X, names, choices = prepared.features(), prepared.names, preparation_lines(prepared)
    if not counted:
        return X, prepared.y, names, choices
    kept = prepared.counted
    if not kept:
        raise ParameterError(
            f"--score chi2 takes numbers and categories as counts, and {data} has text alone. "
            "Choose another --score, for example f."
        )
    if len(kept) < len(names):
        choices = [*choices, "features: text left out (components of text are not counts)"]
    units = prepared.table_units(X)[:, kept]
    return units, prepared.y, [names[j] for j in kept], choices


def _ranking(
    model: SelectByFilter, names: list[str]
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return the features by their univariate scores, the highest first."""
    lines = [
        (
            int(model.ranking_[place]),
            names[place],
            "yes" if model.support_[place] else "no",
            float(model.scores_[place]),
        )
        for place in model.ranking_.argsort(kind="stable")
    ]
    return ("rank", "feature", "selected", "score"), lines


def _path(
    model: SelectByWrapper, names: list[str]
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return the best subset of every size."""
    selected = set(model.get_support(indices=True).tolist())
    lines = [
        (
            len(step.features),
            ", ".join(names[feature] for feature in step.features),
            "yes" if set(step.features) == selected else "no",
            float(step.score),
        )
        for step in model.path_
    ]
    return ("size", "features", "selected", "score"), lines
