"""What the OpenAPI document says of bodies, results and problems."""

from __future__ import annotations

from typing import Any

from lookalike.web.media_types import ARROW_TYPE, JSON_TYPE
from lookalike.web.problems import MEDIA_TYPE

_NUMBER_LIST_SCHEMA = {"type": "array", "items": {"type": "number"}}
_NAME_SCHEMA = {"type": "string"}
_CELL_SCHEMA = {"type": ["number", "string", "boolean", "null"]}
_ROWS_SCHEMA: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "items": {
        "anyOf": [
            {"type": "array", "items": _CELL_SCHEMA},
            {"type": "object", "additionalProperties": _CELL_SCHEMA},
            {"type": "string"},
        ]
    },
    "description": "Rows: lists of cells in the order of the model's columns, objects with "
    "its columns, or texts for a model of documents. null is a missing value.",
}
_BODY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "rows": _ROWS_SCHEMA,
        "columns": {
            "type": "array",
            "items": _NAME_SCHEMA,
            "description": "Names of the cells where rows are lists; default: the model's.",
        },
        "images": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "string", "format": "byte"},
            "description": "Images in base64 (PNG, JPEG …), in the place of rows.",
        },
        "reference": {
            **_ROWS_SCHEMA,
            "description": "For /v1/explain: rows that effects of columns are relative to.",
        },
    },
    "anyOf": [{"required": ["rows"]}, {"required": ["images"]}],
}
REQUEST_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            JSON_TYPE: {"schema": _BODY_SCHEMA, "example": {"rows": [[5.1, 3.5, 1.4, 0.2]]}},
            ARROW_TYPE: {"schema": {"type": "string", "format": "binary"}},
        },
    }
}
FEEDBACK_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            JSON_TYPE: {
                "schema": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["id", "labels"],
                    "properties": {
                        "id": {**_NAME_SCHEMA, "description": "The x-request-id of an answer."},
                        "labels": {
                            "type": "array",
                            "items": {"type": ["string", "number", "boolean", "null"]},
                            "description": "The true labels of its rows, in their order.",
                        },
                    },
                },
                "example": {"id": "5f0c1a2b-1", "labels": [0]},
            }
        },
    }
}
_PROBLEM_SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": _NAME_SCHEMA,
        "title": _NAME_SCHEMA,
        "status": {"type": "integer"},
        "detail": {**_NAME_SCHEMA, "description": "What was asked, what was found, what to do."},
        "row": {"type": "integer", "description": "The row at fault, from 0."},
        "column": {"type": ["string", "integer"], "description": "The column at fault."},
    },
}
_STATUS_MEANINGS = {
    400: "The body is not valid JSON or Arrow.",
    401: "A bearer token is needed.",
    403: "The request comes from a page of another origin.",
    404: "There is no such model or row.",
    408: "The body did not arrive in time.",
    413: "The body is too large, or has too many rows.",
    415: "The body is of another media type, or compressed.",
    421: "The Host header names another server.",
    422: "The rows do not fit the model; row and column say where.",
    429: "Too many requests of one address are in progress.",
    503: "The service is busy, or the model is not ready; try again after Retry-After.",
}
_EXPLORER_MEANINGS = {
    409: "The row is of the test set, or nothing is left to undo; confirm, or leave it.",
    507: "The disk did not take the decision; the detail says what is kept.",
}


def _problems(meanings: dict[int, str]) -> dict[int | str, dict[str, Any]]:
    return {
        status: {"description": meaning, "content": {MEDIA_TYPE: {"schema": _PROBLEM_SCHEMA}}}
        for status, meaning in meanings.items()
    }


PROBLEM_RESPONSES = _problems(_STATUS_MEANINGS)
EXPLORER_PROBLEMS = _problems(_STATUS_MEANINGS | _EXPLORER_MEANINGS)
_ABOUT_SCHEMA = {"model": _NAME_SCHEMA, "version": {"type": "integer"}}
_NOTES_SCHEMA = {
    "type": "array",
    "items": {"type": "object", "properties": {"kind": _NAME_SCHEMA, "detail": _NAME_SCHEMA}},
    "description": "How rows differ from training rows: absent and unused columns, unknown "
    "categories, missing values.",
}
_RESULT_SCHEMAS: dict[str, dict[str, Any]] = {
    "health": {"status": _NAME_SCHEMA},
    "models": {"models": {"type": "array", "items": {"type": "object"}}},
    "rows": {**_ABOUT_SCHEMA, "rows": {"type": "array"}, "values": {"type": "array"}},
    "predict": {**_ABOUT_SCHEMA, "predictions": {"type": "array"}, "notes": _NOTES_SCHEMA},
    "neighbors": {
        **_ABOUT_SCHEMA,
        "rows": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "distances": {"type": "array", "items": _NUMBER_LIST_SCHEMA},
        "neighbors_by": {"type": ["string", "null"], "description": "That a companion finds them."},
        "notes": _NOTES_SCHEMA,
    },
    "transform": {
        **_ABOUT_SCHEMA,
        "columns": {"type": "array", "items": _NAME_SCHEMA},
        "rows": {"type": "array", "items": {"type": "array"}},
        "notes": _NOTES_SCHEMA,
    },
    "feedback": {**_ABOUT_SCHEMA, "rows": {"type": "integer"}},
    "explain": {
        **_ABOUT_SCHEMA,
        "explanations": {"type": "array", "items": {"type": "object"}},
        "notes": _NOTES_SCHEMA,
    },
}
_WITH_ARROW = ("predict", "neighbors", "transform")


def response(name: str) -> dict[int | str, dict[str, Any]]:
    """Return the description of a successful response."""
    properties = _RESULT_SCHEMAS[name]
    schema = {"type": "object", "required": list(properties), "properties": properties}
    content: dict[str, object] = {JSON_TYPE: {"schema": schema}}
    if name in _WITH_ARROW:
        content[ARROW_TYPE] = {"schema": {"type": "string", "format": "binary"}}
    return {200: {"description": "The result.", "content": content}}
