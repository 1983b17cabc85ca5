"""The OpenAPI document of the models that are served: columns, classes, and rows that work."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from lookalike.studies.analyze.thumbnails import png
from lookalike.studies.to_json import to_jsonable
from lookalike.web.media_types import JSON_TYPE
from lookalike.web.probe_rows import example_rows
from lookalike.web.row_batch import RowBatch
from lookalike.web.served_model import ServedModel

DESCRIBED_ROUTES = ("predict", "neighbors", "transform", "explain")  # each named as the operation
FEW_COLUMNS = 40  # that a row is an object of; a row of more is a list
MAX_LISTED_CATEGORIES = 100  # of a column that are listed
EXAMPLE_WORDS = 6
MIN_WORD_LENGTH = 3  # letters of a term that is shown as a word
MAX_LISTED_PIXELS = 1000  # of an example; a larger image is sent as a file
SIGNIFICANT_DIGITS = 4
TOKEN_SCHEME = {"bearer": {"type": "http", "scheme": "bearer"}}


def describe_models(
    document: Mapping[str, object], models: Mapping[str, ServedModel], *, token: bool
) -> dict[str, Any]:
    """Return an OpenAPI document that speaks of the models, by name."""
    described: dict[str, Any] = deepcopy(dict(document))
    if token:
        described.setdefault("components", {})["securitySchemes"] = TOKEN_SCHEME
        described["security"] = [{"bearer": []}]
    for operations in described["paths"].values():
        if "get" in operations:
            operations["head"] = _head(operations["get"])
    if not models:
        return described
    described["info"]["description"] = " ".join(map(_sentence, models.values()))
    for route in DESCRIBED_ROUTES:
        able = {name: one for name, one in models.items() if route in one.operations}
        if able:
            _describe_route(described["paths"][f"/v1/{route}"]["post"], able, len(models) > 1)
    return described


def _head(operation: Mapping[str, Any]) -> dict[str, Any]:
    """Return what HEAD of a route gives: the status and headers of GET, without a body."""
    statuses = operation["responses"].items()
    bodiless = {status: {"description": one["description"]} for status, one in statuses}
    key = f"{operation['operationId']}_head"
    return {**operation, "operationId": key, "responses": bodiless}


def _describe_route(
    route: dict[str, Any], models: Mapping[str, ServedModel], several: bool
) -> None:
    content = route["requestBody"]["content"][JSON_TYPE]
    examples = {name: example_body(one) for name, one in models.items()}
    name, first = next(iter(models.items()))
    content["example"] = examples[name]
    if several:
        content["examples"] = {key: {"value": value} for key, value in examples.items()}
        del content["example"]
        for parameter in route.get("parameters", ()):
            if parameter["name"] == "model":
                parameter["schema"] = {"type": "string", "enum": list(models), "default": name}
                parameter["required"] = True
        return
    properties = _columns(first)
    if properties:
        rows = content["schema"]["properties"]["rows"]
        rows["items"]["anyOf"][1]["properties"] = properties
    classes = first.classes
    result = route["responses"]["200"]["content"][JSON_TYPE]["schema"]["properties"]
    if "predictions" in result and classes is not None and not isinstance(classes, list):
        result["predictions"]["items"] = {"enum": to_jsonable(classes)}


def _sentence(model: ServedModel) -> str:
    """Return what a model is, what it reads and what it gives."""
    described = model.describe()
    reads = {
        "documents": "texts",
        "table": f"rows of {len(model.reader.columns)} columns",
        "matrix": f"rows of {format(model.reader.width or 1, ',')} numbers",
    }[model.reader.form]
    classes = described["classes"]
    gives = "numbers" if "predict" in model.operations else "features"
    if isinstance(classes, list):
        gives = "the class: " + ", ".join(map(str, classes[:FEW_COLUMNS]))
    return f"{model.name}: {described['kind']}, reads {reads} and gives {gives}."


def _columns(model: ServedModel) -> dict[str, Any]:
    """Return the schema of every column of a row that is an object."""
    known = getattr(model.table.first, "categories_", {})
    categories = known if isinstance(known, dict) else {}
    schemas: dict[str, Any] = {}
    for column in model.reader.columns:
        kind = {"number": "number", "boolean": "boolean"}.get(column.kind, "string")
        schema: dict[str, Any] = {"type": [kind, "null"]}
        if column.kind == "date":
            schema["format"] = "date"
        names = [str(one) for one in categories.get(column.name, ())]
        if names and len(names) <= MAX_LISTED_CATEGORIES:
            schema["examples"] = names
        schemas[column.name] = schema
    return schemas


def example_body(model: ServedModel) -> dict[str, Any]:
    """Return a body that the model can read: its means and first categories, or a picture."""
    reader, shape = model.reader, model.table.image_shape
    if reader.form == "documents":
        return {"rows": [_text(getattr(model.table.first, "terms_", ()))]}
    batch = next(example_rows(model.table, reader))
    if not isinstance(batch, np.ndarray):
        return {"rows": [_object(batch, _means(model))]}
    means, names = _means(model), reader.names
    keys: Sequence[object] = range(batch.shape[1]) if names is None else names
    cells = [
        means.get(name, means.get(place, cell))
        for place, (name, cell) in enumerate(zip(keys, batch[0].tolist(), strict=True))
    ]
    if shape is not None and len(cells) > MAX_LISTED_PIXELS:
        pixels = np.clip(np.reshape(cells, shape), 0, 255).astype(np.uint8)
        return {"images": [base64.b64encode(png(pixels)).decode("ascii")]}
    if names is None or len(cells) > FEW_COLUMNS:
        return {"rows": [[_short(cell) for cell in cells]]}
    return {"rows": [dict(zip(names, map(_short, cells), strict=True))]}


def _text(terms: Sequence[object]) -> str:
    """Return a few of the words that a model knows, from all over the alphabet."""
    words = [str(term) for term in terms]
    plain = [word for word in words if word.isalpha() and len(word) >= MIN_WORD_LENGTH] or words
    step = max(1, len(plain) // EXAMPLE_WORDS)
    return " ".join(plain[step // 2 :: step][:EXAMPLE_WORDS]) or "a text"


def _object(batch: RowBatch, values: Mapping[object, float]) -> dict[str, object]:
    assert isinstance(batch, dict)
    row: dict[str, object] = {}
    for name, column in batch.items():
        cell = values.get(name, to_jsonable(column[0]))
        row[name] = str(column[0])[:10] if column.dtype.kind == "M" else _short(cell)
    return row


def _means(model: ServedModel) -> dict[object, float]:
    """Return what the first step knows of the middle of its columns, by name or place."""
    first = model.table.first
    if hasattr(first, "fill_") and hasattr(first, "get_feature_names_out"):
        names = first.get_feature_names_out()[: len(first.fill_)].tolist()
        return dict(zip(names, np.asarray(first.fill_).tolist(), strict=True))
    means = getattr(first, "mean_", None)
    if means is None or np.ndim(means) != 1:
        return {}
    return dict(enumerate(np.asarray(means, np.float64).tolist()))


def _short(cell: object) -> object:
    if not isinstance(cell, float):
        return cell
    short = float(f"{cell:.{SIGNIFICANT_DIGITS}g}")
    return int(short) if short.is_integer() else short
