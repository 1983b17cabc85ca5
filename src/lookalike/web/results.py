"""Results of models as JSON and as columns."""

from __future__ import annotations

import json

import numpy as np
from fastapi.responses import Response

from lookalike.studies.to_json import to_jsonable
from lookalike.typing import AnyArray
from lookalike.web.batching import Results
from lookalike.web.media_types import JSON
from lookalike.web.served_model import ServedModel


def json_response(content: dict[str, object]) -> Response:
    """Return a JSON response; what is not finite is null."""
    try:
        text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    except (ValueError, TypeError):
        text = json.dumps(to_jsonable(content), separators=(",", ":"), allow_nan=False)
    return Response(text.encode(), media_type=JSON)


def prediction_json(served: ServedModel, results: Results) -> dict[str, object]:
    """Return predictions and probabilities for JSON."""
    predictions, *shares = results
    content = {
        "model": served.name,
        "version": served.version,
        "predictions": predictions.tolist(),
    }
    if shares:
        several = isinstance(served.classes, list)
        content["classes"] = to_jsonable(served.classes)
        listed = [share.tolist() for share in shares]
        content["probabilities"] = listed if several else listed[0]
    return content


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
