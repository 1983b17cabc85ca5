"""Columns of text as components of their tf-idf weights, next to other columns."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

import lookalike
from lookalike import TablePreprocessor
from lookalike.errors import ColumnError

TEXTS = ["red car", "red truck", "blue flower", "blue petal", None, "car truck", "flower petal"]
TABLE = pa.table(
    {
        "size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
        "town": ["Graz", "Linz", "Graz", "Graz", "Linz", "Linz", "Graz"],
        "note": TEXTS,
    }
)
KINDS = {"size": "number", "town": "category", "note": "text"}


def test_text_becomes_components_that_weigh_as_much_as_the_other_columns():
    model = TablePreprocessor(KINDS).fit(TABLE)
    names = model.get_feature_names_out().tolist()
    assert names[:4] == ["size", "town=Graz", "town=Linz", "note: component 1"]
    assert model.origins() == ["size", "town", "town", *["note"] * (len(names) - 3)]
    rows = model.transform(TABLE).to_pandas().to_numpy()
    assert rows[:, 3:].var(axis=0).sum() == pytest.approx(2.0)
    assert not rows[4, 3:].any()  # without a text, at zero
    assert ["text", "tf-idf components"] in [list(one)[:2] for one in model.decisions_]


def test_components_keep_the_cosines_of_the_texts():
    model = TablePreprocessor(KINDS).fit(TABLE)
    parts = model.transform(TABLE).to_pandas().to_numpy()[:, 3:]
    terms = model.texts_["note"].weights.transform(TABLE)
    scale = model.texts_["note"].scale
    np.testing.assert_allclose(parts @ parts.T, (terms @ terms.T).toarray() * scale**2, atol=1e-9)


def test_terms_come_as_sparse_rows_after_the_other_columns():
    model = TablePreprocessor(KINDS, text="terms").fit(TABLE)
    rows = model.transform(TABLE)
    assert sp.issparse(rows)
    assert rows.shape == (7, len(model.get_feature_names_out()))
    assert "note: flower" in model.get_feature_names_out()


def test_a_stored_preprocessor_has_no_document(tmp_path):
    model = TablePreprocessor(KINDS).fit(TABLE)
    lookalike.save(model, tmp_path / "table.lookalike")
    again = lookalike.load(tmp_path / "table.lookalike")
    assert again.transform(TABLE).equals(model.transform(TABLE))
    assert b"flower petal" not in (tmp_path / "table.lookalike").read_bytes()


def test_a_table_without_the_text_is_refused():
    model = TablePreprocessor(KINDS).fit(TABLE)
    with pytest.raises(ColumnError, match="note"):
        model.transform(TABLE.select(["size", "town"]))
