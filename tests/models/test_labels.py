"""Labels, targets, weights, priors and costs: what will not do is named, with its row."""

# ruff: noqa: E501 - tables of values
from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import lookalike
from lookalike.errors import (
    ColumnError,
    LookalikeError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)

X = np.random.default_rng(0).normal(size=(12, 2)) + np.arange(12)[:, None] % 3 * 5
Y = np.arange(12) % 3
CLASSIFIERS = [
    "CondensedNearestNeighbour",
    "EditedNearestNeighbours",
    "GaussianMixtureClassifier",
    "KNeighborsClassifier",
    "LinearDiscriminantAnalysis",
    "RBFNetworkClassifier",
    "RadiusNeighborsClassifier",
    "KernelDensityClassifier",
]
REGRESSORS = [
    "KNeighborsRegressor",
    "RBFNetworkRegressor",
    "KernelRegressor",
    "RadiusNeighborsRegressor",
    "Ridge",
]
WEIGHTED = [
    *(name for name in CLASSIFIERS if not name.startswith(("Condensed", "Edited"))),
    *REGRESSORS,
    *("GaussianMixture", "KMeans", "PCA", "SimpleImputer", "StandardScaler"),
]
BAD_TARGETS = {
    "masked": (np.ma.array(Y, mask=Y == 2), "y is masked at row 2"),
    "NA": (pd.Series([*Y[:5].tolist(), pd.NA, *Y[6:].tolist()], dtype=object), "y is <NA> at row 5"),
    "Int64 with NA": (pd.array([*Y[:5].tolist(), pd.NA, *Y[6:].tolist()], "Int64"), "at row 5"),
    "null": (pl.Series([*Y[:5].tolist(), None, *Y[6:].tolist()]), "y is nan at row 5"),
    "None": ([*Y[:5].tolist(), None, *Y[6:].tolist()], "y is None at row 5"),
    "inf": (np.where(np.arange(12) == 7, np.inf, Y), "y is inf at row 7"),
    "ragged": ([[0]] * 7 + [[0, 1]] * 5, "y is ragged: row 7"),
    "dict": ({"y": Y}, "y is a dict"),
    "set": ({0, 1}, "y is a set"),
    "text alone": ("abc", "y is a str"),
    "objects": ([*Y[:4].tolist(), object(), *Y[5:].tolist()], "at row 4"),
    "empty": ([], "y is empty"),
}  # fmt: skip
BAD_WEIGHTS = {
    "masked": (np.ma.array(np.ones(12), mask=Y == 2), "sample_weight is masked at row 2"),
    "NA": (pd.Series([1.0] * 5 + [pd.NA] * 7, dtype=object), "sample_weight is <NA> at row 5"),
    "text": ([1.0] * 3 + ["heavy"] * 9, "sample_weight holds '.*' at row"),
    "numbers as text": (["1"] * 12, "sample_weight holds '1' at row 0, which is not a number"),
    "negative": (np.where(np.arange(12) == 3, -1.0, 1.0), "sample_weight is -1.0 at row 3"),
    "nan": (np.where(np.arange(12) == 3, np.nan, 1.0), "sample_weight is nan at row 3"),
    "inf": (np.where(np.arange(12) == 3, np.inf, 1.0), "sample_weight is inf at row 3"),
    "ragged": ([[1.0]] * 7 + [[1.0, 2.0]] * 5, "sample_weight is ragged: row 7"),
    "dict": ({"a": 1.0}, "sample_weight is a dict"),
    "short": ([1.0, 2.0], r"weight has shape \(2,\)"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_TARGETS)
@pytest.mark.parametrize("name", [*CLASSIFIERS, *REGRESSORS])
def test_targets_that_will_not_do_are_named_with_their_row(name, kind):
    y, said = BAD_TARGETS[kind]
    with pytest.raises(LookalikeError, match=said):
        getattr(lookalike, name)().fit(X, y)


@pytest.mark.parametrize("kind", BAD_WEIGHTS)
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_that_will_not_do_are_named_with_their_row(name, kind):
    weight, said = BAD_WEIGHTS[kind]
    y = None if name in WEIGHTED[-6:] else Y
    given = {"sample_weight": weight} if y is None else {"y": y, "sample_weight": weight}
    with pytest.raises(LookalikeError, match=said):
        getattr(lookalike, name)().fit(X, **given)


def test_targets_without_a_mask_and_of_any_library_are_read():
    for y in (np.ma.array(Y), pd.array(Y, "Int64"), pl.Series(Y), pl.Series(Y, dtype=pl.Int128)):
        model = lookalike.KNeighborsClassifier(1).fit(X, y)
        assert model.predict(X).tolist() == Y.tolist()
    assert model.score(X, Y) == 1.0


@pytest.mark.parametrize("y", [["a\0", "a"] * 6, np.array(["a\0", "a"] * 6, object)])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_nul_at_the_end_of_a_label_does_not_join_two_classes(name, y):
    with pytest.raises(ParameterError, match=r"y holds 'a\\x00' at row 0"):
        getattr(lookalike, name)().fit(X, y)


@pytest.mark.parametrize(
    "name", ["KNeighborsClassifier", "LinearDiscriminantAnalysis", "KernelDensityClassifier"]
)
@pytest.mark.parametrize("more", [list("abc"), [b"a", b"b", b"c"], [True, False, True]])
def test_labels_of_another_type_are_refused_in_partial_fit(name, more):
    model = getattr(lookalike, name)().fit(X, Y)
    before = model.predict(X)
    with pytest.raises(ParameterTypeError, match="the labels before are of type int"):
        model.partial_fit(X[:3], more)
    np.testing.assert_array_equal(model.predict(X), before)
    assert model.partial_fit(X[:3], [0.0, 1.0, 2.0]).classes_.dtype.kind == "i"


@pytest.mark.parametrize(
    ("rows", "error", "said"),
    [
        ([999], ParameterError, r"rows\[0\]=999 names no row"),
        ([-1], ParameterError, r"rows\[0\]=-1 names no row"),
        ([], ParameterError, "rows is empty"),
        ([1.5], ParameterTypeError, "Give integers"),
        ([True], ParameterTypeError, "Give integers"),
        (["1"], ParameterTypeError, "Give integers"),
        (range(12), ParameterError, "would leave the index of 12 empty"),
    ],
)
@pytest.mark.parametrize(
    "name", ["NearestNeighbors", "KNeighborsClassifier", "KNeighborsRegressor"]
)
def test_rows_that_cannot_be_removed_are_named(name, rows, error, said):
    model = getattr(lookalike, name)(2).fit(X, Y)
    with pytest.raises(error, match=said):
        model.remove(rows)
    assert model.n_samples_fit_ == 12


@pytest.mark.parametrize("radius", ["1", True, 1j, None, [1.0, 2.0], float("nan"), -1.0])
def test_a_radius_that_is_none_is_an_error_everywhere(radius):
    for name in ("RadiusNeighborsClassifier", "RadiusNeighborsRegressor"):
        with pytest.raises(LookalikeError, match="radius"):
            getattr(lookalike, name)(radius).fit(X, Y).predict(X)
    search = lookalike.NearestNeighbors(radius=radius)
    with pytest.raises(LookalikeError, match="radius"):
        search.fit(X).radius_neighbors(X)
    fitted = lookalike.NearestNeighbors().fit(X)
    if radius is None:
        return  # means that of the constructor
    for ask in (fitted.radius_neighbors, fitted.radius_neighbors_graph):
        with pytest.raises(LookalikeError, match="radius"):
            ask(X, radius)
    for index in ("ExactIndex", "KDTreeIndex", "LSHIndex", "ScanIndex"):
        with pytest.raises(LookalikeError, match="radius"):
            getattr(lookalike.index, index)(X).query_radius(X, radius)


FRAME = pd.DataFrame(X, columns=["a", "b"])


@pytest.mark.parametrize("name", ["KNeighborsClassifier", "PCA", "KMeans", "StandardScaler"])
@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (["b", "a"], "in another order: 'b' is in the place of 'a'"),
        (["a"], "missing: 'b'"),
        (["a", "b", "c"], "not seen in fit: 'c'"),
        (["a", "c"], "missing: 'b'; not seen in fit: 'c'"),
    ],
)
def test_reordered_missing_and_extra_columns_are_named(name, columns, said):
    model = getattr(lookalike, name)().fit(FRAME, Y)
    ask = model.predict if hasattr(model, "predict") else model.transform
    with pytest.raises(ColumnError, match=said):
        ask(FRAME.assign(c=1.0)[columns])


