"""Rows of arrays, frames and lists as bodies of requests, and results as arrays."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from lookalike.errors import ParameterTypeError, ShapeError
from lookalike.file_schema import (
    boolean,
    items,
    open_record,
    optional,
    parse_plain_json,
    scalar,
    text,
    whole,
)
from lookalike.studies.to_json import to_jsonable
from lookalike.typing import AnyArray
from lookalike.validation import shown
from lookalike.web.media_types import ARROW_TYPE, JSON_TYPE

if TYPE_CHECKING:
    from types import ModuleType

    import pyarrow as pa


ANSWER_RULE = open_record(
    {"notes": items(open_record({"kind": text, "detail": text}))}, optional=("notes",)
)
MODELS_RULE = open_record({"models": items(open_record({"name": text, "ready": boolean}))})
PROBLEM_RULE = open_record(
    {"detail": text, "status": whole(), "row": optional(whole()), "column": optional(scalar)},
    optional=("status", "row", "column"),
)


def encode_rows(X: object, *, arrow: bool = True) -> tuple[bytes, str]:
    """Return rows as a body, and its media type: Arrow where it can be, else JSON."""
    pa = _pyarrow() if arrow else None
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        if pa is not None:
            return _stream(frame.to_arrow(), pa), ARROW_TYPE
        content = {"columns": list(frame.columns), "rows": to_jsonable(list(frame.iter_rows()))}
        return json.dumps(content).encode(), JSON_TYPE
    if isinstance(X, (list, tuple)) and X and all(isinstance(text, str) for text in X):
        return json.dumps({"rows": list(X)}).encode(), JSON_TYPE
    if isinstance(X, (list, tuple)) and X and all(isinstance(row, dict) for row in X):
        return json.dumps({"rows": to_jsonable(list(X))}).encode(), JSON_TYPE
    return _encode_matrix(X, pa)


def read_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object that an answer is, with its notes checked, or raise."""
    content: dict[str, Any] = parse_plain_json(body)
    ANSWER_RULE(content, "")
    return content


def read_columns(
    media: str, body: bytes, n_rows: int
) -> tuple[dict[str, AnyArray], dict[str, object]]:
    """Return the arrays of a result, one entry for each row, and what else it says."""
    arrays, about = _read_arrays(media, body)
    for name, values in arrays.items():
        if len(values) != n_rows:
            raise ShapeError(f"{name} has {len(values)} entries for {n_rows} rows.")
    return arrays, about


def _read_arrays(media: str, body: bytes) -> tuple[dict[str, AnyArray], dict[str, object]]:
    if media == JSON_TYPE:
        content = read_object(body)
        names = {"predictions": "prediction"}
        arrays = {
            names.get(name, name): np.array(value)
            for name, value in content.items()
            if name in ("predictions", "probabilities", "rows", "distances")
        }
        if isinstance(content.get("classes"), list) and "prediction" in arrays:
            arrays["prediction"] = arrays["prediction"].astype(np.array(content["classes"]).dtype)
        return arrays, content
    pa = _pyarrow()
    table = pa.ipc.open_stream(body).read_all()
    about = read_object(table.schema.metadata[b"lookalike"])
    return {name: _array(table.column(name), pa) for name in table.column_names}, about


def predicted_labels(columns: dict[str, AnyArray], about: dict[str, Any]) -> AnyArray:
    """Return predictions in the type of the labels of the model."""
    outputs = [values for name, values in columns.items() if name.startswith("prediction_")]
    labels = np.column_stack(outputs) if outputs else columns["prediction"]
    kind = about.get("label_type")
    return labels if kind is None else labels.astype(np.dtype(kind))


def _encode_matrix(X: object, pa: ModuleType | None) -> tuple[bytes, str]:
    try:
        rows = np.asarray(X)
    except ValueError:
        raise ShapeError("The rows of X differ in length. Give as many cells in each.") from None
    if rows.ndim != 2:
        raise ShapeError(f"X has {rows.ndim} dimensions. Give a table: rows and columns.")
    if pa is None or rows.dtype.kind not in "iuf" or rows.dtype.itemsize > 8 or not rows.size:
        if rows.dtype.kind not in "iufbOU":
            raise ParameterTypeError(f"X of type {shown(str(rows.dtype))} cannot be sent.")
        return json.dumps({"rows": to_jsonable(rows)}).encode(), JSON_TYPE
    flat = pa.array(np.ascontiguousarray(rows.astype(rows.dtype.newbyteorder("="))).reshape(-1))
    lists = pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])
    return _stream(pa.table({"rows": lists}), pa), ARROW_TYPE


def _stream(table: pa.Table, pa: ModuleType) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _array(column: pa.ChunkedArray, pa: ModuleType) -> AnyArray:
    if pa.types.is_fixed_size_list(column.type):
        flat: AnyArray = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
        return flat.reshape(len(column), -1)
    values: AnyArray = column.to_numpy()
    return values


def _pyarrow() -> Any:
    try:
        import pyarrow as pa
        import pyarrow.ipc
    except ImportError:
        return None
    return pa
