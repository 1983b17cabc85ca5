"""The figures that the sources print, and tables as they come, on the data they come from."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import PCA, KNeighborsClassifier


@pytest.fixture(scope="module")
def images(data_folder):
    if not (data_folder / "mnist.npz").is_file():
        pytest.skip("LOOKALIKE_DATA holds no mnist.npz")
    with np.load(data_folder / "mnist.npz") as mnist:
        return mnist["x_test"].reshape(-1, 784).astype(float), mnist["y_test"]


def learn_and_test(images, *digits):
    X, y = images
    rows = [np.flatnonzero(y == digit)[:600] for digit in digits]
    learn = np.concatenate([own[:300] for own in rows])
    test = np.concatenate([own[300:] for own in rows])
    return X[learn], y[learn], X[test], y[test]


@pytest.mark.parametrize(
    ("digits", "k", "printed"), [((0, 1), 1, 0), ((1, 7), 1, 18), ((1, 7), 3, 14)]
)
def test_the_errors_of_example_14_1_are_those_printed(images, digits, k, printed):
    X, y, later, truth = learn_and_test(images, *digits)
    assert (KNeighborsClassifier(k).fit(X, y).predict(later) != truth).sum() == printed


def test_ones_and_sevens_in_few_components_are_those_printed(images):
    """PCA and neighbors of the 400 training rows; 200 others validate M  [Barber, ex. 15.3]."""
    X, y, later, truth = learn_and_test(images, 1, 7)
    learn = np.concatenate([np.arange(200), np.arange(300, 500)])
    pca = PCA(19).fit(X[learn])
    model = KNeighborsClassifier(1).fit(pca.transform(X[learn]), y[learn])
    assert (model.predict(pca.transform(later)) != truth).sum() == 14


@pytest.mark.parametrize(("missing", "least"), [("present", 0.16), ("mean", 0.16)])
def test_a_table_with_gaps_is_classified_as_it_comes(data_folder, missing, least):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(data_folder / "heart_cleveland.csv", na_values="?")
    ill = frame.pop("num") > 0
    model = KNeighborsClassifier("loo", metric="gower", missing=missing).fit(frame, ill)
    error = model.selection_.curves["loo", "uniform"].scores["error"].min()
    assert least < error < least + 0.02
    assert model.decisions_.about("n_neighbors")


def test_numbers_beside_categories_are_classified_as_they_come(data_folder):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(data_folder / "adult.csv.gz", na_values="?", nrows=1500)
    income = frame.drop(columns="split").pop("income")
    frame = frame.drop(columns=["split", "income"])
    model = KNeighborsClassifier("loo", metric="gower", missing="present").fit(frame, income)
    assert 0.15 < model.selection_.curves["loo", "uniform"].scores["error"].min() < 0.22