def test_wide_integers_of_polars_are_numbers():
    rows = pl.DataFrame({"a": pl.Series(Y, dtype=pl.Int128), "b": pl.Series(Y, dtype=pl.UInt128)})
    plain = np.column_stack([Y, Y]).astype(float)
    np.testing.assert_array_equal(
        lookalike.StandardScaler().fit_transform(rows).to_numpy(),
        lookalike.StandardScaler().fit_transform(plain),
    )
    with pytest.warns(UserWarning, match="not exact in float64"):
        lookalike.PCA(1).fit(pl.DataFrame({"a": pl.Series([2**70 + 1, 0], dtype=pl.Int128)}))


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("GaussianMixtureClassifier", "priors"),
        ("KNeighborsClassifier", "priors"),
        ("LinearDiscriminantAnalysis", "priors"),
        ("RadiusNeighborsClassifier", "priors"),
        ("KernelDensityClassifier", "priors"),
    ],
)
def test_priors_are_given_by_label_or_in_order(name, parameter):
    make = getattr(lookalike, name)
    labels = np.array(["low", "mid", "up"])[Y]
    given = {"up": 0.7, "low": 0.1, "mid": 0.2}
    by_label = make(**{parameter: given}).fit(X, labels)
    in_order = make(**{parameter: [0.1, 0.2, 0.7]}).fit(X, labels)
    np.testing.assert_array_equal(by_label.predict_proba(X + 1), in_order.predict_proba(X + 1))
    with pytest.raises(ParameterError, match=r"lacks the classes \['mid'\] and has \['other'\]"):
        make(**{parameter: {"up": 0.7, "low": 0.1, "other": 0.2}}).fit(X, labels)
    with pytest.raises(LookalikeError, match=parameter):
        make(**{parameter: [0.5, "x", 0.5]}).fit(X, labels)


