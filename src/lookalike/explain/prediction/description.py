"""Explanations of a model that reads a table: by its neighbors, or by the effect of each column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lookalike.data.sources.columns_source import ColumnsSource
from lookalike.errors import ParameterError
from lookalike.explain.prediction.column_effects import column_effects, word_effects
from lookalike.explain.prediction.ensemble_evidence import with_members
from lookalike.explain.prediction.evidence import explain_prediction
from lookalike.explain.prediction.explanation import Explanation
from lookalike.explain.prediction.feature_origins import feature_columns
from lookalike.explain.prediction.table_model import TableModel, without_name_warnings

SELF_DISTANCE = 1e-9  # up to which a training row is the row that is explained


def has_neighbors(model: TableModel) -> bool:
    """Return whether the model predicts from neighbors, which then explain it."""
    return model.neighbor_model is model


def explains_itself(explanation: Explanation, row: int) -> bool:
    """Return whether a row of the data is among its own neighbors, at no distance."""
    neighbors = explanation.companion or explanation
    return bool((neighbors.distances[neighbors.rows == row] <= SELF_DISTANCE).any())


def explain_by_neighbors(
    model: TableModel, rows: object, leave_out: int | None = None
) -> Explanation:
    """Return the explanation of one row, in the row numbers of the data.

    `rows` is input of the model; `leave_out` is the place of a training row. Shares of features
    are those of the columns as they came.
    """
    prepared, _ = model.prepared(rows)
    if isinstance(prepared, ColumnsSource):
        prepared = arrow_table(next(prepared.tables()).values)
    elif hasattr(prepared, "chunks"):
        prepared = next(prepared.chunks()).X
    with without_name_warnings():
        explanation = explain_prediction(model.last, prepared, leave_out=leave_out)
    columns = feature_columns(model.model, len(explanation.feature_names))
    if columns is not None:
        explanation = explanation.by_column(columns)
    numbers = getattr(model.model, "training_rows_", None)
    return explanation if numbers is None else explanation.renumbered(np.asarray(numbers))


def with_companion(
    explanation: Explanation, model: TableModel, rows: object, leave_out: int | None = None
) -> Explanation:
    """Return the explanation with what an ensemble is made of, and the companion's neighbors."""
    explanation = with_members(explanation, model, rows)
    if model.companion is None:
        return explanation
    neighbors = explain_by_neighbors(model.companion, rows, leave_out)
    return replace(explanation, companion=neighbors, companion_note=model.companion_note)


def explain_by_effects(
    model: TableModel,
    as_input: Callable[[dict[str, Any]], Any],
    row: Mapping[str, Any],
    others: Mapping[str, Any],
) -> Explanation:
    """Return a prediction, its score, and the effect of each column or word on the score.

    Of a column relative to other rows, of a word of a document; the largest first. `row` has the
    columns of one row; `as_input` makes them input of the model.
    """
    if not hasattr(model.model, "predict"):
        kind = type(model.last).__name__
        raise ParameterError(f"The model is a {kind}, which has no predict. Give another model.")
    prediction = model.call("predict", as_input(dict(row)))[0]
    score = model.score(prediction)
    if model.reads_documents:
        document = str(model.documents(row)[0])

        def of_texts(texts: list[object]) -> Any:
            return score(as_input({name: np.array(texts, object) for name in row}))

        value = float(of_texts([document])[0])
        effects = word_effects(of_texts, document)
    else:
        value = float(score(as_input(dict(row)))[0])
        effects = column_effects(lambda table: score(as_input(table)), row, others)
    return Explanation(
        prediction, score=value, score_title=model.score_title, effects=tuple(effects)
    )


def arrow_table(values: Mapping[str, Any]) -> Any:
    """Return columns as a table of Arrow, in which a model finds them by name."""
    import pyarrow as pa

    return pa.table({name: column.tolist() for name, column in values.items()})
