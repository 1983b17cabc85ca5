"""`lookalike predict`: ask a model file about every row of a table, however many there are."""

from __future__ import annotations

import json as text_of
import sys
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import Data, Json, Model, OutCsv

if TYPE_CHECKING:
    from lookalike.cli.loaded_model import Asked

SHOWN = 20
Proba = Annotated[bool, typer.Option("--proba", help="Add the probability of every class.")]
Target = Annotated[str | None, typer.Option(help="A column to leave out.")]
Text = Annotated[str | None, typer.Option(help="The column that holds documents.")]


def predict(  # noqa: PLR0917 - typer reads the options off
    model: Model,
    data: Data,
    out: OutCsv = None,
    proba: Proba = False,
    target: Target = None,
    text: Text = None,
    json: Json = False,
) -> None:
    """Ask MODEL about every row of DATA.

    Rows are read in pieces: the file may be larger than memory. Columns are found by their names
    where the model knows names. With --json, one object a line.

    Example: lookalike predict digits_study/model.lookalike digits -o answers.csv

    Example: cat new.csv | lookalike predict model.lookalike - --proba
    """
    from lookalike.cli.loaded_model import Asked
    from lookalike.cli.output import Sheet, save_csv, show
    from lookalike.data.csv_writer import write_csv
    from lookalike.errors import ParameterError
    from lookalike.studies.to_json import to_jsonable

    asked = Asked(model, data, target=target, text=text)
    for method in ("predict", *(("predict_proba",) if proba else ())):
        if not hasattr(asked.model, method):
            kind = type(asked.model).__name__
            raise ParameterError(f"{model} holds a {kind}, which has no {method}. Give another.")
    names = ["row", *_answer_names(asked.model, proba)]
    lines = _lines(asked, proba)
    if json:
        for line in lines:
            cells = to_jsonable(dict(zip(names, line, strict=True)))
            print(text_of.dumps(cells, ensure_ascii=False))
    elif out is not None:
        save_csv(out, names, lines)
        show([f"Predictions: {out}"])
    elif sys.stdout.isatty():
        first = list(islice(lines, SHOWN))
        rest = sum(1 for _ in lines)
        more = [f"{rest} more rows: give -o FILE, or send the output into a file."] if rest else []
        show([Sheet(f"{data}, by {model}", names, first), *more])
    else:
        write_csv(sys.stdout.buffer, names, lines)


def _answer_names(model: Any, proba: bool) -> list[str]:
    """Return the names of the columns of the answer."""
    classes: Any = getattr(model, "classes_", None)
    outputs = len(classes) if isinstance(classes, list) else 1
    names = ["prediction"] if outputs == 1 else [f"prediction_{j}" for j in range(outputs)]
    if proba:
        listed = classes if isinstance(classes, list) else [classes]
        names += [f"p({label})" for labels in listed for label in labels]
    return names


def _lines(asked: Asked, proba: bool) -> Iterator[tuple[Any, ...]]:
    """Give a line a row: its number, the answer, and the probabilities."""
    import numpy as np

    from lookalike.progress import progress

    with progress("rows predicted", asked.source.n_rows) as advance:
        for offset, rows in asked.pieces():
            parts = [np.asarray(asked.ask("predict", rows))]
            if proba:
                found = asked.ask("predict_proba", rows)
                parts += found if isinstance(found, list) else [found]
            columns = [part[:, None] if part.ndim == 1 else part for part in parts]
            for place in range(len(columns[0])):
                yield (offset + place, *(cell for part in columns for cell in part[place]))
            advance(len(columns[0]))
