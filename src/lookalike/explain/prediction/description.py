"""Explanations of a model that reads a table: by its neighbors, or by the effect of each column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lookalike.data.columns_source import ColumnsSource
from lookalike.errors import ExtraMissingError, ParameterError
from lookalike.explain.prediction.column_effects import column_effects, word_effects
from lookalike.explain.prediction.evidence import Evidence, explain_prediction
from lookalike.explain.prediction.number_evidence import NumberEvidence
from lookalike.explain.prediction.table_model import TableModel, without_name_warnings


def has_neighbors(model: TableModel) -> bool:
    """Return whether the model predicts from neighbors, which are then its evidence."""
    return hasattr(model.last, "kneighbors")


def explain_by_neighbors(
    model: TableModel, rows: object, leave_out: int | None = None
) -> Evidence | NumberEvidence:
    """Return the evidence for one row, in the row numbers of the data.

    `rows` is input of the model; `leave_out` is the place of a training row.
    """
    prepared, names = model.prepared(rows)
    if isinstance(prepared, ColumnsSource):
        prepared = arrow_table(next(prepared.tables()).values)
    elif hasattr(prepared, "chunks"):
        prepared = next(prepared.chunks()).X
    with without_name_warnings():
        evidence = explain_prediction(model.last, prepared, leave_out=leave_out)
    if names is not None:
        evidence = replace(evidence, feature_names=names)
    return _in_data_rows(evidence, model)


def explain_by_effects(
    model: TableModel,
    as_input: Callable[[dict[str, Any]], Any],
    row: Mapping[str, Any],
    others: Mapping[str, Any],
) -> dict[str, Any]:
    """Return a prediction, its score, and the effect of each column or word on the score.

    Of a column relative to other rows, of a word of a document; the largest first. `row` has the
    columns of one row; `as_input` makes them input of the model.
    """
    if not hasattr(model.model, "predict"):
        kind = type(model.last).__name__
        raise ParameterError(f"The model is a {kind}, which has no predict. Give another model.")
    prediction = model.call("predict", as_input(dict(row)))[0]
    score = model.score(prediction)
    if not model.reads_documents:
        value = float(score(as_input(dict(row)))[0])
        effects = column_effects(lambda table: score(as_input(table)), row, others)
        return _described(prediction, value, effects)
    document = str(model.documents(row)[0])

    def of_texts(texts: list[object]) -> Any:
        return score(as_input({name: np.array(texts, object) for name in row}))

    value = float(of_texts([document])[0])
    return _described(prediction, value, word_effects(of_texts, document))


def describe_evidence(evidence: Evidence | NumberEvidence) -> dict[str, object]:
    """Return the evidence as a dict, for JSON."""
    common = {
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
    flip = {"rows": evidence.flip_rows, "label": evidence.flip_label}
    other = {
        "row": evidence.other_row,
        "distance": evidence.other_distance,
        "label": evidence.other_label,
    }
    return common | {
        "margin": evidence.margin,
        "votes": dict(zip(classes, evidence.votes.tolist(), strict=True)),
        "labels": evidence.labels,
        "flip": None if evidence.flip_rows is None else flip,
        "nearest_of_another_class": None if evidence.other_row is None else other,
    }


def arrow_table(values: Mapping[str, Any]) -> Any:
    """Return columns as a table of Arrow, in which a model finds them by name."""
    try:
        import pyarrow as pa
    except ImportError:
        raise ExtraMissingError.of("pyarrow", "files") from None
    return pa.table({name: column.tolist() for name, column in values.items()})


def _described(
    prediction: object, score: float, effects: list[tuple[str, float]]
) -> dict[str, object]:
    features = [{"name": name, "effect": effect} for name, effect in effects]
    return {"prediction": prediction, "score": score, "features": features}


def _in_data_rows(
    evidence: Evidence | NumberEvidence, model: TableModel
) -> Evidence | NumberEvidence:
    """Return the evidence with the rows of the data in place of those that the model counts."""
    evidence = replace(evidence, rows=model.data_rows(evidence.rows))
    if not isinstance(evidence, Evidence):
        return evidence
    if evidence.flip_rows is not None:
        evidence = replace(evidence, flip_rows=model.data_rows(evidence.flip_rows))
    if evidence.other_row is not None:
        other_row = int(model.data_rows(np.array([evidence.other_row]))[0])
        evidence = replace(evidence, other_row=other_row)
    return evidence
