"""Results of models as JSON and as columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from fastapi.responses import Response, StreamingResponse

from lookalike.studies.to_json import to_jsonable
from lookalike.typing import AnyArray
from lookalike.web.batching import Results
from lookalike.web.media_types import JSON_TYPE
from lookalike.web.served_model import ServedModel

CELLS_OF_A_PART = 2**14  # of a result that is sent in parts


def json_response(content: dict[str, object]) -> Response:
    """Return a JSON response; what is not finite is null."""
    return Response(_dumps(content), media_type=JSON_TYPE)


def rows_response(about: Mapping[str, object], values: Mapping[str, object]) -> Response:
    """Return a JSON object of plain entries and of arrays, a large one in parts as it is sent."""
    size = sum(array.size for array in _arrays_of(values))
    parts = _json_parts(about, values)
    if size <= CELLS_OF_A_PART:
        return Response(b"".join(parts), media_type=JSON_TYPE)
    return StreamingResponse(parts, media_type=JSON_TYPE)


def prediction_response(
    served: ServedModel, results: Results, notes: Sequence[Mapping[str, str]]
) -> Response:
    """Return predictions and probabilities as JSON, and how the rows differ from training rows."""
    predictions, *shares = results
    about: dict[str, object] = {"model": served.name, "version": served.version, "notes": notes}
    values: dict[str, object] = {"predictions": predictions}
    if shares:
        about["classes"] = to_jsonable(served.classes)
        values["probabilities"] = shares if isinstance(served.classes, list) else shares[0]
    return rows_response(about, values)


def _arrays_of(values: Mapping[str, object]) -> Iterator[AnyArray]:
    for value in values.values():
        yield from value if isinstance(value, list) else [np.asarray(value)]


def _json_parts(about: Mapping[str, object], values: Mapping[str, object]) -> Iterator[bytes]:
    """Give the text of an object in parts, so that the whole of it is never in memory."""
    yield _dumps(dict(about))[:-1]
    for name, value in values.items():
        yield b"," + _dumps(name) + b":"
        if not isinstance(value, list):
            yield from _array_parts(np.asarray(value))
            continue
        for number, array in enumerate(value):
            yield b"," if number else b"["
            yield from _array_parts(array)
        yield b"]"
    yield b"}"


def _array_parts(array: AnyArray) -> Iterator[bytes]:
    """Give the text of an array, a few thousand cells at a time."""
    step = max(1, CELLS_OF_A_PART // max(1, array.size // max(1, len(array))))
    for start in range(0, max(1, len(array)), step):
        text = _dumps(array[start : start + step].tolist())
        yield (b"," if start else b"[") + text[1:-1]
    yield b"]"


def _dumps(content: object) -> bytes:
    try:
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()
    except (ValueError, TypeError):  # what is not finite, or of NumPy
        return json.dumps(to_jsonable(content), separators=(",", ":"), allow_nan=False).encode()


def predicted_columns(results: Results) -> dict[str, AnyArray]:
    """Return predictions and probabilities as columns: prediction, probabilities."""
    predictions, *shares = results
    columns = {"prediction": predictions}
    if predictions.ndim == 2:
        columns = {f"prediction_{j}": predictions[:, j] for j in range(predictions.shape[1])}
    for number, share in enumerate(shares):
        name = "probabilities" if len(shares) == 1 else f"probabilities_{number}"
        columns[name] = np.asarray(share, np.float64)
    return columns
