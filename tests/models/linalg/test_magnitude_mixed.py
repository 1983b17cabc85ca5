"""Values of 1e200 beside usual ones: right, or an error that names their row and column."""

from __future__ import annotations

import re

import numpy as np
import pytest
from models.test_all_estimators import COUNTS, make
from public_estimators import PUBLIC_ESTIMATORS
from sklearn.base import is_classifier, is_regressor

import lookalike
from lookalike.errors import MagnitudeError

ESTIMATORS = [*PUBLIC_ESTIMATORS, "TreeTablePreprocessor"]
LARGE_ROW = 7
RNG = np.random.default_rng(5)
ROWS = RNG.normal(size=(120, 4))
LARGE = (np.arange(120) == LARGE_ROW)[:, None]
LARGE_CELL = LARGE & (np.arange(4) == 2)
OTHERS = np.delete(np.arange(120), LARGE_ROW)
CLASSES = (ROWS[:, 2] > 0).astype(int)
NUMBERS = 3 * ROWS[:, 2] + ROWS[:, 1]
MIXED = {
    "a cell of 1e200": np.where(LARGE_CELL, 1e200, ROWS),
    "a cell of -1e300": np.where(LARGE_CELL, -1e300, ROWS),
    "a row of 1e200": np.where(LARGE, 1e200 * ROWS, ROWS),
    "a row of 1e20": np.where(LARGE, 1e20 * ROWS, ROWS),
}
STANDARDIZED = ("StandardScaler", "TablePreprocessor")
AS_GIVEN = ("AutoEncoder", "GaussianMixtureClassifier", "LSA", "NeighborMap", "SelectByFilter",
            "SelectByWrapper", "SimpleImputer", "TermWeights", "TreeTablePreprocessor")  # fmt: skip


def labels_of_others(model):
    return model.labels_[OTHERS] if len(model.labels_) == len(ROWS) else model.labels_


INCOMPLETE = np.where((OTHERS[:, None] % 3 == 0) & (np.arange(4) == 1), np.nan, ROWS[OTHERS])
BY_DISTANCES = {  # what they answer about usual rows, on which a row far away has no say
    **dict.fromkeys(("DBSCAN", "HDBSCAN", "OPTICS"), labels_of_others),
    "KNNImputer": lambda model: model.transform(INCOMPLETE),
    "KernelDensity": lambda model: model.score_samples(ROWS[OTHERS]) + np.log(model.space_.n_rows),
    "RadiusNeighborsTransformer": lambda model: model.transform(ROWS[OTHERS]).data,
}
LEAST_AGREEMENT = 0.9  # of models with and without one row


def seeded(name):
    model = make(name)
    model.set_params(**{key: 0 for key in model.get_params() if key == "random_state"})
    return model


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("label", MIXED)
@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name not in COUNTS])
def test_large_values_beside_others_are_right_or_named(name, label):
    X, model = MIXED[label], seeded(name)
    y = NUMBERS if is_regressor(model) else CLASSES
    refusal = refusal_of(model.fit, X, y)
    if refusal is not None:
        assert re.search(rf"X holds \S+ at row {LARGE_ROW}, column", refusal), refusal
        return
    assert_as_without(model, seeded(name).fit(ROWS[OTHERS], y[OTHERS]), X)


def refusal_of(method, *arguments):
    """Return what a MagnitudeError says, None where there is none."""
    try:
        method(*arguments)
    except MagnitudeError as error:
        return str(error)
    return None


def assert_as_without(model, reference, X):
    """Raise unless a model answers about usual rows as one without the large value does."""
    name = type(model).__name__
    if is_classifier(model) and name not in AS_GIVEN:
        agreement = np.mean(model.predict(ROWS[OTHERS]) == reference.predict(ROWS[OTHERS]))
        assert agreement > LEAST_AGREEMENT
    elif is_regressor(model):
        both = model.predict(ROWS[OTHERS]), reference.predict(ROWS[OTHERS])
        assert np.corrcoef(*both)[0, 1] > LEAST_AGREEMENT
    elif hasattr(model, "kneighbors"):
        near, reference_near = (one.kneighbors(ROWS[OTHERS])[0] for one in (model, reference))
        np.testing.assert_allclose(near, reference_near)
    elif name in BY_DISTANCES:
        answer, expected = (BY_DISTANCES[name](one) for one in (model, reference))
        np.testing.assert_allclose(answer, expected, rtol=1e-9)
    elif name in STANDARDIZED:
        unit = np.abs(X).max(axis=0)  # squares of columns divided by it do not overflow
        part = X / unit
        expected = (part - part.mean(axis=0)) / part.std(axis=0)
        np.testing.assert_allclose(model.transform(X), expected, rtol=1e-9, atol=1e-9)
    elif name == "MinMaxScaler":
        expected = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
        np.testing.assert_allclose(model.transform(X), expected, rtol=1e-9, atol=1e-12)
    else:
        assert name in AS_GIVEN, f"{name} is not compared with anything"


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if hasattr(make(name), "kneighbors")])
def test_a_query_too_far_from_the_rows_is_answered_or_named(name):
    model = seeded(name).fit(ROWS, NUMBERS if is_regressor(seeded(name)) else CLASSES)
    Q = ROWS[:3].copy()
    Q[1, 3] = -1e200
    refusal = refusal_of(model.kneighbors, Q)
    if refusal is not None:
        assert "Q holds -1e+200 at row 1, column 3, too far from the rows" in refusal
        return
    assert np.isfinite(model.kneighbors(Q)[0]).all()


def test_several_values_beyond_float32_in_a_column_of_trees_are_named():
    X = ROWS.copy()
    X[[3, 9], 1] = 1e200, 2e200
    with pytest.raises(MagnitudeError, match=r"1e\+200 at row 3 and 2e\+200 at row 9, column 1"):
        lookalike.ForestNeighborsClassifier(3).fit(X, CLASSES)
    X[9, 1] = 1e200  # the same value: nothing is lost
    lookalike.ForestNeighborsClassifier(3).fit(X, CLASSES)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e200, 1e299, 1e307, 1.7e308])
@pytest.mark.parametrize("name", [name for name in ESTIMATORS if is_regressor(make(name))])
def test_targets_of_any_size_are_predicted_or_named(name, size):
    y = NUMBERS / np.abs(NUMBERS).max() * size
    model = seeded(name)
    refusal = refusal_of(model.fit, ROWS, y)
    if refusal is not None:
        assert re.search(r"y holds \S+ at row \d+", refusal)
        return
    predicted = model.predict(ROWS)
    reference = seeded(name).fit(ROWS, NUMBERS / np.abs(NUMBERS).max()).predict(ROWS)
    assert np.isfinite(predicted).all()
    assert np.corrcoef(predicted / size, reference)[0, 1] > LEAST_AGREEMENT
