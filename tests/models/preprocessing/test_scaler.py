"""StandardScaler and MinMaxScaler give what scikit-learn's give, on every engine."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import preprocessing as sklearn
from sklearn.utils.estimator_checks import parametrize_with_checks

from lookalike import PCA, AutoEncoder, MinMaxScaler, SimpleImputer, StandardScaler, load, save
from lookalike.errors import (
    MagnitudeError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
)

PAIRS = [
    (StandardScaler(), sklearn.StandardScaler()),
    (StandardScaler(with_mean=False), sklearn.StandardScaler(with_mean=False)),
    (StandardScaler(with_std=False), sklearn.StandardScaler(with_std=False)),
    (
        StandardScaler(with_mean=False, with_std=False),
        sklearn.StandardScaler(with_mean=False, with_std=False),
    ),
    (MinMaxScaler(), sklearn.MinMaxScaler()),
    (MinMaxScaler((-1, 2), clip=True), sklearn.MinMaxScaler((-1, 2), clip=True)),
]
ATTRIBUTES = ("mean_", "var_", "scale_", "n_samples_seen_", "min_", "data_min_", "data_max_")


@parametrize_with_checks([ours for ours, _ in PAIRS])
def test_it_is_an_estimator_of_scikit_learn(estimator, check):
    check(estimator)


def assert_as_in_scikit_learn(ours, peer):
    for name in (*ATTRIBUTES, "data_range_"):
        assert hasattr(ours, name) == hasattr(peer, name)
        if hasattr(peer, name):
            mine, theirs = getattr(ours, name), getattr(peer, name)
            assert (mine is None) == (theirs is None)
            if theirs is not None:
                np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-14)
                assert np.shape(mine) == np.shape(theirs)


@pytest.mark.parametrize(("ours", "peer"), PAIRS, ids=repr)
def test_attributes_and_rows_are_those_of_scikit_learn(ours, peer, blobs):
    X = np.column_stack([blobs, np.full(len(blobs), 7.0)])
    X[3, 1] = X[5:9, 2] = np.nan
    ours.fit(X)
    peer.fit(X)
    assert_as_in_scikit_learn(ours, peer)
    wider = 1.5 * X
    scaled = ours.transform(wider)
    np.testing.assert_allclose(scaled, peer.transform(wider), atol=1e-12)
    np.testing.assert_allclose(
        ours.inverse_transform(scaled), peer.inverse_transform(scaled), atol=1e-11
    )


@pytest.mark.parametrize(("ours", "peer"), PAIRS, ids=repr)
def test_rows_may_come_in_several_calls_of_partial_fit(ours, peer, blobs):
    X = blobs.copy()
    X[40:70, 2] = np.nan
    ours.fit(X[:50])  # fit starts from nothing, partial_fit goes on
    peer.fit(X[:50])
    for part in (X[50:90], X[90:]):
        ours.partial_fit(part)
        peer.partial_fit(part)
    assert_as_in_scikit_learn(ours, peer)
    whole = type(ours)(**ours.get_params()).fit(X)
    np.testing.assert_allclose(whole.transform(X), ours.transform(X), atol=1e-12)


@pytest.mark.parametrize("model", [StandardScaler(), MinMaxScaler()], ids=repr)
def test_every_engine_learns_the_same_scale(engine, model, blobs):
    expected = model.fit(blobs).transform(blobs)
    there = type(model)(engine=engine).fit(lambda: iter(np.array_split(blobs, 5)))
    np.testing.assert_allclose(there.transform(blobs), expected, rtol=1e-12, atol=1e-13)


def test_weights_count_as_repeated_rows(blobs):
    weight = np.arange(len(blobs)) % 3
    ours = StandardScaler().fit(blobs, sample_weight=weight)
    peer = sklearn.StandardScaler().fit(blobs, sample_weight=weight)
    assert_as_in_scikit_learn(ours, peer)
    assert ours.n_samples_seen_ == weight.sum()


def test_frames_stay_frames_and_float32_stays_float32(blobs):
    frame = pd.DataFrame(blobs, columns=list("abcde"))
    for model in (StandardScaler(), MinMaxScaler()):
        assert list(model.fit_transform(frame).columns) == list("abcde")
        assert model.fit_transform(blobs.astype(np.float32)).dtype == np.float32


def test_sparse_rows_stay_sparse_without_centering():
    X = sp.random_array((50, 4), density=0.3, rng=np.random.default_rng(0), format="csr")
    model = StandardScaler(with_mean=False)
    Z = model.fit_transform(X)
    expected = sklearn.StandardScaler(with_mean=False).fit_transform(X)
    np.testing.assert_allclose(Z.toarray(), expected.toarray())
    np.testing.assert_allclose(model.inverse_transform(Z).toarray(), X.toarray())


def test_what_would_fill_sparse_rows_is_an_error_that_names_another_way():
    with pytest.raises(ParameterError, match="Give with_mean=False"):
        StandardScaler().fit(sp.csr_array(np.eye(3)))
    with pytest.raises(ParameterTypeError, match="does not support sparse input"):
        MinMaxScaler().fit(sp.csr_array(np.eye(3)))


def test_a_constant_column_is_only_shifted_and_recorded(blobs):
    X = np.column_stack([blobs, np.full(len(blobs), 0.1)])
    for model in (StandardScaler(), MinMaxScaler()):
        np.testing.assert_allclose(model.fit_transform(X)[:, 5], 0, atol=1e-15)
        assert model.decisions_.about("scale_")[0].reason == "no variation in 1 columns: x5"


def test_an_infinite_value_is_named(blobs):
    X = blobs.copy()
    X[5, 2] = -np.inf
    for model in (StandardScaler(), MinMaxScaler()):
        with pytest.raises(MissingValueError, match="-inf at row 5, column 'x2'"):
            model.fit(X)


def test_an_empty_range_is_an_error():
    with pytest.raises(ParameterError, match=r"feature_range=\(1, 0\) is empty"):
        MinMaxScaler((1, 0)).fit(np.eye(3))


def test_a_model_file_tells_our_scaler_from_that_of_scikit_learn(tmp_path, blobs):
    for model in (StandardScaler(), sklearn.StandardScaler(), MinMaxScaler()):
        save(model.fit(blobs), tmp_path / "scaler.lookalike")
        stored = load(tmp_path / "scaler.lookalike")
        assert type(stored) is type(model)
        np.testing.assert_array_equal(stored.transform(blobs), model.transform(blobs))


@pytest.mark.parametrize("value", [2.0, 1e-9, -1e150, 0.1])
def test_a_constant_column_of_sparse_rows_with_weights_is_not_scaled(value):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal(300), np.full(300, value)])
    for weight in (rng.random(300), np.full(300, 1 / 300), rng.integers(0, 3, 300)):
        sparse, dense = (
            StandardScaler(with_mean=False).fit(rows, sample_weight=weight)
            for rows in (sp.csr_array(X), X)
        )
        assert sparse.scale_[1] == dense.scale_[1] == 1.0
        np.testing.assert_allclose(sparse.scale_[0], dense.scale_[0], rtol=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "model",
    [
        StandardScaler(),
        MinMaxScaler(),
        SimpleImputer(),
        PCA(),
        AutoEncoder(random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_columns_whose_range_overflows_are_named_and_the_largest_values_are_not_lost(model):
    rows = np.array([[1.0, 1.6e308], [2.0, 1.7e308], [5.0, 1.65e308], [1.0, 1.7e308]])
    assert np.isfinite(model.fit(rows).transform(rows)).all()
    rows[1, 1] *= -1
    with pytest.raises(MagnitudeError, match="at row 1, column 'x1': the range of its column"):
        model.fit(rows)
