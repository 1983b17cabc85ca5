"""A row as the report shows it: a thumbnail, the beginning of its text, or some of its columns."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np

from lookalike.missing import is_missing
from lookalike.printable import shortened
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray

THUMBNAIL_PIXELS = 64  # pixels of a thumbnail's longer side
TEXT_CHARACTERS_SHOWN = 240  # characters of a text
SHOWN_COLUMNS = 12  # of a table
WHOLE_NUMBERS_FROM = 100_000  # from which on numbers are shown whole
CELL_CHARACTERS = 40  # characters of a cell


def show_row(dataset: Dataset, row: int) -> dict[str, Any]:
    """Return the fields of a FlaggedRow or Neighbor that show a row."""
    if dataset.text is not None:
        value = dataset.column(dataset.text)[row]
        text = "" if is_missing(value) else " ".join(str(value).split())
        return {"text": shortened(text, TEXT_CHARACTERS_SHOWN)}
    if dataset.image_shape is not None and isinstance(dataset.rows, np.ndarray):
        return {"thumbnail": thumbnail(dataset.rows[row].reshape(dataset.image_shape))}
    names = dataset.names[:SHOWN_COLUMNS]
    return {"values": {name: _cell(dataset.column(name)[row]) for name in names}}


def thumbnail(pixels: AnyArray) -> str:
    """Return gray values (h, w) or colors (h, w, 3) as the data: address of a small PNG."""
    step = max(1, -(-max(pixels.shape[:2]) // THUMBNAIL_PIXELS))
    small = pixels[::step, ::step].astype(np.float64)
    top = 255.0 if pixels.dtype == np.uint8 else max(float(small.max()), 1e-12)
    if pixels.dtype != np.uint8 and float(small.max()) > 16 and float(small.max()) <= 255:
        top = 255.0
    low = min(float(small.min()), 0.0)
    gray = np.clip((small - low) / (top - low) * 255, 0, 255).astype(np.uint8)
    return "data:image/png;base64," + base64.b64encode(png(gray)).decode("ascii")


def png(pixels: AnyArray) -> bytes:
    """Return a PNG file of 8-bit gray values or colors."""
    height, width = pixels.shape[:2]
    colors = 2 if pixels.ndim == 3 else 0
    lines = pixels.reshape(height, -1)
    raw = np.column_stack([np.zeros(height, np.uint8), lines]).tobytes()
    head = struct.pack(">IIBBBBB", width, height, 8, colors, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b"")]
    file = b"\x89PNG\r\n\x1a\n"
    for kind, body in parts:
        check = struct.pack(">I", zlib.crc32(kind + body))
        file += struct.pack(">I", len(body)) + kind + body + check
    return file


def _cell(value: object) -> str:
    if is_missing(value):
        return ""
    if isinstance(value, (float, np.floating)):
        amount = float(value)
        return f"{amount:,.0f}" if abs(amount) >= WHOLE_NUMBERS_FROM else f"{amount:,.6g}"
    if isinstance(value, (int, np.integer)) and abs(int(value)) >= WHOLE_NUMBERS_FROM:
        return f"{int(value):,}"
    if isinstance(value, np.datetime64):
        moment = str(value.astype("datetime64[s]"))
        return moment.removesuffix("T00:00:00").replace("T", " ")
    return str(value)[:CELL_CHARACTERS]
