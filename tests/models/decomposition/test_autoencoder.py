"""Auto-associative networks."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy.linalg import subspace_angles
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor
from sklearn.utils.estimator_checks import check_estimator

from lookalike import PCA, AutoEncoder
from lookalike.errors import (
    ExtraMissingError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.models.decomposition import mlp as networks
from lookalike.progress import listening


def circle(n=100):
    angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def rows(seed=0, n=200):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) @ rng.normal(size=(3, 6)) + 0.1 * rng.normal(size=(n, 6)) + 50


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "model",
    [
        AutoEncoder(hidden=(), max_iter=50),
        AutoEncoder(hidden=(4,), max_iter=15),
        AutoEncoder(hidden=(4,), max_iter=5, early_stopping=True),
    ],
    ids=["linear", "lbfgs", "adam"],
)
def test_scikit_learn_takes_it_for_an_estimator(model):
    check_estimator(model, on_skip=None)


@pytest.mark.parametrize("hidden", [(), (5,)])
@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_the_linear_network_spans_the_space_of_principal_components(hidden, n_components):
    X = rows()
    coder = AutoEncoder(
        n_components, hidden=hidden, linear=True, standardize=False, alpha=0.0, tol=1e-7
    ).fit(X)
    pca = PCA(n_components).fit(X)
    decoded = np.linalg.multi_dot([np.eye(n_components), *coder.coefs_[len(coder.coefs_) // 2 :]])
    assert subspace_angles(decoded.T, pca.components_.T).max() < 1e-3
    error = ((pca.inverse_transform(pca.transform(X)) - X) ** 2).sum()
    assert coder.reconstruction_error(X).sum() == pytest.approx(error, rel=1e-5)


@pytest.mark.parametrize("given", ["array", "chunks", "generator"])
def test_rows_of_unknown_number_give_the_network_of_the_same_rows_in_memory(given):
    X = rows()
    kinds = {
        "array": lambda: X,
        "chunks": lambda: lambda: (X[i : i + 30] for i in range(0, len(X), 30)),
        "generator": lambda: (X[i : i + 30] for i in range(0, len(X), 30)),
    }
    fit = {"hidden": (), "standardize": False, "alpha": 0.0, "tol": 1e-7}
    coder = AutoEncoder(2, **fit).fit(kinds[given]())
    assert coder.decisions_.about("solver")[0].choice == "lbfgs"
    assert subspace_angles(coder.coefs_[1].T, PCA(2).fit(X).components_.T).max() < 1e-3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("activation", ["tanh", "logistic"])
def test_a_non_linear_middle_alone_gives_back_what_principal_components_do(activation):
    """Even with non-linear units in the hidden layer it is PCA [Bishop95, fig. 8.12]."""
    X = rows()
    fit = {"hidden": (), "standardize": False, "alpha": 0.0, "tol": 1e-7}
    coder = AutoEncoder(2, activation=activation, linear=False, **fit).fit(X)
    pca = PCA(2).fit(X)
    assert np.abs(coder.transform(X)).max() < 1  # codes went through the unit
    error = ((pca.inverse_transform(pca.transform(X)) - X) ** 2).sum()
    assert error <= coder.reconstruction_error(X).sum() * (1 + 1e-9)
    assert coder.reconstruction_error(X).sum() == pytest.approx(error, rel=1e-2)
    assert subspace_angles(coder.coefs_[1].T, pca.components_.T).max() < 0.02


def test_standardised_columns_give_the_components_of_correlations():
    X = rows() * [1, 1, 1, 100, 1, 1]
    coder = AutoEncoder(2, hidden=(), alpha=0.0, tol=1e-7).fit(X)
    axes = PCA(2).fit((X - X.mean(axis=0)) / X.std(axis=0)).components_
    assert subspace_angles(coder.coefs_[1].T, axes.T).max() < 1e-3


def test_the_error_of_one_linear_unit_is_half_the_sum_of_the_other_eigenvalues():
    """E = 1/2 sum over i > M of lambda_i  [Bishop95, eq. 8.23]."""
    X = rows()
    coder = AutoEncoder(1, hidden=(), standardize=False, alpha=0.0, tol=1e-7).fit(X)
    centered = X - X.mean(axis=0)
    left_out = np.linalg.eigvalsh(centered.T @ centered)[:-1].sum()
    assert coder.reconstruction_error(X).sum() / 2 == pytest.approx(left_out / 2, rel=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_one_number_describes_a_circle_where_one_principal_component_does_not():
    X = circle()
    coder = AutoEncoder(1, alpha=0.0).fit(X)
    pca = PCA(1).fit(X)
    linear = ((pca.inverse_transform(pca.transform(X)) - X) ** 2).sum()
    assert linear == pytest.approx(50)  # half of the squares of 100 rows
    assert coder.reconstruction_error(X).sum() < 0.02 * linear
    assert coder.score(X) > 0.99
    turn = np.argsort(coder.transform(X)[:, 0])  # the code goes round: neighbors stay neighbors
    step = np.minimum(np.diff(turn) % 100, -np.diff(turn) % 100)
    assert np.median(step) == 1


def test_codes_and_reconstruction_are_those_of_scikit_learns_network():
    X = rows()
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    peer = MLPRegressor(
        hidden_layer_sizes=(3, 2, 3), activation="tanh", solver="lbfgs", max_iter=30, tol=1e-6
    ).set_params(random_state=5)
    layers, *_ = networks.train_at_once(Z, peer)
    with pytest.warns(ConvergenceWarning):
        peer.fit(Z, Z)
    outputs = networks.forward(Z, layers, "tanh")
    np.testing.assert_allclose(outputs, peer.predict(Z), atol=1e-10)
    codes = networks.forward(Z, layers, "tanh", last=2)
    np.testing.assert_allclose(
        networks.forward(codes, layers, "tanh", first=2), outputs, rtol=1e-12
    )


def test_decoding_codes_gives_the_rows_whose_error_is_reported():
    X = rows()
    coder = AutoEncoder(3, hidden=(), tol=1e-4).fit(X)
    again = coder.inverse_transform(coder.transform(X))
    error = coder.reconstruction_error(X)
    np.testing.assert_allclose(error, ((again - X) ** 2).sum(axis=1), rtol=1e-9)
    total = ((X - X.mean(axis=0)) ** 2).sum()
    assert coder.score(X) == pytest.approx(1 - error.sum() / total)


def test_the_same_seed_gives_the_same_network_and_restarts_keep_the_best():
    X = rows(n=50)
    fit = {"hidden": (4,), "tol": 1e-2}
    first, again = (AutoEncoder(1, random_state=3, **fit).fit(X) for _ in range(2))
    for mine, other in zip(first.coefs_, again.coefs_, strict=True):
        np.testing.assert_array_equal(mine, other)
    assert first.loss_curve_ == again.loss_curve_
    best = AutoEncoder(1, random_state=3, n_init=4, **fit).fit(X)
    assert best.loss_ <= first.loss_
    assert AutoEncoder(1, random_state=4, **fit).fit(X).loss_ != first.loss_


def test_adam_stops_when_the_validation_error_no_longer_falls():
    X = rows()
    coder = AutoEncoder(
        3, hidden=(8,), early_stopping=True, learning_rate_init=0.01, max_iter=500, tol=1e-4
    ).fit(X)
    assert coder.n_iter_ == len(coder.loss_curve_) == len(coder.validation_errors_) < 500
    assert coder.loss_curve_[-1] < 0.5 * coder.loss_curve_[0]
    assert "20 validation rows" in str(coder.decisions_)
    assert coder.decisions_.about("solver")[0].choice == "adam"


def test_the_network_of_least_validation_error_is_kept():
    X = rows(n=60)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    plan = MLPRegressor(hidden_layer_sizes=(4, 2, 4), activation="tanh", alpha=0.0, batch_size=20)
    plan.set_params(
        learning_rate_init=0.05, max_iter=30, tol=0.0, n_iter_no_change=30, random_state=1
    )
    epochs = networks.SklearnEpochs(Z[10:], plan)
    layers, _, errors, *_ = networks.train_by_epochs(epochs, plan, Z[:10])
    error = np.mean((networks.forward(Z[:10], layers, "tanh") - Z[:10]) ** 2)
    assert error == pytest.approx(min(errors), rel=1e-12)


def test_training_that_reaches_max_iter_warns():
    with pytest.warns(
        ConvergenceWarning, match="max_iter=3 iterations were used up. Raise max_iter"
    ):
        coder = AutoEncoder(1, max_iter=3).fit(rows())
    assert coder.decisions_.about("max_iter")[0].choice == "reached"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
def test_progress_is_told_and_an_interruption_leaves_no_half_fitted_model(solver):
    told = []

    def tell(label, done, total):
        told.append((label, done))

    def stop(label, done, total):
        if label != "rows" and done == 4:
            raise KeyboardInterrupt

    with listening(tell):
        AutoEncoder(1, solver=solver, max_iter=20).fit(rows())
    label, done = told[-1]
    assert label == ("epochs" if solver == "adam" else "evaluations")
    assert done >= 20
    fresh = AutoEncoder(1, solver=solver, max_iter=20)
    with listening(stop), pytest.raises(KeyboardInterrupt):
        fresh.fit(rows())
    assert not hasattr(fresh, "coefs_")


def test_ctrl_c_inside_an_epoch_is_not_taken_for_the_end(monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(MLPRegressor, "_backprop", interrupted)
    with pytest.raises(KeyboardInterrupt):
        AutoEncoder(1, solver="adam").fit(rows())


def test_columns_that_never_vary_are_given_back():
    X = np.column_stack([rows(n=40)[:, :2], np.full(40, 7.0), np.zeros(40)])
    coder = AutoEncoder(2, hidden=(), tol=1e-4).fit(X)
    again = coder.inverse_transform(coder.transform(X))
    np.testing.assert_allclose(again[:, 2:], X[:, 2:], atol=1e-2)
    still = AutoEncoder(1, hidden=()).fit(np.ones((5, 2)))
    assert still.score(np.ones((5, 2))) == 1.0


def test_a_common_offset_does_not_change_the_error():
    X = np.round(rows(n=60) * 1024) / 1024
    near, far = (
        AutoEncoder(2, hidden=(), alpha=0.0).fit(rows).reconstruction_error(rows)
        for rows in (X, X + 2.0**26)
    )
    np.testing.assert_allclose(near, far, atol=1e-3 * near.mean())


def test_frames_come_back_as_frames_and_float32_as_float32():
    X = rows(n=30)
    for frame in (pd.DataFrame, pl.DataFrame):
        table = frame({f"c{j}": X[:, j] for j in range(6)})
        coder = AutoEncoder(2, hidden=(), tol=1e-3).fit(table)
        codes = coder.transform(table)
        assert isinstance(codes, frame)
        assert list(codes.columns) == ["autoencoder0", "autoencoder1"]
        assert list(coder.inverse_transform(codes).columns) == [f"c{j}" for j in range(6)]
    assert AutoEncoder(2, hidden=(), tol=1e-3).fit_transform(X.astype("f")).dtype == np.float32


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 7}, "n_components=7 exceeds n_features=6"),
        ({"n_components": 0}, "n_components=0 is out of range"),
        ({"activation": "swish"}, "activation='swish'"),
        ({"backend": "jax"}, "backend='jax'"),
        ({"solver": "sgd"}, "solver='sgd'"),
        ({"hidden": (4, 0)}, "hidden=0 is out of range"),
        ({"hidden": 4}, "hidden=4 is not a sequence"),
        ({"max_iter": 0}, "max_iter=0 is out of range"),
        ({"alpha": -1.0}, "alpha=-1.0 is out of range"),
        ({"tol": float("nan")}, "tol=nan is out of range"),
        ({"learning_rate_init": 0.0}, r"learning_rate_init=0\.0 is out of range"),
        ({"batch_size": 0}, "batch_size=0 is out of range"),
        ({"linear": 1}, "linear=1 is not True or False"),
        ({"validation_fraction": 1.0}, r"validation_fraction=1\.0 is out of range"),
        ({"solver": "lbfgs", "early_stopping": True}, "Give solver='adam'"),
    ],
)
def test_parameters_that_cannot_be_honored_are_refused(parameters, message):
    with pytest.raises((ParameterError, ParameterTypeError), match=message):
        AutoEncoder(**parameters).fit(rows())


def test_rows_that_cannot_be_used_are_named():
    X = rows()
    X[5, 2] = np.inf
    with pytest.raises(MissingValueError, match="inf at row 5, column 'x2'"):
        AutoEncoder().fit(X)
    with pytest.raises(ParameterTypeError, match="Sparse rows are not supported"):
        AutoEncoder().fit(sp.csr_array(np.eye(3)))
    with pytest.raises(ShapeError, match="n_samples=1 leaves no row to train on"):
        AutoEncoder(1, early_stopping=True).fit([[1.0, 2.0]])
    with pytest.raises(ShapeError, match="3 codes a row, the model 2"):
        AutoEncoder(hidden=(), tol=1e-2).fit(rows()).inverse_transform(np.ones((1, 3)))


def test_a_rate_that_leaves_the_range_of_numbers_is_named():
    with (
        np.errstate(all="ignore"),
        pytest.raises((ParameterError, ValueError), match=r"learning_rate_init|weights"),
    ):
        AutoEncoder(1, solver="adam", activation="relu", learning_rate_init=1e200).fit(rows())


def test_torch_is_asked_for_by_name_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ExtraMissingError, match=r"pip install 'lookalike\[gpu\]'"):
        AutoEncoder(1, backend="torch").fit(rows())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_torch_trains_a_network_as_good_as_scikit_learns():
    pytest.importorskip("torch")
    X = rows()
    fit = {"hidden": (), "alpha": 0.0, "learning_rate_init": 0.05, "standardize": False}
    torch = AutoEncoder(3, backend="torch", max_iter=100, **fit).fit(X)
    assert "torch on" in str(torch.decisions_)
    assert subspace_angles(torch.coefs_[1].T, PCA(3).fit(X).components_.T).max() < 0.02
    short = {"hidden": (8,), "early_stopping": True, "max_iter": 5, "learning_rate_init": 0.02}
    once, again = (AutoEncoder(2, backend="torch", **short).fit(X) for _ in range(2))
    assert once.validation_errors_[-1] < once.validation_errors_[0]
    np.testing.assert_array_equal(once.transform(X), again.transform(X))
