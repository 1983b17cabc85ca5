"""`lookalike predict`: the predictions of a model file for every row of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import ColumnOptions, Data, Model, OutputOptions

if TYPE_CHECKING:
    from lookalike.cli.loaded_model import LoadedModel
    from lookalike.typing import AnyArray

Proba = Annotated[bool, typer.Option("--proba", help="Add the probability of every class.")]


def predict(
    model: Model,
    data: Data,
    *,
    output: OutputOptions,
    proba: Proba = False,
    columns: ColumnOptions,
) -> None:
    """Predict every row of DATA with MODEL.

    Rows are read, predicted and written in chunks: the file, or the folder of Parquet files, may
    be larger than memory. Columns are matched by name where the model has names. With the model of
    a study, columns that DATA lacks count as missing cells. These, unknown categories and missing
    values are noted on standard error. With --json, one object per line.

    Example: lookalike predict digits_study digits -o predictions.csv

    Example: lookalike predict model.lookalike folder_of_parquet_files -o predictions.parquet

    Example: cat new.csv | lookalike predict model.lookalike - --proba
    """
    from lookalike.cli.destination import check_destinations
    from lookalike.cli.loaded_model import LoadedModel
    from lookalike.cli.output import output_columns
    from lookalike.errors import ParameterError

    check_destinations(output.file, json=output.json, inputs=(model, data))
    loaded = LoadedModel(model, data, columns)
    for method in ("predict", *(("predict_proba",) if proba else ())):
        if not hasattr(loaded.model, method):
            kind = type(loaded.model).__name__
            raise ParameterError(f"{model} holds a {kind}, which has no {method}. Give another.")
    headings = ["row", *_headings(loaded.model, proba)]
    title = f"Predictions of {model} for {data}"
    pieces = _pieces(loaded, headings, proba)
    output_columns(headings, pieces, output, title=title, label="Predictions")
    loaded.print_notes()


def _headings(model: object, proba: bool) -> list[str]:
    """Return the names of the columns of predictions and probabilities."""
    classes: Any = getattr(model, "classes_", None)
    n_outputs = len(classes) if isinstance(classes, list) else 1
    names = ["prediction"] if n_outputs == 1 else [f"prediction_{j}" for j in range(n_outputs)]
    if proba:
        per_output = classes if isinstance(classes, list) else [classes]
        names += [f"p({label})" for labels in per_output for label in labels]
    return names


def _pieces(loaded: LoadedModel, headings: list[str], proba: bool) -> Iterator[dict[str, AnyArray]]:
    """Give the numbers, the predictions and the probabilities of the rows, chunk by chunk."""
    import numpy as np

    from lookalike.progress import progress

    with progress("rows predicted", loaded.source.n_rows) as advance:
        for offset, rows in loaded.inputs():
            parts = [np.asarray(loaded.call("predict", rows))]
            loaded.notes.predictions.add(parts[0])
            if proba:
                probabilities = loaded.call("predict_proba", rows)
                parts += probabilities if isinstance(probabilities, list) else [probabilities]
            matrices = [part[:, None] if part.ndim == 1 else part for part in parts]
            columns = [column for matrix in matrices for column in matrix.T]
            numbers = np.arange(offset, offset + len(columns[0]))
            yield dict(zip(headings, [numbers, *columns], strict=True))
            advance(len(numbers))
