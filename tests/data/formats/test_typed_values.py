"""Python values of several types are typed as the cells of a csv file are."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lookalike.data import open_source
from lookalike.data.formats.typed_values import type_values
from lookalike.decisions import Decisions


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, 2.5, None], "number", [1, 2.5, np.nan]),
        ([True, None, False], "boolean", [1, np.nan, 0]),
        (["1.5", 2, "unknown"], "number", [1.5, 2, np.nan]),
        (["007", "07", None], "category", ["007", "07", None]),
        (["a", 1, None], "category", ["a", "1", None]),
    ],
)
def test_values_are_typed_by_evidence(values, kind, expected):
    form, array = type_values("x", values, Decisions(), {})
    assert form.kind == kind
    if kind == "category":
        assert array.tolist() == expected
    else:
        np.testing.assert_array_equal(array, expected)


def test_json_lines_are_typed_as_a_csv_is(tmp_path):
    rows = [{"charge": f"${i}.50", "zip": f"{i % 7:05}", "note": i} for i in range(40)]
    rows[3]["charge"] = "abc"
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    source = open_source(path, drop=["note"])
    assert [(c.name, c.kind) for c in source.columns] == [("charge", "number"), ("zip", "category")]
    assert "1 of 40 cells is not a number and becomes missing: 'abc'" in source.odd_cells["charge"]
    values = next(source.tables()).values
    np.testing.assert_array_equal(values["charge"][2:5], [2.5, np.nan, 4.5])
    assert open_source(path, types={"zip": "number"}).columns[1].kind == "number"
