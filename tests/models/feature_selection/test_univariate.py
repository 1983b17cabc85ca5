"""Filters against their formulas, scikit-learn's, every engine, and bad input."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import feature_selection as peer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from lookalike.data import open_source
from lookalike.errors import (
    ColumnError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    RepeatError,
    ShapeError,
    UnsupportedError,
)
from lookalike.feature_selection import (
    chi2,
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
    pearson,
    signal_to_noise,
)

CANCER = load_breast_cancer(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
IRIS = load_iris(return_X_y=True)
binned = partial(mutual_info_classif, estimator="binned")
FILTERS = [pearson, f_classif, chi2, signal_to_noise, binned]


def scores_of(result):
    """Return the scores: mutual information has no p-values beside them."""
    return result[0] if isinstance(result, tuple) else result


def assert_scores(result, scores, pvalues=None, rtol=1e-8):
    np.testing.assert_allclose(scores_of(result), scores_of(scores), rtol=rtol, atol=1e-12)
    if pvalues is not None:
        np.testing.assert_allclose(result[1], pvalues, rtol=1e-6, atol=1e-300)


@pytest.mark.parametrize("data", [CANCER, IRIS], ids=["cancer", "iris"])
def test_f_scores_of_classes_equal_scikit_learns(data):
    assert_scores(f_classif(*data), *peer.f_classif(*data))


def test_f_scores_of_numbers_equal_scikit_learns():
    assert_scores(f_regression(*DIABETES), *peer.f_regression(*DIABETES))


def test_correlations_equal_scikit_learns():
    assert_scores(pearson(*DIABETES), peer.r_regression(*DIABETES))
    assert_scores(pearson(*CANCER), peer.r_regression(*CANCER))


def test_p_values_of_correlations_equal_scipys():
    from scipy.stats import pearsonr

    X, y = DIABETES
    expected = [pearsonr(column, y).pvalue for column in X.T]
    np.testing.assert_allclose(pearson(X, y)[1], expected, rtol=1e-9)


@pytest.mark.parametrize("data", [CANCER, IRIS], ids=["cancer", "iris"])
def test_chi_squares_equal_scikit_learns(data):
    assert_scores(chi2(*data), *peer.chi2(*data))


def test_chi_squares_of_sparse_counts_equal_scikit_learns():
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.poisson(0.3, (200, 12)))
    y = rng.integers(0, 4, 200)
    assert_scores(chi2(X, y), *peer.chi2(X, y))
    assert_scores(f_classif(X, y), *peer.f_classif(X.toarray(), y))


def test_chi_squares_of_categories_equal_scipys():
    pandas = pytest.importorskip("pandas")
    from scipy.stats import chi2_contingency

    rng = np.random.default_rng(0)
    town, y = rng.choice(["Graz", "Linz", "Wien"], 300), rng.choice(["a", "b"], 300)
    scores, pvalues = chi2(pandas.DataFrame({"town": town}), y)
    expected = chi2_contingency(pandas.crosstab(town, y), correction=False)
    np.testing.assert_allclose(scores, expected.statistic)
    np.testing.assert_allclose(pvalues, expected.pvalue)


@pytest.mark.parametrize("data", [CANCER, IRIS], ids=["cancer", "iris"])
def test_information_by_neighbors_equals_scikit_learns_of_classes(data):
    result = mutual_info_classif(*data)
    assert_scores(result, peer.mutual_info_classif(*data, random_state=0))
    assert type(result) is np.ndarray


def test_information_by_neighbors_equals_scikit_learns_of_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.normal(size=400)
    expected = peer.mutual_info_regression(X, y, n_neighbors=5, random_state=0)
    assert_scores(mutual_info_regression(X, y, n_neighbors=5), expected, rtol=1e-6)


def test_information_of_names_equals_scikit_learns():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (300, 5)), rng.integers(0, 3, 300)
    expected = peer.mutual_info_classif(X, y, discrete_features=True)
    for estimator in ("binned", "knn"):
        result = mutual_info_classif(X, y, discrete_features=True, estimator=estimator)
        assert_scores(result, expected)


def test_information_of_names_about_a_number_equals_scikit_learns():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 4, (300, 3))
    y = X[:, 0] + rng.normal(size=300)
    expected = peer.mutual_info_regression(X, y, discrete_features=True, random_state=0)
    result = mutual_info_regression(X, y, discrete_features=True)
    assert_scores(result, expected, rtol=1e-6)


def test_correlation_with_several_classes_is_the_root_of_the_variance_between_them():
    X, y = IRIS
    means = np.stack([X[y == c].mean(axis=0) for c in range(3)])[y]
    expected = np.sqrt(means.var(axis=0) / X.var(axis=0))
    assert_scores(pearson(X, y), expected, peer.f_classif(X, y)[1])


def test_signal_to_noise_is_the_gap_of_means_over_the_sum_of_deviations():
    X, y = CANCER
    a, b = X[y == 1], X[y == 0]
    expected = (a.mean(axis=0) - b.mean(axis=0)) / (a.std(axis=0) + b.std(axis=0))
    assert_scores(signal_to_noise(X, y), expected)


def test_signal_to_noise_of_several_classes_is_that_of_the_farthest_pair():
    X, y = IRIS
    pairs = [signal_to_noise(X[y != c], y[y != c])[0] for c in range(3)]
    assert_scores(signal_to_noise(X, y), np.abs(pairs).max(axis=0))


@pytest.mark.parametrize("score", FILTERS)
def test_every_engine_says_the_same(score, engine):
    X, y = CANCER
    expected = score(X, y, engine="memory")
    found = score(X, y, engine=engine)
    assert_scores(found, expected, rtol=1e-12)


def test_a_column_that_is_mostly_one_value_still_tells():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=4000)
    some = rng.random(4000) < np.where(y == 1, 0.09, 0.01)  # 95 % zeros, most others of class 1
    column = np.where(some, rng.integers(1500, 2500, size=4000), 0).astype(float)
    found = binned(np.column_stack([column, rng.normal(size=4000)]), y)
    share = np.array([[np.mean((y == c) & (some == s)) for s in (0, 1)] for c in (0, 1)])
    told = (share * np.log(share / share.sum(0) / share.sum(1)[:, None])).sum()
    assert told <= found[0] < 1.5 * told
    assert found[0] > 5 * found[1]


@pytest.mark.parametrize(
    "score", [pearson, f_regression, partial(mutual_info_regression, estimator="binned")]
)
def test_every_engine_says_the_same_of_numbers(score, engine):
    assert_scores(score(*DIABETES, engine=engine), score(*DIABETES), rtol=1e-12)


@pytest.mark.parametrize("score", FILTERS)
def test_a_file_is_read_with_its_own_target(score, tmp_path):
    X, y = IRIS
    path = tmp_path / "iris.csv"
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    rows = "\n".join(
        ",".join([*map(repr, row.tolist()), name]) for row, name in zip(X, names, strict=True)
    )
    path.write_text("a,b,c,d,kind\n" + rows + "\n")
    found = score(open_source(path, target="kind"))
    assert_scores(found, score(X, names), rtol=1e-12)


@pytest.mark.parametrize("score", [pearson, f_classif, signal_to_noise])
def test_an_offset_of_a_hundred_million_does_no_harm(score):
    X, y = IRIS
    assert_scores(score(X + 1e8, y), score(X, y), rtol=1e-5)


@pytest.mark.parametrize("score", [pearson, f_regression])
def test_an_offset_of_a_hundred_million_does_no_harm_in_regression(score):
    X, y = DIABETES
    assert_scores(score(X * 100 + 1e8, y + 1e8), score(X, y), rtol=1e-5)


def test_information_does_not_see_an_offset():
    X, y = np.round(IRIS[0] * 64) / 64, IRIS[1]  # exact at the offset too
    for estimator in ("binned", "knn"):
        before, after = (
            mutual_info_classif(rows, y, estimator=estimator) for rows in (X, X + 2.0**27)
        )
        np.testing.assert_allclose(after, before, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["binned", "knn"]), st.booleans())
def test_information_is_never_negative(seed, estimator, classes):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=40), rng.integers(0, 3, 40), np.full(40, 2.5)])
    y = rng.integers(0, 3, 40) if classes else rng.normal(size=40)
    score = mutual_info_classif if classes else mutual_info_regression
    found = score(X, y, estimator=estimator)
    assert (found >= 0).all()
    assert found[2] == 0.0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_exact_information_is_the_sum_over_the_table(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 4, 60), rng.integers(0, 3, 60)
    joint = np.histogram2d(x, y, bins=[4, 3])[0] / 60
    product = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    here = joint > 0
    expected = np.sum(joint[here] * np.log(joint[here] / product[here]))
    found = binned(x[:, None], y, discrete_features=True)
    np.testing.assert_allclose(found, max(expected, 0), atol=1e-12)


def test_weights_count_rows():
    X, y = IRIS
    weight = np.arange(len(y)) % 3
    again = np.repeat(np.arange(len(y)), weight)
    for score in FILTERS:
        assert_scores(score(X, y, sample_weight=weight), score(X[again], y[again]))


@pytest.mark.parametrize("score", FILTERS)
def test_a_constant_column_scores_zero_and_an_empty_one_nan(score):
    X, y = IRIS
    X = np.column_stack([X, np.full(len(y), 0.1), np.full(len(y), np.nan)])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Features .4 5. are constant")  # as theirs warns
        result = score(X, y, missing="present")
    assert scores_of(result)[4] == 0.0
    assert np.isnan(scores_of(result)[5])
    pvalues = getattr(result, "pvalues", None)
    assert pvalues is None or pvalues[4] == 1.0


@pytest.mark.parametrize("score", [*FILTERS])
def test_a_column_is_scored_by_the_rows_that_have_it(score):
    X, y = IRIS[0].copy(), IRIS[1]
    X[::7, 1] = np.nan
    kept = np.arange(len(y)) % 7 != 0
    found = scores_of(score(X, y, missing="present"))
    expected = scores_of(score(X[kept], y[kept]))
    if score is not binned:  # whose bins are as many as the rows allow
        np.testing.assert_allclose(found[1], expected[1])
    np.testing.assert_allclose(found[[0, 2, 3]], scores_of(score(IRIS[0], y))[[0, 2, 3]])
    with pytest.raises(MissingValueError, match="row 0, column 'x1'"):
        score(X, y)


def test_perfect_separation_is_infinite():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), [0, 0, 1, 1]
    assert np.isinf(f_classif(X, y)[0][0])
    assert f_classif(X, y)[1][0] == 0.0
    assert np.isinf(signal_to_noise(X, y)[0][0])
    assert pearson(X, y)[0][0] == 1.0


def test_negative_counts_are_refused_by_name():
    with pytest.raises(ParameterError, match=r"column 'x1' holds -2"):
        chi2([[1.0, 3.0], [0.0, -2.0]], [0, 1])


@pytest.mark.parametrize("score", [*FILTERS, mutual_info_classif])
def test_one_class_is_refused(score):
    with pytest.raises(ShapeError, match="one class only, 'a'"):
        score(np.eye(4), ["a"] * 4)


@pytest.mark.parametrize("score", [chi2, f_classif, mutual_info_classif, signal_to_noise])
def test_scores_of_classes_refuse_numbers(score):
    with pytest.raises(ParameterError, match="Unknown label type: continuous"):
        score(np.eye(4), [0.5, 1.5, 2.5, 3.5])


@pytest.mark.parametrize("score", [pearson, f_classif, signal_to_noise])
def test_categories_have_no_mean(score):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [1.0, 2.0, 3.0], "town": ["Graz", "Linz", "Graz"]})
    with pytest.raises(ColumnError, match="column 'town' holds categories"):
        score(frame, [0, 1, 1])


def test_a_mixed_frame_is_scored_by_information_on_every_engine(engine):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    frame = pandas.DataFrame(
        {
            "town": np.where(rng.random(400) < 0.8, y, 1 - y).astype(str),
            "age": y + rng.normal(size=400),
            "dull": rng.choice(["u", "v"], 400),
        }
    )
    found = binned(frame, y, engine=engine)
    expected = binned(frame, y)
    np.testing.assert_allclose(found, expected)
    assert found[2] < found[1] < found[0]
    codes = (frame["town"] == "1").to_numpy()[:, None]
    np.testing.assert_allclose(binned(codes, y)[0], found[0])


def test_neighbors_need_all_rows_in_memory():
    with pytest.raises(UnsupportedError, match="engine is 'stream'"):
        mutual_info_classif(*IRIS, engine="stream")
    with pytest.raises(UnsupportedError, match="no sample_weight"):
        mutual_info_classif(*IRIS, sample_weight=np.ones(150))


def test_rows_that_are_read_once_need_a_task_and_one_pass():
    def chunks():
        yield IRIS

    with pytest.raises(RepeatError, match="task='classification'"):
        pearson(chunks())
    assert_scores(pearson(chunks(), task="classification"), pearson(*IRIS))
    assert_scores(f_classif(chunks()), f_classif(*IRIS))
    with pytest.raises(RepeatError, match="passes of their own"):
        binned(chunks())


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"missing": "drop"}, ParameterError, "'error', 'present'"),
        ({"estimator": "kernel"}, ParameterError, "'knn', 'binned'"),
        ({"bins": 1}, ParameterError, "bins=1"),
        ({"n_neighbors": 0}, ParameterError, "n_neighbors=0"),
        ({"discrete_features": [9]}, ParameterError, "names no columns of 4"),
        ({"bins": "many"}, ParameterTypeError, "bins='many'"),
    ],
)
def test_a_wrong_option_is_said(options, error, words):
    with pytest.raises(error, match=words):
        mutual_info_classif(*IRIS, **options)


def test_a_wrong_task_is_said():
    with pytest.raises(ParameterError, match="'auto', 'classification', 'regression'"):
        pearson(*IRIS, task="amounts")


def test_a_target_of_names_is_no_target_of_numbers():
    with pytest.raises(ParameterTypeError, match="task='classification'"):
        pearson(np.eye(3), ["a", "b", "a"], task="regression")


def test_whole_numbers_are_classes_while_they_are_few():
    X, y = DIABETES  # 214 distinct whole numbers among 442
    assert_scores(pearson(X, y), pearson(X, y, task="regression"))
    X, y = IRIS
    assert_scores(pearson(X, y.astype(float)), pearson(X, y.astype(str)))
    assert_scores(f_classif(X, y.astype(float)), f_classif(X, y.astype(str)))


def test_functions_serve_scikit_learns_selectors():
    model = peer.SelectKBest(f_classif, k=3).fit(*CANCER)
    np.testing.assert_allclose(model.scores_, peer.f_classif(*CANCER)[0])


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("force_finite", [True, False])
def test_lines_through_the_origin_and_without_error_score_as_scikit_learns(center, force_finite):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 9, 40).astype(float)
    X = np.column_stack([rng.normal(size=40) + 3, y, np.full(40, 2.0)])
    options = {"center": center, "force_finite": force_finite}
    ours = f_regression(X, y, **options)
    with np.errstate(all="ignore"):
        theirs = peer.f_regression(X, y, **options)
    for column in (0, 2):
        np.testing.assert_allclose(
            [part[column] for part in ours], [part[column] for part in theirs]
        )
    assert ours[0][1] == (np.finfo(float).max if force_finite else np.inf)


def test_a_sparse_mask_of_columns_is_an_error_of_ours():
    with pytest.raises(ParameterTypeError, match="sparse matrix"):
        chi2(np.eye(3), [0, 1, 1], discrete_features=sp.csr_array([[True, False, True]]))
