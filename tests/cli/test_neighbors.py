"""`lookalike neighbors` compares rows as a study prepares them."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest

from lookalike import NearestNeighbors


@pytest.fixture
def penguins(tmp_path):
    """Numbers of very different size, a category, an identifier, a constant and the species."""
    rng = np.random.default_rng(0)
    species = np.arange(90) % 3
    frame = pd.DataFrame(
        {
            "id": np.arange(90),
            "bill": 40 + 6 * species + rng.normal(size=90),
            "mass": 4000 + 400 * rng.normal(size=90),
            "island": np.array(["Biscoe", "Dream", "Torgersen"])[species],
            "planet": "Earth",
            "species": np.array(["Adelie", "Chinstrap", "Gentoo"])[species],
        }
    )
    frame.to_csv(tmp_path / "penguins.csv", index=False)
    return tmp_path / "penguins.csv"


def nearest_rows(out):
    return [int(line[2]) for line in list(csv.reader(out.splitlines()))[1:]]


def zscores(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def test_rows_are_scaled_and_the_target_and_identifiers_left_out(run_cli, penguins):
    code, out, stderr = run_cli("neighbors", penguins, "-k", "1", "--target", "species")
    assert code == 0, stderr
    frame = pd.read_csv(penguins)
    hot = np.sqrt(0.5) * pd.get_dummies(frame["island"]).to_numpy(float)
    Z = np.column_stack([zscores(frame[["bill", "mass"]].to_numpy()), hot])
    assert nearest_rows(out) == NearestNeighbors(1).fit(Z).kneighbors()[1].ravel().tolist()
    assert "column 'id': dropped (identifier column" in stderr
    assert "column 'id': number" not in stderr
    assert "column 'planet': dropped (all values present are Earth)" in stderr
    assert "preprocessing: z-scores, one-hot categories" in stderr


def test_scale_none_leaves_numbers_in_their_own_units(run_cli, penguins):
    arguments = ("neighbors", penguins, "-k", "1", "--drop", "island", "--drop", "species")
    code, out, stderr = run_cli(*arguments, "--scale", "none")
    assert code == 0, stderr
    X = pd.read_csv(penguins)[["bill", "mass"]].to_numpy()
    assert nearest_rows(out) == NearestNeighbors(1).fit(X).kneighbors()[1].ravel().tolist()
    assert "preprocessing: not scaled (--scale none)" in stderr


def test_queries_are_prepared_as_the_rows(run_cli, penguins, tmp_path):
    frame = pd.read_csv(penguins)
    turned = frame[["mass", "island", "bill"]].iloc[:5].assign(more="x")
    turned.to_csv(tmp_path / "new.csv", index=False)
    arguments = ("--target", "species", "--query", tmp_path / "new.csv")
    code, out, stderr = run_cli("neighbors", penguins, "-k", "1", *arguments)
    assert code == 0, stderr
    assert nearest_rows(out) == [0, 1, 2, 3, 4]


def test_a_target_that_is_not_there_is_named_by_its_option(refused, penguins):
    assert "--target" in refused("neighbors", penguins, "--target", "none")
    assert "has its own target" in refused("neighbors", "iris", "--target", "none")


def test_coordinates_and_sets_are_compared_as_they_are(run_cli, tmp_path):
    places = np.random.default_rng(0).uniform(-1, 1, (30, 2))
    np.save(tmp_path / "places.npy", places)
    code, out, stderr = run_cli(
        "neighbors", tmp_path / "places.npy", "-k", "1", "--metric", "haversine"
    )
    assert code == 0, stderr
    model = NearestNeighbors(1, metric="haversine").fit(places)
    assert nearest_rows(out) == model.kneighbors()[1].ravel().tolist()
    assert "not scaled (haversine compares values as they are)" in stderr


def test_a_wrong_scale_is_refused(refused):
    assert "--scale='minmax' is not known" in refused("neighbors", "iris", "--scale", "minmax")
