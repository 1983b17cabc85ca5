"""Columns kept by a filter: scikit-learn's contract, ranking, redundancy, tables of every kind."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import feature_selection as peer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from lookalike import KNeighborsClassifier, StandardScaler
from lookalike.data import open_source
from lookalike.errors import (
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    RepeatError,
    ShapeError,
    UnsupportedError,
)
from lookalike.feature_selection import SelectByFilter, mutual_info_classif

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
WEIGHTLESS = (
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_list",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)


@pytest.mark.parametrize("score", ["pearson", "chi2", "mutual_info", "mutual_info_knn"])
def test_it_is_an_estimator_of_scikit_learns_kind(score):
    unweighted = WEIGHTLESS if score == "mutual_info_knn" else ()
    expected = dict.fromkeys(unweighted, "nearest neighbors take no weights, and say so")
    results = check_estimator(
        SelectByFilter(score, k=2), expected_failed_checks=expected, on_skip=None, on_fail=None
    )
    assert not [r["check_name"] for r in results if r["status"] == "failed"]


@pytest.mark.parametrize(
    ("score", "theirs"), [("f", peer.f_classif), ("chi2", peer.chi2), ("pearson", peer.f_classif)]
)
def test_the_best_columns_are_scikit_learns(score, theirs):
    model = SelectByFilter(score, k=7).fit(*CANCER)
    expected = peer.SelectKBest(theirs, k=7).fit(*CANCER)
    np.testing.assert_array_equal(model.get_support(), expected.get_support())
    np.testing.assert_array_equal(model.transform(CANCER[0]), expected.transform(CANCER[0]))
    np.testing.assert_array_equal(
        model.inverse_transform(model.transform(CANCER[0])),
        expected.inverse_transform(expected.transform(CANCER[0])),
    )


@pytest.mark.parametrize("alpha", [None, 0.001, 1e-30])
def test_the_discoveries_are_scikit_learns(alpha):
    rng = np.random.default_rng(0)
    X = np.column_stack([CANCER[0], rng.normal(size=(569, 30))])
    model = SelectByFilter("f", k="fdr", alpha=alpha).fit(X, CANCER[1])
    expected = peer.SelectFdr(peer.f_classif, alpha=0.05 if alpha is None else alpha)
    np.testing.assert_array_equal(model.get_support(), expected.fit(X, CANCER[1]).get_support())


def test_nothing_discovered_is_a_table_without_columns_and_a_warning():
    rng = np.random.default_rng(0)
    model = SelectByFilter("f", k="fdr").fit(rng.normal(size=(50, 3)), np.arange(50) % 2)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert model.transform(np.zeros((4, 3))).shape == (4, 0)


@pytest.mark.parametrize(("k", "count"), [(4, 4), (0.5, 15), (0.01, 1), ("all", 30), (99, 30)])
def test_k_is_a_number_a_fraction_or_all(k, count):
    model = SelectByFilter(k=k).fit(*CANCER)
    assert model.get_support().sum() == count
    assert (k == 99) == bool(model.decisions_.about("k"))


def test_constant_and_empty_columns_are_never_selected():
    X = np.column_stack([np.full(150, 3.0), IRIS[0], np.full(150, np.nan)])
    for score in ("pearson", "f", "chi2", "snr", "mutual_info", "mutual_info_knn"):
        model = SelectByFilter(score, k=6, missing="present").fit(X, IRIS[1])
        assert model.get_support(indices=True).tolist() == [1, 2, 3, 4], score
        assert "2 never selected" in str(model.decisions_)


def test_equal_columns_are_ranked_by_their_number():
    X = np.column_stack([IRIS[0][:, 0], IRIS[0][:, 2], IRIS[0][:, 2], IRIS[0][:, 2]])
    for score in ("pearson", "f", "chi2", "snr", "mutual_info"):
        model = SelectByFilter(score, k=2).fit(X, IRIS[1])
        assert model.ranking_.tolist() == [4, 1, 2, 3], score


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(62, 2000)), np.repeat([0, 1], 31)
    X[:, 1234] += 3 * y
    for score in ("pearson", "f", "snr", "mutual_info", "mutual_info_knn"):
        assert SelectByFilter(score, k=1).fit(X, y).get_support(indices=True) == [1234]


def test_standard_errors_are_those_of_the_jackknife():
    X, y = CANCER
    model = SelectByFilter("snr").fit(X, y)
    left = [
        SelectByFilter("snr").fit(X[np.arange(569) % 10 != g], y[np.arange(569) % 10 != g]).scores_
        for g in range(10)
    ]
    expected = np.sqrt(9 / 10 * ((left - np.mean(left, axis=0)) ** 2).sum(axis=0))
    np.testing.assert_allclose(model.standard_error_, expected, rtol=1e-9)


def test_a_class_of_one_row_does_no_harm():
    X, y = IRIS[0][:101], IRIS[1][:101].copy()
    y[:100] = 0
    for score in ("pearson", "f", "snr", "mutual_info", "mutual_info_knn"):
        assert np.isfinite(SelectByFilter(score).fit(X, y).scores_).all()


def test_every_engine_selects_the_same(engine):
    for score in ("pearson", "mutual_info"):
        expected = SelectByFilter(score, redundancy="mrmr", k=5).fit(*CANCER)
        found = SelectByFilter(score, redundancy="mrmr", k=5, engine=engine).fit(*CANCER)
        np.testing.assert_array_equal(found.ranking_, expected.ranking_)
        np.testing.assert_allclose(found.standard_error_, expected.standard_error_)


def test_redundant_columns_are_not_taken_twice():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    strong = y + 0.5 * rng.normal(size=500)
    other = y + 0.9 * rng.normal(size=500)
    X = np.column_stack([strong, strong + 0.01 * rng.normal(size=500), other])
    for score in ("pearson", "f", "snr", "mutual_info", "mutual_info_knn"):
        assert not SelectByFilter(score, k=2).fit(X, y).get_support()[2], score
        model = SelectByFilter(score, k=2, redundancy="mrmr").fit(X, y)
        assert model.get_support()[2], score
        assert model.redundancy_.shape == (1, 3)


def test_the_ranking_is_the_greedy_one_of_relevance_less_redundancy():
    X, y = CANCER
    model = SelectByFilter(k=6, redundancy="mrmr").fit(X, y)
    relevance, shared = np.abs(model.scores_), np.abs(np.corrcoef(X.T))
    order = [int(relevance.argmax())]
    while len(order) < 6:
        merit = relevance - shared[order].mean(axis=0)
        merit[order] = -np.inf
        order.append(int(merit.argmax()))
    assert np.argsort(model.ranking_)[:6].tolist() == order


def test_a_frame_keeps_its_columns_and_their_types():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], 200)
    frame = pandas.DataFrame(
        {
            "dull": rng.normal(size=200),
            "town": pandas.Categorical(np.where(y == "no", "Graz", "Linz")),
            "count": (y == "yes") * 5 + rng.integers(0, 3, 200),
        },
        index=np.arange(200) + 7,
    )
    for table in (frame, polars.from_pandas(frame)):
        model = SelectByFilter("mutual_info", k=2).fit(table, y)
        found = model.transform(table)
        assert type(found) is type(table)
        assert list(found.columns) == ["town", "count"]
        assert model.get_feature_names_out().tolist() == ["town", "count"]
    found = model.fit(frame, y).transform(frame)
    pandas.testing.assert_frame_equal(found, frame[["town", "count"]])


def test_arrow_tables_stay_arrow_tables():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({f"c{j}": IRIS[0][:, j] for j in range(4)})
    found = SelectByFilter(k=1).fit(table, IRIS[1]).transform(table)
    assert isinstance(found, pyarrow.Table)
    assert found.column_names == ["c2"]


def test_sparse_rows_stay_sparse():
    X = sp.random_array((90, 6), density=0.4, rng=np.random.default_rng(0), format="csr")
    model = SelectByFilter(k=2).fit(X, np.arange(90) % 3)
    found = model.transform(X)
    assert sp.issparse(found)
    dense = SelectByFilter(k=2).fit(X.toarray(), np.arange(90) % 3)
    np.testing.assert_allclose(found.toarray(), dense.transform(X.toarray()))
    np.testing.assert_allclose(model.scores_, dense.scores_)


def test_a_file_is_selected_from(tmp_path):
    np.save(tmp_path / "rows.npy", np.column_stack([IRIS[0], IRIS[1]]))
    source = open_source(tmp_path / "rows.npy", target=4)
    model = SelectByFilter(k=2).fit(source)
    np.testing.assert_array_equal(model.transform(source), IRIS[0][:, 2:])


def test_it_stands_in_a_pipeline():
    pipe = make_pipeline(StandardScaler(), SelectByFilter("f", k=8), KNeighborsClassifier(5))
    assert pipe.fit(*CANCER).score(*CANCER) > 0.95


def test_a_score_of_the_users_is_taken():
    expected = SelectByFilter("mutual_info", k=3).fit(*CANCER)
    for score in (
        partial(mutual_info_classif, estimator="binned"),
        partial(mutual_info_classif, estimator="binned", bins=8),
        peer.f_classif,
    ):
        assert SelectByFilter(score, k=3).fit(*CANCER).get_support().sum() == 3
    own = SelectByFilter(lambda X, _: X.mean(axis=0), k=1).fit(*CANCER)
    assert own.get_support(indices=True) == CANCER[0].mean(axis=0).argmax()
    assert np.isnan(own.standard_error_).all()
    assert expected.pvalues_ is None
    with pytest.raises(ShapeError, match=r"score_func returned shape \(\) for 30 columns"):
        SelectByFilter(lambda *_: 1.0).fit(*CANCER)


def test_numbers_are_a_target_too():
    X, y = load_diabetes(return_X_y=True)
    model = SelectByFilter(k=3).fit(X, y)
    expected = peer.SelectKBest(peer.f_regression, k=3).fit(X, y)
    np.testing.assert_array_equal(model.get_support(), expected.get_support())
    assert "regression" in str(model.decisions_)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"score_func": "anova"}, ParameterError, "'pearson', 'mutual_info'"),
        ({"k": 0}, ParameterError, "k=0"),
        ({"k": 1.5}, ParameterError, "k=1.5"),
        ({"k": "most"}, ParameterError, "'fdr', 'all'"),
        ({"k": None}, ParameterTypeError, "k=None"),
        ({"alpha": 0.1}, ParameterError, "Give k='fdr'"),
        ({"alpha": 2.0, "k": "fdr"}, ParameterError, "alpha=2.0"),
        ({"k": "fdr", "score_func": "snr"}, ParameterError, "needs p-values"),
        ({"k": "fdr", "redundancy": "mrmr"}, UnsupportedError, "Give k as a number"),
        ({"redundancy": "yes"}, ParameterError, "None, 'mrmr'"),
        ({"missing": "mean"}, ParameterError, "'error', 'present'"),
        ({"engine": "spark"}, ParameterError, "engine='spark'"),
    ],
)
def test_a_wrong_parameter_is_said(parameters, error, words):
    with pytest.raises(error, match=words):
        SelectByFilter(**parameters).fit(*IRIS)


def test_a_table_without_variation_is_refused():
    with pytest.raises(ShapeError, match="No column of X varies"):
        SelectByFilter().fit(np.ones((6, 3)), [0, 1] * 3)


def test_missing_values_are_named():
    X = IRIS[0].copy()
    X[9, 3] = np.nan
    for score in ("pearson", "mutual_info", "mutual_info_knn"):
        with pytest.raises(MissingValueError, match="row 9, column 'x3'"):
            SelectByFilter(score).fit(X, IRIS[1])


def test_a_target_is_needed():
    with pytest.raises(ShapeError, match="requires y to be passed"):
        SelectByFilter().fit(IRIS[0])


def test_rows_read_once_cannot_be_searched_for_redundancy():
    def chunks():
        yield IRIS

    with pytest.raises(RepeatError, match="Redundant columns"):
        SelectByFilter(task="classification", redundancy="mrmr").fit(chunks())


def test_the_variance_of_columns_needs_no_target():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(50, 4)) * [1.0, 5.0, 0.0, 2.0]
    model = SelectByFilter("variance", k=2).fit(X)
    np.testing.assert_allclose(model.scores_, X.var(axis=0), rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(model.get_support(indices=True), [1, 3])
    stream = SelectByFilter("variance", k=2, engine="stream").fit(lambda: iter([X[:20], X[20:]]))
    np.testing.assert_allclose(stream.scores_, model.scores_, rtol=1e-12)
    assert np.isfinite(model.standard_error_).all()


def test_redundant_columns_come_last_without_a_target():
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=(2, 80))
    X = np.column_stack([a, b, a + 0.1 * rng.normal(size=80), -a, np.ones(80)])
    model = SelectByFilter("redundancy", k=2).fit(X)
    r = np.abs(np.corrcoef(X[:, :4].T))
    order, left = [int(r.sum(axis=1).argmax())], set(range(4))
    expected = np.zeros(5)
    expected[order[0]] = 1.0
    left.discard(order[0])
    while left:  # always the one that shares least with those taken
        worst = {j: max(r[j, s] for s in order) for j in left}
        best = min(left, key=lambda j: (worst[j], j))
        expected[best] = 1 - worst[best]
        order.append(best)
        left.discard(best)
    np.testing.assert_allclose(model.scores_, expected, atol=1e-12)
    np.testing.assert_array_equal(np.sort(model.get_support(indices=True)), sorted(order[:2]))
    with pytest.raises(UnsupportedError, match="knows no target"):
        SelectByFilter("variance", redundancy="mrmr").fit(X)


@pytest.mark.parametrize("score", ["pearson", "f", "chi2", "snr", "mutual_info", "mutual_info_knn"])
def test_every_score_serves_a_numeric_target(score):
    rng = np.random.default_rng(8)
    X = rng.integers(0, 9, size=(300, 3)).astype(float)
    y = X[:, 1] * 2 + rng.normal(size=300)
    model = SelectByFilter(score, k=1, task="regression").fit(X, y)
    np.testing.assert_array_equal(model.get_support(indices=True), [1])
    if score == "snr":  # numbers are cut at their median
        upper = y >= np.median(y)
        means = X[upper].mean(axis=0) - X[~upper].mean(axis=0)
        expected = means / (X[upper].std(axis=0) + X[~upper].std(axis=0))
        np.testing.assert_allclose(model.scores_, expected, rtol=0.05)
