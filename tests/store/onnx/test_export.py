"""An exported model gives the labels of the model in every row, and its numbers to 1e-5."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier as TheirNeighbors
from sklearn.pipeline import make_pipeline

import lookalike as la
from lookalike.errors import UnsupportedError
from lookalike.models.calibration import CalibratedPipeline
from lookalike.models.calibration.temperature import TemperatureScaling
from lookalike.models.ensemble.classifier import WeightedEnsembleClassifier
from lookalike.models.ensemble.regressor import WeightedEnsembleRegressor
from lookalike.models.estimator import UnfittedError
from lookalike.models.preprocessing.tree_table import TreeTablePreprocessor
from lookalike.store.onnx import export_onnx

pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(160, 11)) + np.repeat(np.eye(4, 11) * 2, 40, axis=0)
LABELS = np.repeat(["ash", "elm", "fir", "oak"], 40)
NUMBERS = X[:, 0] * X[:, 1] + X[:, 2]
QUERIES = RNG.normal(size=(90, 11)) + np.repeat(np.eye(3, 11) * 2, 30, axis=0)
GRID, GRID_LABELS = RNG.integers(0, 3, (150, 3)).astype(float), RNG.integers(0, 3, 150)
HOLED = np.where(RNG.random(X.shape) < 0.1, np.nan, X)

CLASSIFIERS = {
    "discriminant": la.LinearDiscriminantAnalysis(),
    "network": la.RBFNetworkClassifier(8),
    "logistic network": la.RBFNetworkClassifier(8, output="logistic"),
    "normalized network": la.RBFNetworkClassifier(8, normalized=True),
    "kernel ridge": la.RBFNetworkClassifier(len(X)),
    "mixture": la.GaussianMixtureClassifier(),
    "forest": la.ForestNeighborsClassifier(25, random_state=0),
    "boosted": la.BoostedNeighborsClassifier(10, random_state=0),
    "neighbors": la.KNeighborsClassifier(4),
    "components of neighbors": make_pipeline(
        la.StandardScaler(), la.PCA(5, whiten=True), la.KNeighborsClassifier(3, weights="distance")
    ),
    "logistic": make_pipeline(la.MinMaxScaler(), LogisticRegression()),
}
REGRESSORS = {
    "ridge": la.Ridge(),
    "network": la.RBFNetworkRegressor(8),
    "neighbors": la.KNeighborsRegressor(4, weights="distance"),
    "forest": la.ForestNeighborsRegressor(25, random_state=0),
    "boosted": la.BoostedNeighborsRegressor(10, random_state=0),
}
KERNELS = ("linear", "poly", "rbf", "sigmoid", "cosine")
TRANSFORMERS = {
    "scaler": la.StandardScaler(),
    "range": la.MinMaxScaler((-1, 2), clip=True),
    "components": la.PCA(3),
    **{f"{kernel} components": la.KernelPCA(3, kernel=kernel) for kernel in KERNELS},
    "learned metric": la.NeighborhoodComponentsAnalysis(2, random_state=0),
}


def outputs(model, inputs, tmp_path):
    """Return what onnxruntime gives for the exported model."""
    export_onnx(model, tmp_path / "model.onnx")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(tmp_path / "model.onnx", options)
    given = inputs if isinstance(inputs, dict) else {"X": np.asarray(inputs, np.float64)}
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, given), strict=True))


def assert_same_answers(model, queries, tmp_path, inputs=None):
    answers = outputs(model, queries if inputs is None else inputs, tmp_path)
    np.testing.assert_array_equal(answers["label"], model.predict(queries))
    np.testing.assert_allclose(answers["probabilities"], model.predict_proba(queries), atol=1e-9)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers_give_the_same_labels_and_probabilities(name, tmp_path):
    assert_same_answers(CLASSIFIERS[name].fit(X, LABELS), QUERIES, tmp_path)


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors_give_the_same_numbers(name, tmp_path):
    model = REGRESSORS[name].fit(X, NUMBERS)
    answers = outputs(model, QUERIES, tmp_path)["prediction"]
    np.testing.assert_allclose(answers, model.predict(QUERIES), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transformers_give_the_same_rows(name, tmp_path):
    model = TRANSFORMERS[name].fit(X, np.repeat(range(4), 40))
    answers = outputs(model, QUERIES, tmp_path)["transformed"]
    np.testing.assert_allclose(answers, model.transform(QUERIES), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("ties", ["grow", "fewer", "nearest", "prior"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_ties_of_votes_and_distances_are_broken_alike(ties, weights, tmp_path):
    model = la.KNeighborsClassifier(4, ties=ties, weights=weights).fit(GRID, GRID_LABELS)
    assert_same_answers(model, GRID, tmp_path)


def test_a_tie_that_all_rows_must_decide_is_decided_alike(tmp_path):
    rows, labels = np.zeros((80, 2)), np.arange(80) % 2
    model = la.KNeighborsClassifier(2).fit(rows, labels)
    assert_same_answers(model, np.zeros((3, 2)), tmp_path)


def test_priors_and_costs_of_votes_are_kept(tmp_path):
    cost = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]])
    model = la.KNeighborsClassifier(5, priors="balanced", cost=cost).fit(GRID, GRID_LABELS)
    assert_same_answers(model, GRID, tmp_path)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_mixtures_of_every_covariance_give_the_same_components(kind, tmp_path):
    model = la.GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    assert_same_answers(model, QUERIES, tmp_path)


def test_trees_take_missing_values_and_categories_as_they_do(tmp_path):
    rounded = np.round(HOLED)
    forest = la.ForestNeighborsClassifier(20, random_state=0).fit(HOLED, LABELS)
    assert_same_answers(forest, HOLED, tmp_path)
    boosted = la.BoostedNeighborsClassifier(10, categorical_features=[0, 3], random_state=0)
    assert_same_answers(boosted.fit(rounded, LABELS), np.round(HOLED * 1.3), tmp_path)
    far = la.ForestNeighborsRegressor(10, random_state=0).fit(X * 1e-3 + 1e6, NUMBERS)
    answers = outputs(far, QUERIES * 1e-3 + 1e6, tmp_path)["prediction"]
    np.testing.assert_array_equal(answers, far.predict(QUERIES * 1e-3 + 1e6))


def test_missing_numbers_are_filled(tmp_path):
    assert_same_answers(
        make_pipeline(la.SimpleImputer(), la.KNeighborsClassifier(3)).fit(HOLED, LABELS),
        HOLED,
        tmp_path,
    )


def table():
    """Return a table of numbers and categories, both with missing cells."""
    towns = np.array(["Graz", "Linz", "Wien", None], object)[RNG.integers(0, 4, len(X))]
    sizes = np.array(["S", "L"])[RNG.integers(0, 2, len(X))]
    return pd.DataFrame({"age": HOLED[:, 0], "town": towns, "pay": X[:, 1], "size": sizes})


def columns_of(frame):
    text = frame.select_dtypes(exclude="number").columns
    inputs = {name: frame[[name]].to_numpy(np.float64) for name in frame.columns.difference(text)}
    filled = frame[text].astype(object).where(frame[text].notna(), "")
    return inputs | {name: filled[[name]].to_numpy(object) for name in text}


@pytest.mark.parametrize("preprocessor", [la.TablePreprocessor, TreeTablePreprocessor])
def test_columns_of_a_table_are_inputs_of_their_own(preprocessor, tmp_path):
    train, new = table(), table()
    new.loc[:9, "town"] = "Bern"  # which fit did not see
    steps = [
        ("table", preprocessor()),
        ("forest", la.ForestNeighborsClassifier(15, random_state=0)),
    ]
    model = CalibratedPipeline(
        steps, calibration=TemperatureScaling(0.7, 0.02, np.full(4, 0.25))
    ).fit(train, LABELS)
    assert_same_answers(model, new, tmp_path, columns_of(new))


def test_an_ensemble_is_the_weighted_mean_of_its_members(tmp_path):
    members = [("k", la.KNeighborsClassifier(3)), ("d", la.LinearDiscriminantAnalysis())]
    ensemble = WeightedEnsembleClassifier(members, weights=[0.3, 0.7]).fit(X, LABELS)
    assert_same_answers(ensemble, QUERIES, tmp_path)
    members = [("k", la.KNeighborsRegressor(3)), ("r", la.Ridge())]
    mean = WeightedEnsembleRegressor(members, weights=[0.5, 0.5]).fit(X, NUMBERS)
    answers = outputs(mean, QUERIES, tmp_path)["prediction"]
    np.testing.assert_allclose(answers, mean.predict(QUERIES), atol=1e-9)


@pytest.mark.parametrize("labels", [LABELS == "elm", np.repeat([3, 1, 7, 2], 40)])
def test_labels_keep_their_type(labels, tmp_path):
    model = la.KNeighborsClassifier(3).fit(X, labels)
    assert outputs(model, QUERIES, tmp_path)["label"].dtype == model.predict(QUERIES).dtype


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (la.KNeighborsClassifier(metric="manhattan").fit(X, LABELS), "euclidean"),
        (la.KernelRegressor().fit(X, NUMBERS), "no converter"),
        (TheirNeighbors().fit(X, LABELS), "no converter"),
        (la.KernelPCA(2, kernel=lambda x, y: x @ y).fit(X), "function"),
    ],
)
def test_what_onnx_cannot_say_is_an_error_that_says_why(model, why, tmp_path):
    with pytest.raises(UnsupportedError, match=why):
        export_onnx(model, tmp_path / "model.onnx")
    assert not (tmp_path / "model.onnx").exists()


def test_texts_and_dates_of_a_table_are_refused_by_name(tmp_path):
    words = np.array(["red ship at sea", "green hill by day", "blue sky by night"])
    frame = table().assign(note=words[RNG.integers(0, 3, len(X))])
    kinds = {"age": "number", "note": "text"}
    with pytest.raises(UnsupportedError, match="'note' is text"):
        export_onnx(la.TablePreprocessor(kinds).fit(frame), tmp_path / "model.onnx")
    dated = table().assign(sold=pd.date_range("2020-01-01", periods=len(X), freq="7D"))
    with pytest.raises(UnsupportedError, match="dates in column 'sold'"):
        export_onnx(la.TablePreprocessor().fit(dated), tmp_path / "model.onnx")


def test_an_unfitted_model_is_refused(tmp_path):
    with pytest.raises(UnfittedError):
        export_onnx(la.PCA(), tmp_path / "model.onnx")