@pytest.mark.parametrize("name", ["KNeighborsClassifier", "RadiusNeighborsClassifier"])
def test_costs_are_given_by_pairs_of_labels(name):
    labels = np.array(["ill", "well"])[Y % 2]
    table = [[0.0, 10.0], [1.0, 0.0]]
    expected = getattr(lookalike, name)(cost=table).fit(X, labels).predict(X)
    for cost in ({("ill", "well"): 10}, {"ill": {"well": 10.0}}):
        model = getattr(lookalike, name)(cost=cost).fit(X, labels)
        np.testing.assert_array_equal(model.predict(X), expected)
    with pytest.raises(ParameterError, match="cost names 'dead', which is not a class"):
        getattr(lookalike, name)(cost={("ill", "dead"): 10}).fit(X, labels)
    with pytest.raises(ParameterError, match="names no pair of classes"):
        getattr(lookalike, name)(cost={"ill": 10}).fit(X, labels)


def test_scores_are_those_of_checked_targets():
    model = lookalike.KNeighborsClassifier(1).fit(X, Y)
    assert model.score(X, Y, sample_weight=np.arange(12)) == 1.0
    with pytest.raises(MissingValueError, match="y is masked at row 2"):
        model.score(X, np.ma.array(Y, mask=Y == 2))
    with pytest.raises(ParameterTypeError, match="y holds labels of type str"):
        model.score(X, Y.astype(str))
    with pytest.raises(ShapeError, match=r"y has shape \(3,\), the predictions \(12,\)"):
        model.score(X, Y[:3])
