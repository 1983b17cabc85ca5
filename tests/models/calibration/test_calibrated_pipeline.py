"""A calibrated pipeline gives the same probabilities in memory, from a file and in parts."""

from __future__ import annotations

import numpy as np

from lookalike import KNeighborsClassifier, StandardScaler, load, save
from lookalike.models.calibration import CalibratedPipeline, TemperatureScaling

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.where(X[:, 0] > 0, "b", "a")
CALIBRATION = TemperatureScaling(1.5, 0.1, np.array([0.5, 0.5]))


def fitted():
    steps = [("scale", StandardScaler()), ("model", KNeighborsClassifier(3))]
    return CalibratedPipeline(steps, calibration=CALIBRATION).fit(X, Y)


def test_probabilities_are_calibrated_and_classes_and_neighbors_are_those_of_the_steps():
    model = fitted()
    own = model[-1].predict_proba(model[:-1].transform(X))
    np.testing.assert_array_equal(model.predict_proba(X), CALIBRATION(own))
    np.testing.assert_array_equal(model.predict(X), model[-1].predict(model[:-1].transform(X)))
    assert model.predict_proba(X).min() > 0


def test_a_file_keeps_the_calibration(tmp_path):
    model = fitted()
    save(model, tmp_path / "model.lookalike")
    loaded = load(tmp_path / "model.lookalike")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert type(loaded) is CalibratedPipeline


def test_without_a_calibration_it_is_an_ordinary_pipeline():
    model = fitted().set_params(calibration=None)
    own = model[-1].predict_proba(model[:-1].transform(X))
    np.testing.assert_array_equal(model.predict_proba(X), own)
