"""Rows unlike those of fit are encoded: absent columns as missing, new categories as none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lookalike import TablePreprocessor
from lookalike.errors import ColumnError, InputWarning, ParameterError

FRAME = pd.DataFrame({"size": [1.0, 3.0, 2.0], "town": ["Graz", "Linz", "Graz"]})


def test_absent_columns_are_an_error_unless_they_are_to_be_imputed():
    strict = TablePreprocessor().fit(FRAME)
    with pytest.raises(ColumnError, match="lacks 1 of the 2 columns of fit: 'size'"):
        strict.transform(FRAME[["town"]])
    lenient = TablePreprocessor(absent_columns="impute").fit(FRAME)
    with pytest.warns(InputWarning, match="lacks 1 of the 2 columns of fit: 'size'"):
        Z = lenient.transform(FRAME[["town"]])
    gaps = lenient.transform(FRAME.assign(size=np.nan))
    assert np.array_equal(np.asarray(Z), np.asarray(gaps))


@pytest.mark.parametrize("encoding", ["onehot", "codes"])
def test_numbers_alone_are_encoded_where_all_categories_are_absent(encoding):
    model = TablePreprocessor(absent_columns="impute", encoding=encoding).fit(FRAME)
    with pytest.warns(InputWarning, match="'town'"):
        Z = model.transform(FRAME[["size"]])
    gaps = model.transform(FRAME.assign(town=np.array([None] * 3, object)))
    assert np.array_equal(np.asarray(Z), np.asarray(gaps), equal_nan=True)


def test_rows_with_none_of_the_columns_are_an_error_even_so():
    model = TablePreprocessor(absent_columns="impute").fit(FRAME)
    with pytest.raises(ColumnError, match="lacks 2 of the 2 columns"):
        model.transform(pd.DataFrame({"other": [1.0]}))


def test_new_categories_are_warned_of_where_that_is_asked_for_and_encoded_alike():
    new = FRAME.assign(town=["Rome", "Linz", "Rome"])
    quiet = np.asarray(TablePreprocessor().fit(FRAME).transform(new))
    model = TablePreprocessor(handle_unknown="warn").fit(FRAME)
    with pytest.warns(InputWarning, match=r"in 2 cells: 'Rome' in column 'town'\. They equal none"):
        loud = np.asarray(model.transform(new))
    assert np.array_equal(quiet, loud)
    model.transform(FRAME.assign(town=["Graz", None, "Linz"]))  # a missing one is not new


def test_other_choices_are_refused():
    for choice in ({"absent_columns": "drop"}, {"handle_unknown": "error"}):
        with pytest.raises(ParameterError, match="Choose one of"):
            TablePreprocessor(**choice).fit(FRAME)
