"""New items: a row of cells, a text or an image is predicted, explained and placed on the maps."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.data.formats.parse_dates import parse_dates
from lookalike.data.source import Source
from lookalike.data.sources.arrays import ArraySource
from lookalike.data.sources.columns_source import ColumnsSource
from lookalike.errors import LookalikeError, ParameterError
from lookalike.explain.prediction.explanation import Explanation, plain
from lookalike.explain.prediction.input_notes import InputNotes
from lookalike.explain.prediction.table_model import TableModel
from lookalike.typing import AnyArray
from lookalike.validation import few
from lookalike.web.explorer.maps import NEIGHBOR_MAP_ID
from lookalike.web.explorer.row_images import RowImages

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration_state import ExplorationState

MAX_PIXELS_OF_ITEM = 50_000_000  # of an image before it is brought to the size of the others


class NewItems:
    """Queries that are not rows of the data."""

    def __init__(self, exploration: ExplorationState) -> None:
        self._exploration = exploration

    @property
    def columns(self) -> list[dict[str, object]]:
        """The columns with their types, and whether a model reads them."""
        exploration = self._exploration
        kinds, needed = exploration.rows.dataset.kinds, set[str]()
        for model in (exploration.model, exploration.companion):
            if model is not None:
                needed.update(TableModel(model).needed_columns() or kinds)
        return [
            {"name": name, "type": kind, "used": not needed or name in needed}
            for name, kind in kinds.items()
        ]

    def query(
        self,
        *,
        cells: Mapping[str, object] | None = None,
        text: str | None = None,
        image: str | None = None,
        k: int | None = None,
        map: str | None = None,  # noqa: A002 - the name of the parameter
    ) -> dict[str, object]:
        """Return prediction, evidence and places of one new item, on `map` as well."""
        given = [name for name, part in (("cells", cells), ("text", text), ("image", image))
                 if part is not None]  # fmt: skip
        if len(given) != 1:
            raise ParameterError("Give one of cells, text and image.")
        if cells is not None:
            source = self.from_cells(cells)
        elif text is not None:
            source = self.from_text(text)
        else:
            source = self.from_image(image or "")
        exploration = self._exploration
        explanation = exploration.evidence.explain(exploration.neighbors.transform(source), k)
        predicted, shares = self._prediction(source, explanation)
        keys = {
            projection["id"]: None
            for projection in exploration.maps.listed()
            if projection["id"] != NEIGHBOR_MAP_ID or not projection["pending"]
        }
        if map is not None and map != NEIGHBOR_MAP_ID:
            keys[map] = None
        maps = {key: exploration.maps.get(key).placed(source) for key in keys}
        return {
            **exploration.evidence.describe(explanation),
            "neighbors_predict": plain(explanation.prediction),
            "prediction": predicted,
            "predicted_by": exploration.model_name,
            "probabilities": shares,
            "notes": self._notes(source),
            "maps": maps,
        }

    def _notes(self, source: Source) -> list[str]:
        """Return how an item of cells differs from training rows, a sentence each."""
        dataset, model = self._exploration.rows.dataset, self._exploration.model
        if model is None or dataset.text is not None or dataset.image_shape is not None:
            return []
        table = TableModel(model)
        needed, values = table.needed_columns() or {}, next(source.tables()).values
        notes = InputNotes(table)
        notes.add({name: cells for name, cells in values.items() if name in needed})
        return notes.sentences()

    def from_cells(self, cells: Mapping[str, object]) -> Source:
        """Return cells by column name as one row; columns that are not given are missing."""
        dataset = self._exploration.rows.dataset
        if unknown := [name for name in cells if name not in dataset.kinds]:
            raise ParameterError(
                f"{unknown[0]!r} is not a column; there are {few(dataset.names, text=str)}."
            )
        columns = {name: self._cell(name, cells.get(name)) for name in dataset.names}
        if isinstance(dataset.rows, np.ndarray):
            X = np.column_stack([columns[name] for name in dataset.names])
            return ArraySource(X, names=dataset.names if dataset.named else None)
        return ColumnsSource(columns, dataset.kinds)

    def from_text(self, text: str) -> Source:
        """Return a text as one row."""
        dataset = self._exploration.rows.dataset
        if dataset.text is None:
            raise ParameterError("Rows are not texts. Give cells by the name of their column.")
        return self.from_cells({dataset.text: text})

    def from_image(self, content: str) -> Source:
        """Return a PNG or JPEG, in base64, as one row: in the size and colors of the others."""
        dataset = self._exploration.rows.dataset
        if dataset.image_shape is None:
            raise ParameterError("Rows are not images. Give cells by the name of their column.")
        pixels = decoded_image(content, dataset.image_shape, self._exploration.images)
        X = pixels.reshape(1, -1).astype(np.asarray(dataset.rows).dtype)
        return ArraySource(X, names=dataset.names if dataset.named else None)

    def _cell(self, name: str, value: Any) -> AnyArray:
        dataset = self._exploration.rows.dataset
        missing = value is None or (isinstance(value, str) and not value.strip())
        if dataset.kinds[name] in ("number", "boolean"):
            try:
                return np.array([np.nan if missing else float(value)])
            except (TypeError, ValueError):
                raise ParameterError(f"{name}: {value!r} is not a number.") from None
        if np.asarray(dataset.column(name)).dtype.kind == "M":
            text = pa.array([None if missing else str(value)], pa.string())
            date = parse_dates(text, dataset.date_orders.get(name, "ymd"))
            if np.isnat(date[0]) and not missing:
                raise ParameterError(f"{name}: {value!r} is not a date.")
            return date
        column = np.empty(1, object)
        column[0] = None if missing else str(value)
        return column

    def _prediction(self, source: Source, explanation: Explanation) -> tuple[Any, object]:
        """Return the prediction of the selected model, and class probabilities where known."""
        exploration = self._exploration
        model, rows = exploration.model, exploration.rows
        if model is None or not exploration.neighbors.predicts:
            return plain(explanation.prediction), explanation.vote_shares()
        value = np.asarray(model.predict(source)).tolist()[0]
        if rows.code is None:
            return float(value), None
        shares = None
        if hasattr(model, "predict_proba"):
            try:
                known = np.asarray(model.predict_proba(source))[0].tolist()
                names = [str(label) for label in np.asarray(model.classes_).tolist()]
                shares = dict(zip(names, known, strict=True))
            except (AttributeError, LookalikeError):
                shares = None
        return str(value), shares


def decoded_image(content: str, shape: tuple[int, ...], images: RowImages) -> AnyArray:
    """Return the pixels of an image in base64, in the shape and range of the rows."""
    from PIL import Image, UnidentifiedImageError

    try:
        raw = base64.b64decode(content.partition(",")[2] or content, validate=True)
    except (binascii.Error, ValueError):
        raise ParameterError("image is not base64. Send a PNG or JPEG in base64.") from None
    try:
        with Image.open(io.BytesIO(raw), formats=("PNG", "JPEG")) as image:
            if image.width * image.height > MAX_PIXELS_OF_ITEM:
                raise ParameterError(f"The image has more than {MAX_PIXELS_OF_ITEM:,} pixels.")
            mode = "L" if len(shape) == 2 else "RGB"
            small = image.convert(mode).resize((shape[1], shape[0]), Image.Resampling.BOX)
            gray = np.asarray(small, np.float64)
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError):
        raise ParameterError("image is not a PNG or JPEG that can be read.") from None
    low, high = images.range
    return gray / 255 * (high - low) + low
