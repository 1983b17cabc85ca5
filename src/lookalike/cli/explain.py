"""`lookalike explain`: what the answer for one row rests on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import Data, Json, Model

if TYPE_CHECKING:
    from lookalike.cli.loaded_model import Asked
    from lookalike.explain.prediction.evidence import Evidence
    from lookalike.explain.prediction.number_evidence import NumberEvidence

SHOWN = 10
Row = Annotated[int, typer.Option("--row", min=0, help="Number of the row, from 0.")]
Target = Annotated[str | None, typer.Option(help="A column to leave out.")]
Text = Annotated[str | None, typer.Option(help="The column that holds documents.")]
Itself = Annotated[
    bool, typer.Option("--leave-out", help="DATA is what the model was fitted on: leave ROW out.")
]


def explain(  # noqa: PLR0917 - typer reads the options off
    model: Model,
    data: Data,
    row: Row,
    leave_out: Itself = False,
    target: Target = None,
    text: Text = None,
    json: Json = False,
) -> None:
    """Show why MODEL gives its answer to one row of DATA.

    Of a model by neighbors: those that voted, what each column adds to their distances, how far
    the vote was from another answer, and the rows without which it would be one. Of any other
    model: what the answer gains by the value of each column, beside those of the first rows of
    DATA, or by each word of a document.

    Example: lookalike explain model.lookalike new.csv --row 7
    """
    from lookalike.cli.loaded_model import Asked, names_in_order
    from lookalike.cli.output import show, show_json
    from lookalike.explain.prediction.evidence import explain_prediction

    asked = Asked(model, data, target=target, text=text)
    if not hasattr(_last(asked.model), "kneighbors"):
        _explain_effects(asked, row, json=json)
        return
    rows, last = asked.only(row), asked.model
    names = None
    if hasattr(last, "steps"):
        rows, names = last[:-1].transform(rows), _names(last[:-1])
        last = last[-1]
    elif hasattr(rows, "chunks"):
        rows = next(rows.chunks()).X
    with names_in_order():
        found = explain_prediction(last, rows, leave_out=row if leave_out else None)
    if names is not None:
        found = replace(found, feature_names=names)
    if json:
        show_json(_told(found, row))
    else:
        show([f"Row {row} of {data}: {found}", *_sheets(found)])


def _last(model: Any) -> Any:
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _explain_effects(asked: Asked, row: int, *, json: bool) -> None:
    from lookalike.cli.output import Sheet, show, show_json
    from lookalike.errors import ParameterError
    from lookalike.explain.prediction.column_effects import column_effects, word_effects

    if not hasattr(asked.model, "predict"):
        kind = type(_last(asked.model)).__name__
        raise ParameterError(f"The model is a {kind}, which gives no answers. Give another.")
    this, others = asked.row_among(row)
    if asked.reads_documents:
        document = str(next(iter(this.values()))[0])
        answer = asked.ask("predict", [document])[0]
        score = asked.score(answer)
        whole, effects, what = score([document])[0], word_effects(score, document), "word"
    else:
        answer = asked.ask("predict", asked.rows_of(this))[0]
        score = asked.score(answer)
        whole, what = score(asked.rows_of(this))[0], "column"
        effects = column_effects(lambda table: score(asked.rows_of(table)), this, others)
    if json:
        told = [{"name": name, "effect": effect} for name, effect in effects]
        show_json({"row": row, "prediction": answer, "score": whole, "features": told})
        return
    kind = "probability" if hasattr(asked.model, "predict_proba") else "value"
    lines = [(name, effect) for name, effect in effects[:SHOWN]]
    title = f"What each {what} adds to the {kind}"
    show([f"Row {row}: {answer}, {kind} {whole:.4g}.", Sheet(title, (what, "adds"), lines)])


def _names(steps: Any) -> Any:
    """Return what the steps before a model call their columns, where they say."""
    try:
        return steps.get_feature_names_out()
    except AttributeError:
        return None


def _told(found: Evidence | NumberEvidence, row: int) -> dict[str, Any]:
    from lookalike.explain.prediction.number_evidence import NumberEvidence

    told = {
        "row": row,
        "prediction": found.prediction,
        "neighbors": found.rows,
        "distances": found.distances,
        "weights": found.weights,
        "features": [{"name": name, "share": share} for name, share in found.features()],
    }
    if isinstance(found, NumberEvidence):
        return told | {"spread": found.spread, "targets": found.targets, "moves": found.moves}
    return told | {
        "margin": found.margin,
        "votes": dict(zip(map(str, found.classes.tolist()), found.votes.tolist(), strict=True)),
        "labels": found.labels,
        "flip": None if found.flip is None else found.flip._asdict(),
        "nearest_of_another_class": None if found.other is None else found.other._asdict(),
    }


def _sheets(found: Evidence | NumberEvidence) -> list[Any]:
    from lookalike.cli.output import Sheet
    from lookalike.explain.prediction.number_evidence import NumberEvidence

    told = found.targets if isinstance(found, NumberEvidence) else found.labels
    columns = (found.rows, told, found.distances, found.weights)
    voters = list(zip(*(column.tolist() for column in columns), strict=True))
    sheets = [Sheet("Neighbors that voted", ("row", "target", "distance", "weight"), voters)]
    shares = [(name, f"{share:.1%}") for name, share in found.features()[:SHOWN]]
    if shares:
        sheets.append(Sheet("What the distances are made of", ("column", "share"), shares))
    return sheets
