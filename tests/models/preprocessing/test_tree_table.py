"""Tables for trees: encoded columns, and the cells as they are beside them."""

import numpy as np
import pandas as pd

from lookalike import TablePreprocessor
from lookalike.models.preprocessing.tree_table import FeatureRange, TreeTablePreprocessor

TABLE = pd.DataFrame(
    {"age": [30.0, np.nan, 50.0], "town": ["Graz", "Linz", "Graz"], "size": [1.0, 2.0, 3.0]}
)


def test_cells_come_after_the_encoded_columns_as_they_are():
    model = TreeTablePreprocessor().fit(TABLE)
    rows = np.asarray(model.transform(TABLE))
    encoded = np.asarray(TablePreprocessor().fit_transform(TABLE))
    np.testing.assert_array_equal(rows[:, : model.n_encoded_], encoded)
    np.testing.assert_array_equal(
        rows[:, model.n_encoded_ :], [[30.0, 1.0, 0.0], [np.nan, 2.0, 1.0], [50.0, 3.0, 0.0]]
    )
    assert model.code_columns == [2]
    assert model.origins() == ["age", "size", "town", "town", "age", "size", "town"]
    assert len(model.get_feature_names_out()) == rows.shape[1]


def test_units_are_those_of_the_table_in_both_parts():
    model = TreeTablePreprocessor().fit(TABLE)
    units = model.table_units(np.asarray(model.transform(TABLE)))
    np.testing.assert_allclose(units[0], [30.0, 1.0, 1.0, 0.0, 30.0, 1.0, 0.0])


def test_a_category_that_was_not_seen_has_a_code_of_its_own():
    model = TreeTablePreprocessor().fit(TABLE)
    rows = np.asarray(model.transform(TABLE.assign(town="Wien")))
    assert rows[:, -1].tolist() == [2.0, 2.0, 2.0]


def test_a_range_takes_its_columns_and_names_them():
    some = FeatureRange(1, 3, 4)
    assert some.transform(np.arange(8.0).reshape(2, 4)).tolist() == [[1.0, 2.0], [5.0, 6.0]]
    assert some.get_feature_names_out(["a", "b", "c", "d"]).tolist() == ["b", "c"]
    assert some.n_features_in_ == 4


def test_a_range_lies_alike_from_the_last_column_in_rows_of_another_width():
    narrow = np.arange(6.0).reshape(2, 3)
    cells, encoded = FeatureRange(2, 4, 4).fit(narrow), FeatureRange(0, 2, 4).fit(narrow)
    assert cells.transform(narrow).tolist() == [[1.0, 2.0], [4.0, 5.0]]
    assert encoded.transform(narrow).tolist() == [[0.0], [3.0]]
    assert cells.n_features_in_ == 3
