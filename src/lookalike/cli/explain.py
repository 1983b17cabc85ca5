"""`lookalike explain`: the evidence for one prediction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import Data, Drop, Json, Model, TextColumn

if TYPE_CHECKING:
    from lookalike.cli.loaded_model import LoadedModel
    from lookalike.explain.prediction.evidence import Evidence
    from lookalike.explain.prediction.number_evidence import NumberEvidence

SHOWN = 10  # features that are listed
Row = Annotated[int, typer.Option("--row", min=0, help="Number of the row, from 0.")]
LeaveOut = Annotated[
    bool, typer.Option("--leave-out", help="DATA is the training data: leave ROW out of it.")
]


def explain(  # noqa: PLR0917 - typer reads the options off
    model: Model,
    data: Data,
    row: Row,
    leave_out: LeaveOut = False,
    drop: Drop = None,
    text: TextColumn = None,
    json: Json = False,
) -> None:
    """Explain the prediction of MODEL for one row of DATA.

    For nearest-neighbor models: the neighbors that voted, the contribution of each feature to
    their distances, the margin of the vote, and the rows whose removal would change it. For any
    other model: the effect of each feature's value relative to the first rows of DATA, or of each
    word of a document.

    Example: lookalike explain model.lookalike new.csv --row 7
    """
    from lookalike.cli.loaded_model import LoadedModel, without_name_warnings
    from lookalike.cli.output import print_json, print_lines, print_note
    from lookalike.explain.prediction.evidence import explain_prediction

    loaded = LoadedModel(model, data, drop=drop, text=text)
    if not hasattr(_last_step(loaded.model), "kneighbors"):
        _explain_effects(loaded, row, json=json)
        return
    rows, last = loaded.only(row), loaded.model
    names = None
    if hasattr(last, "steps"):
        rows, names = last[:-1].transform(rows), _output_names(last[:-1])
        last = last[-1]
    elif hasattr(rows, "chunks"):
        rows = next(rows.chunks()).X
    left_out = loaded.training_row(row) if leave_out else None
    if leave_out and left_out is None:
        print_note(f"row {row} is none of the model's training rows: nothing is left out.")
    with without_name_warnings():
        evidence = explain_prediction(last, rows, leave_out=left_out)
    if names is not None:
        evidence = replace(evidence, feature_names=names)
    evidence = _in_data_rows(evidence, loaded)
    if json:
        print_json(_as_dict(evidence, row))
    else:
        print_lines([f"Row {row} of {data}: {evidence}"])
        _print_evidence(evidence)


def _in_data_rows(
    evidence: Evidence | NumberEvidence, loaded: LoadedModel
) -> Evidence | NumberEvidence:
    """Return the evidence with the rows of the data in place of those that the model counts."""
    import numpy as np

    from lookalike.explain.prediction.evidence import Evidence

    evidence = replace(evidence, rows=loaded.data_rows(evidence.rows))
    if not isinstance(evidence, Evidence):
        return evidence
    flip, other = evidence.flip, evidence.other
    if flip is not None:
        flip = flip._replace(rows=loaded.data_rows(flip.rows))
    if other is not None:
        other = other._replace(row=int(loaded.data_rows(np.array([other.row]))[0]))
    return replace(evidence, flip=flip, other=other)


def _last_step(model: object) -> Any:
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _explain_effects(loaded: LoadedModel, row: int, *, json: bool) -> None:
    import numpy as np

    from lookalike.cli.output import print_json, print_lines, print_table
    from lookalike.errors import ParameterError
    from lookalike.explain.prediction.column_effects import column_effects, word_effects

    if not hasattr(loaded.model, "predict"):
        kind = type(_last_step(loaded.model)).__name__
        raise ParameterError(f"The model is a {kind}, which has no predict. Give another model.")
    this, others = loaded.row_and_reference(row)
    if loaded.reads_documents:
        document = str(loaded.documents(this)[0])
        prediction = loaded.call("predict", loaded.as_input(this))[0]
        of_input = loaded.score(prediction)

        def score(texts: list[object]) -> Any:
            return of_input(loaded.as_input({name: np.array(texts, object) for name in this}))

        value, effects, unit = score([document])[0], word_effects(score, document), "word"
    else:
        prediction = loaded.call("predict", loaded.as_input(this))[0]
        of_input = loaded.score(prediction)
        value, unit = of_input(loaded.as_input(this))[0], "feature"
        effects = column_effects(lambda table: of_input(loaded.as_input(table)), this, others)
    if json:
        features = [{"name": name, "effect": effect} for name, effect in effects]
        print_json({"row": row, "prediction": prediction, "score": value, "features": features})
        return
    kind = loaded.score_title
    print_lines([f"Row {row}: prediction {prediction}, {kind} {value:.4g}."])
    print_table(f"Effect of each {unit} on the {kind}", (unit, "effect"), effects[:SHOWN])


def _output_names(steps: Any) -> Any:
    """Return the names of the columns that a pipeline gives its last step, where it has them."""
    try:
        return steps.get_feature_names_out()
    except AttributeError:
        return None


def _as_dict(evidence: Evidence | NumberEvidence, row: int) -> dict[str, Any]:
    from lookalike.explain.prediction.number_evidence import NumberEvidence

    common = {
        "row": row,
        "prediction": evidence.prediction,
        "neighbors": evidence.rows,
        "distances": evidence.distances,
        "weights": evidence.weights,
        "features": [{"name": name, "share": share} for name, share in evidence.features()],
    }
    if isinstance(evidence, NumberEvidence):
        return common | {
            "standard_deviation": evidence.spread,
            "targets": evidence.targets,
            "change_if_removed": evidence.moves,
        }
    classes = map(str, evidence.classes.tolist())
    return common | {
        "margin": evidence.margin,
        "votes": dict(zip(classes, evidence.votes.tolist(), strict=True)),
        "labels": evidence.labels,
        "flip": None if evidence.flip is None else evidence.flip._asdict(),
        "nearest_of_another_class": None if evidence.other is None else evidence.other._asdict(),
    }


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
