"""`lookalike explain`: the evidence for one prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import ColumnOptions, Data, Json, Model

if TYPE_CHECKING:
    from lookalike.cli.loaded_model import LoadedModel
    from lookalike.explain.prediction.evidence import Evidence
    from lookalike.explain.prediction.number_evidence import NumberEvidence

SHOWN = 10  # features that are listed
Row = Annotated[int, typer.Option("--row", min=0, help="Number of the row, from 0.")]
LeaveOut = Annotated[
    bool, typer.Option("--leave-out", help="DATA is the training data: leave ROW out of it.")
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
    first rows of DATA, or of each word of a document.

    Example: lookalike explain model.lookalike new.csv --row 7
    """
    from lookalike.cli.loaded_model import LoadedModel
    from lookalike.cli.output import print_json, print_lines, print_note
    from lookalike.explain.prediction.description import (
        describe_evidence,
        explain_by_neighbors,
        has_neighbors,
    )

    loaded = LoadedModel(model, data, columns)
    if not has_neighbors(loaded):
        _explain_effects(loaded, row, json=json)
        return
    left_out = loaded.training_row(row) if leave_out else None
    if leave_out and left_out is None:
        print_note(f"row {row} is none of the model's training rows: nothing is left out.")
    evidence = explain_by_neighbors(loaded, loaded.only(row), left_out)
    if json:
        print_json({"row": row, **describe_evidence(evidence)})
    else:
        print_lines([f"Row {row} of {data}: {evidence}"])
        _print_evidence(evidence)


def _explain_effects(loaded: LoadedModel, row: int, *, json: bool) -> None:
    from lookalike.cli.output import print_json, print_lines, print_note, print_table
    from lookalike.explain.prediction.description import explain_by_effects

    this, others = loaded.row_and_reference(row)
    result = explain_by_effects(loaded, loaded.as_input, this, others)
    if json:
        print_json({"row": row, **result})
        return
    kind = loaded.score_title
    print_lines([_headline(row, result, kind)])
    unit = "word" if loaded.reads_documents else "feature"
    effects = [(one["name"], one["effect"]) for one in result["features"][:SHOWN]]
    print_table(f"Effect of each {unit} on the {kind}", (unit, "effect"), effects)
    if hasattr(loaded.last, "contributions"):
        name = type(loaded.last).__name__
        print_note(
            f"training rows are not listed: too many of them add to a prediction of {name}. "
            "contributions of the model, in Python, gives what each adds."
        )


def _headline(row: int, result: dict[str, Any], kind: str) -> str:
    """Return the prediction; of classes with its probability or decision value."""
    from lookalike.printable import number

    prediction = result["prediction"]
    if isinstance(prediction, float):
        return f"Row {row}: prediction {number(prediction)}."
    return f"Row {row}: prediction {prediction}, {kind} {number(result['score'])}."


def _print_evidence(evidence: Evidence | NumberEvidence) -> None:
    from lookalike.cli.output import print_table
    from lookalike.explain.prediction.number_evidence import NumberEvidence

    targets = evidence.targets if isinstance(evidence, NumberEvidence) else evidence.labels
    columns = (evidence.rows, targets, evidence.distances, evidence.weights)
    voters = list(zip(*(column.tolist() for column in columns), strict=True))
    print_table("Neighbors that voted", ("row", "target", "distance", "weight"), voters)
    shares = [(name, f"{share:.1%}") for name, share in evidence.features()[:SHOWN]]
    if shares:
        print_table("Feature contributions to the distances", ("feature", "share"), shares)
