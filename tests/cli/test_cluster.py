"""`lookalike cluster` describes clusters in the units of the table, categories by their shares."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from lookalike import load


@pytest.fixture
def islands(tmp_path):
    """Three groups of rows that a category and two numbers of different size tell apart."""
    rng = np.random.default_rng(0)
    group = np.arange(90) % 3
    frame = pd.DataFrame(
        {
            "island": np.array(["Biscoe", "Dream", "Torgersen"])[group],
            "bill": 40.0 + 8 * group + 0.1 * rng.normal(size=90),
            "mass": 3000.0 + 1000 * group + 10 * rng.normal(size=90),
            "species": np.array(["a", "b", "c"])[rng.integers(3, size=90)],
        }
    )
    frame.to_csv(tmp_path / "islands.csv", index=False)
    return tmp_path / "islands.csv"


def test_shares_of_categories_are_percent_and_centers_in_the_units_of_the_table(run_cli, islands):
    code, out, stderr = run_cli("cluster", islands, "-k", "3", "--target", "species")
    assert code == 0, stderr
    assert "island=Biscoe 100.0%" in out
    assert "0.7071" not in out
    assert "species" not in out
    assert "preprocessing: z-scores, one-hot categories" in out
    code, out, stderr = run_cli("cluster", islands, "-k", "3", "--target", "species", "--json")
    assert code == 0, stderr
    result = json.loads(out)
    frame = pd.read_csv(islands)
    means = frame.groupby("island")[["bill", "mass"]].mean()
    centers = pd.DataFrame(result["centers"], columns=result["columns"]).sort_values("bill")
    np.testing.assert_allclose(centers[["bill", "mass"]], means.sort_values("bill"), rtol=1e-9)
    names = ["island=Biscoe", "island=Dream", "island=Torgersen"]
    np.testing.assert_allclose(centers[names], np.eye(3), atol=1e-12)
    assert result["preparation"] == "z-scores, one-hot categories"


def test_a_saved_model_takes_rows_of_the_table(run_cli, islands, tmp_path):
    kept, labels = tmp_path / "m.lookalike", tmp_path / "labels.csv"
    arguments = ("cluster", islands, "-k", "3", "--target", "species", "--model", kept)
    code, _, stderr = run_cli(*arguments, "-o", labels)
    assert code == 0, stderr
    predicted = load(kept).predict(pd.read_csv(islands))
    assert predicted.tolist() == pd.read_csv(labels)["cluster"].tolist()


def test_a_mixture_is_described_in_the_units_of_the_table(run_cli, islands):
    arguments = ("--drop", "island", "--drop", "species", "--mixture", "--json")
    code, out, stderr = run_cli("cluster", islands, "-k", "3", *arguments)
    assert code == 0, stderr
    masses = sorted(center[1] for center in json.loads(out)["centers"])
    np.testing.assert_allclose(masses, [3000, 4000, 5000], rtol=0.01)


def test_a_column_that_may_be_the_target_is_named(run_cli, islands):
    frame = pd.read_csv(islands).rename(columns={"species": "class"})
    frame.to_csv(islands, index=False)
    assert "'class' may be it" in run_cli("cluster", islands, "-k", "3")[1]
    assert "may be it" not in run_cli("cluster", islands, "-k", "3", "--target", "class")[1]
    assert "may be it" not in run_cli("cluster", "iris", "-k", "3")[1]
