"""`lookalike predict`: the predictions of a model file for every row of a table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import Data, Drop, Json, Model, OutCsv, TextColumn

if TYPE_CHECKING:
    from lookalike.cli.loaded_model import LoadedModel

SHOWN = 20  # rows on a terminal
Proba = Annotated[bool, typer.Option("--proba", help="Add the probability of every class.")]


def predict(  # noqa: PLR0917 - typer reads the options off
    model: Model,
    data: Data,
    out: OutCsv = None,
    proba: Proba = False,
    drop: Drop = None,
    text: TextColumn = None,
    json: Json = False,
) -> None:
    """Predict every row of DATA with MODEL.

    Rows are read in chunks: the file may be larger than memory. Columns are matched by name where
    the model has names. With --json, one object per line.

    Example: lookalike predict digits_study/model.lookalike digits -o predictions.csv

    Example: cat new.csv | lookalike predict model.lookalike - --proba
    """
    from lookalike.cli.destination import check_destinations
    from lookalike.cli.loaded_model import LoadedModel
    from lookalike.cli.output import print_json, print_lines, print_paths, print_table, save_table
    from lookalike.data.csv_writer import write_csv
    from lookalike.errors import ParameterError

    streamed = check_destinations(out, json=json)
    loaded = LoadedModel(model, data, drop=drop, text=text)
    for method in ("predict", *(("predict_proba",) if proba else ())):
        if not hasattr(loaded.model, method):
            kind = type(loaded.model).__name__
            raise ParameterError(f"{model} holds a {kind}, which has no {method}. Give another.")
    headings = ["row", *_headings(loaded.model, proba)]
    lines = _lines(loaded, proba)
    if json:
        for line in lines:
            print_json(dict(zip(headings, line, strict=True)))
    elif out is not None:
        save_table(out, headings, lines)
        if not streamed:
            print_paths({"Predictions": out})
    elif sys.stdout.isatty():
        first = list(islice(lines, SHOWN))
        rest = sum(1 for _ in lines)
        print_table(f"Predictions of {model} for {data}", headings, first)
        if rest:
            print_lines([f"{rest} more rows: give -o FILE or redirect the output."])
    else:
        write_csv(sys.stdout.buffer, headings, lines)


def _headings(model: object, proba: bool) -> list[str]:
    """Return the names of the columns of predictions and probabilities."""
    classes: Any = getattr(model, "classes_", None)
    n_outputs = len(classes) if isinstance(classes, list) else 1
    names = ["prediction"] if n_outputs == 1 else [f"prediction_{j}" for j in range(n_outputs)]
    if proba:
        per_output = classes if isinstance(classes, list) else [classes]
        names += [f"p({label})" for labels in per_output for label in labels]
    return names


def _lines(loaded: LoadedModel, proba: bool) -> Iterator[tuple[Any, ...]]:
    """Give the number, the predictions and the probabilities of every row."""
    import numpy as np

    from lookalike.progress import progress

    with progress("rows predicted", loaded.source.n_rows) as advance:
        for offset, rows in loaded.inputs():
            parts = [np.asarray(loaded.call("predict", rows))]
            if proba:
                probabilities = loaded.call("predict_proba", rows)
                parts += probabilities if isinstance(probabilities, list) else [probabilities]
            columns = [part[:, None] if part.ndim == 1 else part for part in parts]
            for place in range(len(columns[0])):
                yield (offset + place, *(cell for part in columns for cell in part[place]))
            advance(len(columns[0]))
