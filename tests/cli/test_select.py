"""`lookalike select` ranks the features that a study would use."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def mixed(tmp_path):
    """A table whose class is decided by a category; some targets are missing."""
    rng = np.random.default_rng(0)
    kind = rng.integers(2, size=120)
    frame = pd.DataFrame(
        {
            "id": np.arange(120),
            "noise": 1000 * rng.random(120),
            "town": np.where(kind == 1, "Graz", "Linz"),
            "kind": np.array(["no", "yes"])[kind],
        }
    )
    frame.loc[[3, 8], "kind"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_identifiers_are_no_features_and_rows_without_target_are_left_out(run_cli, mixed):
    code, out, stderr = run_cli("select", mixed, "--target", "kind", "--json")
    assert code == 0, stderr
    result = json.loads(out)
    names = [one["feature"] for one in result["features"]]
    assert names[-1] == "noise"
    assert set(names) == {"town=Graz", "town=Linz", "noise"}
    assert any(one.startswith("rows: 2 left out") for one in result["decisions"])
    assert any(one.startswith("column 'id': dropped") for one in result["decisions"])


def test_a_column_is_dropped_by_name(run_cli, refused, mixed):
    code, out, stderr = run_cli("select", mixed, "--target", "kind", "--drop", "town", "--json")
    assert code == 0, stderr
    assert [one["feature"] for one in json.loads(out)["features"]] == ["noise"]
    assert "'none'" in refused("select", mixed, "--target", "kind", "--drop", "none")


def test_chi2_counts_categories_as_0_and_1(run_cli, mixed):
    from sklearn.feature_selection import chi2

    arguments = ("select", mixed, "--target", "kind", "--score", "chi2", "--drop", "noise")
    code, out, stderr = run_cli(*arguments, "--json")
    assert code == 0, stderr
    frame = pd.read_csv(mixed).dropna()
    expected = chi2((frame[["town"]] == "Graz").to_numpy(float), frame["kind"])[0]
    scores = {one["feature"]: one["score"] for one in json.loads(out)["features"]}
    assert scores["town=Graz"] == pytest.approx(expected[0])


def test_chi2_leaves_components_of_text_out(run_cli, tmp_path):
    rng = np.random.default_rng(0)
    words = np.array(
        ["ship", "sea", "boat", "wind", "bank", "loan", "rate", "goal", "ball", "team"]
    )
    frame = pd.DataFrame(
        {
            "note": [" ".join(rng.permutation(words)[:8]) + f" number {i}" for i in range(60)],
            "count": rng.integers(0, 9, 60),
            "kind": np.array(["a", "b"])[rng.integers(2, size=60)],
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    arguments = ("select", tmp_path / "t.csv", "--target", "kind", "--score", "chi2", "--json")
    code, out, stderr = run_cli(*arguments)
    assert code == 0, stderr
    result = json.loads(out)
    assert [one["feature"] for one in result["features"]] == ["count"]
    assert any("text left out" in one for one in result["decisions"])
