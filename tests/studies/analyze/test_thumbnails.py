"""Rows as the report shows them."""

from __future__ import annotations

import numpy as np

from lookalike.studies.analyze.thumbnails import show_row, thumbnail
from lookalike.studies.load.dataset import Dataset


def objects(values):
    column = np.empty(len(values), object)
    column[:] = values
    return column


def test_a_thumbnail_is_a_png_that_pillow_reads_back():
    import base64
    import io

    from PIL import Image

    gray = np.arange(0, 240, 20, dtype=np.uint8).reshape(3, 4)
    head, _, body = thumbnail(gray).partition(",")
    assert head == "data:image/png;base64"
    with Image.open(io.BytesIO(base64.b64decode(body))) as read_back:
        np.testing.assert_array_equal(np.asarray(read_back), gray)


def test_a_row_is_shown_by_its_first_columns_or_the_beginning_of_its_text():
    table = Dataset({"age": np.array([1.0, np.nan])}, {"age": "number"}, np.arange(2))
    assert show_row(table, 1) == {"values": {"age": ""}}
    texts = Dataset({"t": objects(["word " * 100, None])}, {"t": "text"}, np.arange(2), text="t")
    assert show_row(texts, 0)["text"].endswith("…")
    assert show_row(texts, 1) == {"text": ""}
