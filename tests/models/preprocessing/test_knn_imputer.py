"""KNNImputer: each missing value is the mean of the nearest rows that have its column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.impute import KNNImputer as TheirKNNImputer
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import KNNImputer, NearestNeighbors
from lookalike.errors import MagnitudeError, MissingValueError, ParameterError


def table(n_rows, n_columns, share=0.2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    X[rng.random(X.shape) < share] = np.nan
    return X


@parametrize_with_checks([KNNImputer(), KNNImputer(weights="distance", add_indicator=True)])
def test_the_contract_of_scikit_learn_holds(estimator, check):
    check(estimator)


@pytest.mark.parametrize("shape", [(300, 7), (150, 70), (400, 3), (40, 130)])
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda gap: np.exp(-gap)])
def test_values_are_those_of_scikit_learn(shape, weights):
    X, queries = table(*shape), table(60, shape[1], share=0.5, seed=1)
    ours = KNNImputer(n_neighbors=4, weights=weights).fit(X)
    peer = TheirKNNImputer(n_neighbors=4, weights=weights).fit(X)
    for rows in (X, queries):
        np.testing.assert_allclose(ours.transform(rows), peer.transform(rows), rtol=2e-6)


def test_rows_that_are_nearly_alike_keep_their_distance():
    X = np.array([[1e4, 1e4, 1.0], [1e4, 1e4 + 2e-5, 2.0], [1e4, 1e4 + 1e-5, np.nan]])
    found = KNNImputer(n_neighbors=2).fit(X).donors(X)
    gaps = np.sort([X[1, 1] - X[2, 1], X[2, 1] - X[0, 1]])  # squares expanded would lose them
    np.testing.assert_allclose(found.distance[0], gaps * np.sqrt(1.5))


@given(
    st.integers(1, 40), st.integers(1, 12), st.integers(1, 9), st.integers(0, 10**6),
    st.sampled_from([0.0, 1e9, -1e-6]),
)  # fmt: skip
def test_donors_are_the_nearest_rows_that_have_the_column(n_rows, n_columns, k, seed, offset):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n_rows, n_columns)) * 0.25 + offset
    X[rng.random(X.shape) < 0.4] = np.nan
    found = KNNImputer(n_neighbors=k).fit(X).donors(X)
    reach = NearestNeighbors(n_rows, metric="nan_euclidean").fit(X)
    distance, row = reach.kneighbors(X)
    valid = ~np.isnan(X).all(axis=0)
    wanted = np.argwhere(np.isnan(X) & valid)
    np.testing.assert_array_equal(np.stack([found.row, found.column], axis=1), wanted)
    for cell, (i, j) in enumerate(wanted):
        near = [(d, r) for d, r in zip(distance[i], row[i], strict=True)
                if np.isfinite(d) and not np.isnan(X[r, j])][:k]  # fmt: skip
        width = len(near)
        assert found.donor[cell, :width].tolist() == [r for _, r in near]
        np.testing.assert_array_equal(found.distance[cell, :width], [d for d, _ in near])
        assert (found.donor[cell, width:] == -1).all()


@pytest.mark.parametrize("spread", [1.0, 1e-12, 1e12])
def test_one_value_far_from_all_others_costs_no_donor(spread):
    X = table(700, 9)
    X[3, 2], X[:, 5] = 1e9, X[:, 5] * spread
    found = KNNImputer().fit(X).donors(X)
    distance, row = NearestNeighbors(700, metric="nan_euclidean").fit(X).kneighbors(X)
    for cell in range(0, len(found.row), 7):
        i, j = found.row[cell], found.column[cell]
        has = ~np.isnan(X[row[i], j]) & np.isfinite(distance[i])
        np.testing.assert_array_equal(found.donor[cell], row[i][has][:5])


def test_threads_batches_and_companions_change_no_bit():
    X = table(900, 12)
    model = KNNImputer(weights="distance", n_jobs=1).fit(X)
    whole = model.transform(X)
    np.testing.assert_array_equal(model.set_params(n_jobs=7).transform(X), whole)
    parts = [model.transform(X[at : at + 37]) for at in range(0, 900, 37)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_a_cell_that_no_row_can_give_has_the_mean_of_its_column():
    X = np.array([[1.0, np.nan], [np.nan, 4.0], [np.nan, 6.0]])
    np.testing.assert_array_equal(
        KNNImputer().fit_transform(X), [[1.0, 5.0], [1.0, 4.0], [1.0, 6.0]]
    )


def test_an_empty_column_is_dropped_or_kept_as_zero_and_the_decision_is_noted():
    X = table(20, 3)
    X[:, 1] = np.nan
    model = KNNImputer().fit(X)
    assert model.transform(X).shape == (20, 2)
    assert "every value is missing" in str(model.decisions_)
    kept = KNNImputer(keep_empty_features=True).fit_transform(X)
    assert kept.shape == (20, 3)
    assert not kept[:, 1].any()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_stay_frames_with_names_of_columns_and_indicators(frame):
    X = table(30, 3)
    X[:, 2] = 1.0
    filled = KNNImputer(add_indicator=True).fit_transform(frame(dict(zip("abc", X.T, strict=True))))
    assert isinstance(filled, frame)
    names = ["a", "b", "c", "missingindicator_a", "missingindicator_b"]
    assert list(filled.columns) == names
    np.testing.assert_array_equal(np.asarray(filled)[:, 3:], np.isnan(X[:, :2]))


def test_a_number_may_stand_for_missing_values():
    X = table(50, 4)
    marked = np.where(np.isnan(X), -1.0, X)
    np.testing.assert_array_equal(
        KNNImputer(missing_values=-1).fit_transform(marked), KNNImputer().fit_transform(X)
    )
    with pytest.raises(MissingValueError):
        KNNImputer(missing_values=-1).fit(X)


def test_a_python_function_may_be_the_metric():
    from sklearn.metrics.pairwise import nan_euclidean_distances

    def metric(x, y, *, missing_values=np.nan):
        return nan_euclidean_distances([x], [y], missing_values=missing_values)[0, 0]

    X = table(40, 5)
    np.testing.assert_allclose(
        KNNImputer(metric=metric).fit_transform(X), KNNImputer().fit_transform(X)
    )


@pytest.mark.parametrize("size", [1e200, 1e-200, 1e300])
def test_values_of_any_size_are_filled_as_their_multiples_are(size):
    X = table(60, 5)
    np.testing.assert_allclose(
        KNNImputer().fit_transform(X * size) / size, KNNImputer().fit_transform(X)
    )


def test_values_of_magnitudes_too_far_apart_are_an_error():
    X = table(60, 5)
    X[3, 1] = 1e300
    with pytest.raises(MagnitudeError, match="row 3"):
        KNNImputer().fit(X)


@pytest.mark.parametrize(
    "wrong", [{"n_neighbors": 0}, {"weights": "inverse"}, {"metric": "l1"}, {"missing_values": "?"}]
)
def test_a_wrong_parameter_is_named(wrong):
    with pytest.raises((ParameterError, TypeError), match=next(iter(wrong))):
        KNNImputer(**wrong).fit(table(9, 2))


def test_weights_of_another_shape_are_an_error():
    with pytest.raises(ParameterError, match="Return one weight for each distance"):
        KNNImputer(weights=lambda gap: gap[0]).fit_transform(table(30, 3))


def test_a_saved_imputer_fills_the_same_values(tmp_path):
    X = table(50, 4)
    model = KNNImputer(add_indicator=True).fit(X)
    lookalike.save(model, tmp_path / "model")
    loaded = lookalike.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.transform(X), model.transform(X))
