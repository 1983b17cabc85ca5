"""`lookalike reduce` scales columns first, and names components by their loadings."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def penguins(tmp_path):
    """Measures in millimetres and grams, a species, and a number that counts the rows."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "rowid": np.arange(100),
            "bill_mm": 44 + 5 * rng.normal(size=100),
            "flipper_mm": 200 + 14 * rng.normal(size=100),
            "mass_g": 4200 + 800 * rng.normal(size=100),
            "species": np.array(["a", "b"])[rng.integers(2, size=100)],
        }
    )
    frame.to_csv(tmp_path / "penguins.csv", index=False)
    return tmp_path / "penguins.csv"


def test_grams_do_not_make_a_component_of_all_the_variance(run_cli, penguins):
    code, out, stderr = run_cli("reduce", penguins, "--target", "species")
    assert code == 0, stderr
    assert "100 rows, 3 features" in out
    assert "\t100.0%\t100.0%" not in out
    assert "largest loadings" in out
    assert "column 'rowid': dropped" in out
    code, out, stderr = run_cli("reduce", penguins, "--target", "species", "--scale", "none")
    assert code == 0, stderr
    assert "\t100.0%\t100.0%\tmass_g 1, " in out


def test_loadings_are_named_by_column(run_cli, penguins):
    code, out, stderr = run_cli("reduce", penguins, "--target", "species", "--json", "-c", "3")
    assert code == 0, stderr
    result = json.loads(out)
    assert result["features"] == ["bill_mm", "flipper_mm", "mass_g"]
    loadings = np.array(result["loadings"])
    np.testing.assert_allclose(loadings @ loadings.T, np.eye(3), atol=1e-12)
    assert result["preparation"] == "z-scores"


def test_categories_and_a_map_are_prepared_too(run_cli, penguins):
    code, out, stderr = run_cli("reduce", penguins, "--method", "map", "--json")
    assert code == 0, stderr
    assert json.loads(out)["preparation"] == "z-scores, one-hot categories"


@pytest.mark.parametrize("components", ["0", "2.5"])
def test_components_are_a_number_or_a_part_of_the_variance(refused, components):
    assert "neither a number of components" in refused("reduce", "iris", "-c", components)
