"""`lookalike explain`: the explanation of one prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import ColumnOptions, Data, Json, Model
from lookalike.printable import percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from lookalike.cli.loaded_model import LoadedModel
    from lookalike.explain.prediction.explanation import Explanation

FEATURES_LISTED = 10  # features that are listed
Row = Annotated[int, typer.Option("--row", min=0, help="Number of the row, from 0.")]
LeaveOut = Annotated[
    bool,
    typer.Option(
        "--leave-out",
        help="DATA is the training data: leave ROW out of it, as is done where it is seen to be.",
    ),
]


def explain(
    model: Model,
    data: Data,
    row: Row,
    *,
    leave_out: LeaveOut = False,
    columns: ColumnOptions,
    json: Json = False,
) -> None:
    """Explain the prediction of MODEL for one row of DATA.

    For nearest-neighbor models: the neighbors that voted, the contribution of each feature to
    their distances, the margin of the vote, and the rows whose removal would change it. For any
    other model, boosted trees among them: the effect of each feature's value relative to the
    first rows of DATA, or of each word of a document, and for the model of a study the neighbors
    by its K-NN companion.

    Example: lookalike explain model.lookalike new.csv --row 7
    """
    from lookalike.cli.loaded_model import LoadedModel
    from lookalike.cli.output import print_json, print_lines
    from lookalike.explain.prediction.description import explains_itself

    loaded = LoadedModel(model, data, columns)
    explain_without = _explainer(loaded, row)
    explanation = explain_without(_left_out(loaded, row) if leave_out else None)
    if not leave_out and explains_itself(explanation, row):
        explanation = _without_itself(loaded, explanation, row, explain_without)
    loaded.print_notes()
    if json:
        print_json({"row": row, **explanation.to_dict(), "notes": loaded.notes.sentences()})
        return
    print_lines([f"Row {row} of {data}:", *explanation.sentences().values()])
    _print_tables(explanation, loaded)


def _explainer(loaded: LoadedModel, row: int) -> Callable[[int | None], Explanation]:
    """Return what explains a row, which is read once, without the training row at a place."""
    from lookalike.explain.prediction.description import (
        explain_by_effects,
        explain_by_neighbors,
        has_neighbors,
        with_companion,
    )

    if has_neighbors(loaded):
        rows = loaded.only(row)
        return lambda left_out: explain_by_neighbors(loaded, rows, left_out)
    this, others = loaded.row_and_reference(row)
    explanation = explain_by_effects(loaded, loaded.as_input, this, others)
    rows = loaded.as_input(this)
    return lambda left_out: with_companion(explanation, loaded, rows, left_out)


def _left_out(loaded: LoadedModel, row: int) -> int | None:
    """Return the place of a row among the training rows; say if it is not among them."""
    from lookalike.cli.output import print_note

    finder = loaded.neighbor_model
    left_out = None if finder is None else finder.training_row(row)
    if finder is None:
        kind = type(loaded.last).__name__
        print_note(f"a {kind} has no neighbors that row {row} could be left out of.")
    elif left_out is None:
        print_note(f"row {row} is not among the model's training rows: nothing is left out.")
    return left_out


def _without_itself(
    loaded: LoadedModel,
    explanation: Explanation,
    row: int,
    explain_without: Callable[[int | None], Explanation],
) -> Explanation:
    """Return the explanation of a training row without the row itself; say so."""
    from lookalike.cli.output import print_note
    from lookalike.errors import ParameterError

    finder = loaded.neighbor_model
    try:
        explanation = explain_without(None if finder is None else finder.training_row(row))
    except ParameterError:  # a forest, every tree of which drew the row
        print_note(f"row {row} is a training row of the model, and explains itself.")
    else:
        print_note(f"row {row} is a training row of the model: it is left out, as by --leave-out.")
    return explanation


def _print_tables(explanation: Explanation, loaded: LoadedModel) -> None:
    from lookalike.cli.output import print_note, print_table

    if explanation.effects:
        unit = "word" if loaded.reads_documents else "feature"
        title = f"Effect of each {unit} on the {explanation.score_title}"
        print_table(title, (unit, "effect"), explanation.effects[:FEATURES_LISTED])
    neighbors = explanation.companion or explanation
    if not len(neighbors.rows):
        if hasattr(loaded.last, "contributions"):
            name = type(loaded.last).__name__
            print_note(
                f"training rows are not listed: too many of them add to a prediction of {name}. "
                "contributions of the model, in Python, gives what each adds."
            )
        return
    columns = (neighbors.rows, neighbors.targets, neighbors.distances, neighbors.weights)
    voters = list(zip(*(column.tolist() for column in columns), strict=True))
    print_table("Neighbors that voted", ("row", "target", "distance", "weight"), voters)
    shares = [(name, percent(share)) for name, share in neighbors.features()[:FEATURES_LISTED]]
    if shares:
        print_table("Feature contributions to the distances", ("feature", "share"), shares)
