"""The table of rows: every order is that of the column, every condition that of pandas."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from lookalike.errors import ColumnError, ParameterError
from lookalike.web.explorer.row_search import search_matches, search_rows


@pytest.fixture(scope="module")
def frame(table):
    """The rows as pandas holds them, by the names of the columns."""
    dataset = table.rows.dataset
    return pd.DataFrame({name: dataset.column(name) for name in dataset.names})


def test_every_column_sorts_as_pandas_does_with_missing_cells_last(table, frame):
    for place, name in enumerate(frame.columns):
        for descending in (False, True):
            expected = frame[name].sort_values(
                ascending=not descending, kind="stable", na_position="last"
            )
            order = table.table.order(str(place), descending)
            assert order.tolist() == expected.index.tolist(), (name, descending)


def test_pages_follow_each_other_and_hold_the_chosen_rows_alone(table):
    chosen = np.arange(len(table.rows)) % 3 == 0
    pages = [
        table.table.page(begin, 25, sort="row", descending=True, chosen=chosen)
        for begin in (0, 25, 50)
    ]
    rows = [row for page in pages for row in page["rows"]]
    assert rows == np.flatnonzero(chosen)[::-1][:75].tolist()
    assert {page["total"] for page in pages} == {int(chosen.sum())}


def test_a_line_is_the_row_its_label_its_prediction_and_its_cells(table):
    line = table.table.page(0, 1, sort="row", descending=False, chosen=None)["lines"][0]
    known = table.state.row(0)
    assert line == [
        known["number"], known["label"], known["predicted"],
        *(cell["value"] for cell in known["cells"]),
    ]  # fmt: skip


def test_a_condition_chooses_the_rows_that_pandas_chooses(table, frame):
    name = next(n for n in frame.columns if frame[n].dtype.kind == "f")
    expected = (frame[name] > 0.5).to_numpy()
    assert np.array_equal(table.table.where(f"`{name}` > 0.5"), expected)
    target = table.rows.target
    labels = np.array([table.rows.label(row) for row in range(len(table.rows))], object)
    assert np.array_equal(table.table.where(f"`{target}` == 'yes'"), labels == "yes")


def test_a_condition_on_an_unknown_column_and_a_wrong_order_are_errors(table):
    with pytest.raises(ColumnError, match="nowhere"):
        table.table.where("nowhere > 1")
    with pytest.raises(ParameterError, match="no column '99'"):
        table.table.order("99", False)


def test_chosen_rows_are_written_as_csv_that_pandas_reads_again(table, frame):
    chosen = np.zeros(len(table.rows), bool)
    chosen[[2, 5, 11]] = True
    file = io.BytesIO()
    table.table.write_csv(file, chosen)
    file.seek(0)
    read = pd.read_csv(file)
    assert read["row"].tolist() == [2, 5, 11]
    number = next(n for n in frame.columns if frame[n].dtype.kind == "f")
    assert np.allclose(read[number], frame[number][[2, 5, 11]], equal_nan=True)


def test_typed_text_may_be_a_row_a_label_or_a_text(digits):
    matches = search_matches(digits.rows, "7")
    assert [match["kind"] for match in matches] == ["row", "label", "text"]
    sevens = int((digits.rows.code == digits.rows.class_names.index("7")).sum())
    assert matches[1] == {"kind": "label", "text": "7", "total": sevens}
    assert search_rows(digits.rows, "7")["rows"] == [7]
    assert search_rows(digits.rows, "7", kind="label")["total"] == sevens
    with pytest.raises(ParameterError, match="row, label, text"):
        search_rows(digits.rows, "7", kind="color")


def test_chosen_rows_are_written_as_parquet_with_the_types_of_their_cells(table, frame):
    chosen = np.arange(len(table.rows)) % 7 == 0
    file = io.BytesIO()
    table.table.write_parquet(file, chosen)
    written = pd.read_parquet(io.BytesIO(file.getvalue()))
    assert written["row"].tolist() == table.rows.dataset.row[chosen].tolist()
    assert written["a"].dtype == np.float64
    expected = frame["a"][chosen].to_numpy(float)
    assert np.array_equal(written["a"].to_numpy(), expected, equal_nan=True)
