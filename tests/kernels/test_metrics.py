"""Every dissimilarity keeps the axioms it states, agrees with scipy, and refuses what it cannot."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import scipy
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist
from sklearn.exceptions import DataConversionWarning

import lookalike
from lookalike.errors import (
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.kernels.metrics import METRIC_ALIASES, METRIC_NAMES, Embedded, metric_from
from lookalike.kernels.metrics.custom import CompiledFunction
from lookalike.kernels.metrics.set_metrics import BINARY_FORMS
from lookalike.kernels.scan import scan_nearest

RNG = np.random.default_rng(20)
X = RNG.normal(size=(60, 5))
Q = RNG.normal(size=(9, 5))
W = np.array([0.5, 1.0, 2.0, 0.1, 3.0])
POINT = ctypes.POINTER(ctypes.c_double)
C_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_double, POINT, POINT, ctypes.c_size_t)


def distances(metric, Q, X):
    """Return the distances of all pairs, in the order of the rows."""
    Q, X = metric.rows(Q), metric.rows(X)
    key, row = scan_nearest(metric, Q, X, X.shape[0])
    return np.take_along_axis(metric.distance(key), np.argsort(row, axis=1), axis=1)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("euclidean", {}),
        ("sqeuclidean", {}),
        ("cityblock", {}),
        ("chebyshev", {}),
        ("minkowski", {"p": 1}),
        ("minkowski", {"p": 1.5}),
        ("minkowski", {"p": 4}),
        ("minkowski", {"p": 100}),
        ("minkowski", {"p": np.inf}),
        ("minkowski", {"p": 2, "w": W}),
        ("minkowski", {"p": 1, "w": W}),
        ("minkowski", {"p": 3, "w": W}),
        ("chebyshev", {"w": np.array([0.0, 1.0, 2.0, 0.0, 3.0])}),
        ("cosine", {}),
        ("correlation", {}),
        ("mahalanobis", {"VI": np.linalg.inv(np.cov(X.T))}),
        ("seuclidean", {"V": X.var(axis=0)}),
    ],
)
def test_distances_are_those_of_scipy(name, params):
    result = distances(metric_from(name, metric_params=params, X=X), Q, X)
    np.testing.assert_allclose(result, cdist(Q, X, name, **params), rtol=1e-12, atol=1e-13)


def test_counting_metrics_are_those_of_scipy():
    codes = RNG.integers(0, 3, (40, 6))
    metric = metric_from("hamming", X=codes)
    np.testing.assert_allclose(distances(metric, codes, codes), cdist(codes, codes, "hamming"))
    sets = codes > 1
    metric = metric_from("jaccard")
    np.testing.assert_array_equal(distances(metric, sets, sets), cdist(sets, sets, "jaccard"))


@pytest.mark.parametrize("name", sorted(BINARY_FORMS))
def test_binary_metrics_are_those_of_scikit_learn_and_of_scipy(name):
    rows = np.random.default_rng(3).random((40, 70)) < 0.4
    rows[0], rows[1] = False, True
    found = distances(metric_from(name), rows, rows)
    if name != "yule":  # which scikit-learn's DistanceMetric lacks
        expected = sklearn.metrics.DistanceMetric.get_metric(name).pairwise(rows * 1.0)
        np.testing.assert_allclose(found, np.nan_to_num(expected), rtol=1e-15)
    if name != "sokalmichener":  # which scipy has given up
        np.testing.assert_allclose(found, np.nan_to_num(cdist(rows, rows, name)), rtol=1e-15)


@pytest.mark.parametrize("name", ["braycurtis", "canberra"])
def test_ratios_are_those_of_scikit_learn(name):
    rows = np.where(X > 1, 0.0, X)
    rows[0] = 0.0
    expected = sklearn.metrics.DistanceMetric.get_metric(name).pairwise(rows)
    np.testing.assert_allclose(distances(metric_from(name), rows, rows), expected, rtol=1e-13)
    with pytest.raises(ParameterError, match="whose sums overflow"):
        metric_from(name).rows(rows * 1e307)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("euclidean", {}),
        ("minkowski", {"p": 1.5}),
        ("minkowski", {"p": 3, "w": W}),
        ("seuclidean", {"V": X.var(axis=0)}),
        ("mahalanobis", {"VI": np.linalg.inv(np.cov(X.T))}),
        ("canberra", {}),
        ("pyfunc", {"func": lambda x, y, p: np.abs(x - y).max() * p, "p": 2.0}),
    ],
)
def test_objects_of_scikit_learn_are_the_metrics_that_they_name(name, params):
    theirs = sklearn.metrics.DistanceMetric.get_metric(name, **params)
    result = distances(metric_from(theirs, X=X), Q, X)
    np.testing.assert_allclose(result, theirs.pairwise(Q, X), rtol=1e-11, atol=1e-12)


def test_below_one_the_power_gives_a_semimetric():
    metric = metric_from("minkowski", p=0.5)
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    gap = distances(metric, corners, corners)
    np.testing.assert_allclose(gap[0], [0.0, 1.0, 4.0])
    assert gap[0, 2] > gap[0, 1] + gap[1, 2]
    assert "triangle" not in metric.axioms
    assert metric.indexes == {"scan"}


def test_haversine_and_nan_euclidean_are_those_of_scikit_learn():
    places = RNG.uniform([-np.pi / 2, -np.pi], [np.pi / 2, np.pi], (50, 2))
    result = distances(metric_from("haversine"), places, places)
    expected = sklearn.metrics.pairwise.haversine_distances(places)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)
    holes = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
    result = distances(metric_from("nan_euclidean", X=holes), holes, holes)
    expected = sklearn.metrics.pairwise.nan_euclidean_distances(holes)
    np.testing.assert_allclose(result, np.nan_to_num(expected, nan=np.inf), rtol=1e-12, atol=1e-7)


def test_the_measured_parameters_are_those_of_the_rows():
    result = distances(metric_from("mahalanobis", X=X), Q, X)
    assert np.allclose(
        result, cdist(Q, X, "mahalanobis", VI=np.linalg.inv(np.cov(X.T))), rtol=1e-12
    )
    result = distances(metric_from("seuclidean", X=X), Q, X)
    assert np.allclose(result, cdist(Q, X, "seuclidean", V=X.var(axis=0, ddof=1)), rtol=1e-12)


SAMPLES = {
    "hamming": arrays(np.float64, (3, 4), elements=st.integers(0, 2)),
    "jaccard": arrays(np.float64, (3, 4), elements=st.integers(0, 1)),
    **{name: arrays(np.float64, (3, 4), elements=st.integers(0, 1)) for name in BINARY_FORMS},
    "haversine": arrays(np.float64, (3, 2), elements=st.floats(-1.5, 1.5)),
    "gower": arrays(np.float64, (3, 4), elements=st.integers(-50, 50).map(lambda x: x / 10)),
}
ANY = arrays(np.float64, (3, 4), elements=st.floats(-1e3, 1e3).map(lambda x: round(x, 3)))
PARAMS = {
    "mahalanobis": {"V": np.diag([1.0, 2, 3, 4]) + 0.5},
    "seuclidean": {"V": [1.0, 2, 3, 4]},
    "minkowski": {"p": 3},
}
FIXED = np.vstack([X[:, :4], X[:, :4] * 2])


@pytest.mark.parametrize("name", sorted(set(METRIC_NAMES) - {"precomputed"}))
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_stated_axioms_hold(name, data):
    rows = data.draw(SAMPLES.get(name, ANY))
    if name in ("cosine", "correlation"):
        rows = rows + np.array([[1e4, 0, 0, 0], [0, 1e4, 0, 0], [0, 0, 1e4, 0]])
    metric = metric_from(name, metric_params=PARAMS.get(name), X=FIXED[:, : rows.shape[1]])
    gap = distances(metric, rows, rows)
    slack = 1e-9 * (1 + np.abs(gap).max())
    if "nonnegative" in metric.axioms:
        assert (gap >= 0).all()
        assert name == "russellrao" or (np.diag(gap) == 0).all()
    if "symmetry" in metric.axioms:
        np.testing.assert_array_equal(gap, gap.T)
    if "triangle" in metric.axioms:
        assert (gap[:, None, :] <= gap[:, :, None] + gap[None, :, :] + slack).all()
    if "identity" in metric.axioms and name != "haversine":
        same = (rows[:, None] == rows[None]).all(axis=2)
        assert ((gap == 0) == same).all()


def test_axioms_are_told_by_name_of_a_metric_and_of_its_rows():
    everything = {"nonnegative": True, "identity": True, "symmetry": True, "triangle": True}
    for name in ("euclidean", "mahalanobis", "hamming", "jaccard", "gower", "seuclidean"):
        assert lookalike.metrics.metric_axioms(name) == everything
    assert lookalike.metrics.metric_axioms("sqeuclidean") == {**everything, "triangle": False}
    weighted = lookalike.metrics.metric_axioms("hamming", metric_params={"w": [1, 0, 2]})
    assert weighted == {**everything, "identity": False}
    holes = lookalike.metrics.metric_axioms("gower", X=np.array([[0.0, 1.0], [np.nan, 2.0]]))
    assert holes == {**everything, "identity": False, "triangle": False}


def test_axioms_that_fail_are_not_stated():
    line = np.array([[0.0], [1.0], [2.0]])
    squared = distances(metric_from("sqeuclidean"), line, line)
    assert squared[0, 2] > squared[0, 1] + squared[1, 2]
    assert "triangle" not in metric_from("sqeuclidean").axioms
    angles = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    cosine = distances(metric_from("cosine"), angles, angles)
    assert cosine[0, 2] > cosine[0, 1] + cosine[1, 2]
    assert not {"triangle", "identity"} & metric_from("cosine").axioms
    assert metric_from("euclidean", metric_params={"w": [1, 0]}).axioms == {
        "nonnegative",
        "symmetry",
        "triangle",
    }
    assert metric_from("ip").axioms == {"symmetry"}
    assert metric_from(max).axioms == frozenset()


@pytest.mark.parametrize(
    "name", sorted(set(METRIC_NAMES) - {"gower", "precomputed", "jaccard", *BINARY_FORMS})
)
def test_metrics_of_the_exact_index_embed_and_others_do_not(name):
    metric = metric_from(name, X=X)
    assert isinstance(metric, Embedded) == ("exact" in metric.indexes)
    assert "scan" in metric.indexes


@pytest.mark.parametrize("name", ["cosine", "correlation", "mahalanobis", "seuclidean"])
def test_a_row_is_embedded_alike_alone_and_among_others(name):
    metric = metric_from(name, X=X)
    together = metric.embed(X)
    alone = np.concatenate([metric.embed(X[i : i + 1]) for i in range(len(X))])
    np.testing.assert_array_equal(together, alone)


def test_aliases_name_what_they_stand_for():
    for alias, name in METRIC_ALIASES.items():
        assert metric_from(alias, p=3).name == metric_from(name, p=3).name
    assert metric_from("minkowski", p=2).name == "euclidean"
    assert metric_from("minkowski", p=np.inf).name == "chebyshev"
    metric = metric_from("cosine")
    assert metric_from(metric) is metric


@pytest.mark.parametrize(
    ("metric", "p", "params", "words"),
    [
        ("euclid", 2, None, "'euclid' is not known"),
        ("minkowski", 0.0, None, "p=0.0 is not above 0"),
        ("minkowski", float("nan"), None, "p=nan"),
        ("euclidean", 2, {"V": 1}, "takes one of"),
        ("jaccard", 2, {"w": [1]}, "takes none"),
        ("euclidean", 2, {"w": [1, -1]}, r"w\[1\]=-1"),
        ("euclidean", 2, {"w": [0, 0]}, "zero everywhere"),
        ("mahalanobis", 2, {"V": np.ones((2, 2))}, "singular"),
        ("mahalanobis", 2, {"V": [[1, 2], [0, 1]]}, "not symmetric"),
        ("mahalanobis", 2, {"V": np.eye(2), "VI": np.eye(2)}, "both given"),
        ("mahalanobis", 2, None, "covariance V"),
        ("seuclidean", 2, {"V": [1, 0]}, r"V\[1\]=0"),
        ("seuclidean", 2, None, "Give X"),
        ("cosine", 2, {"zero": "near"}, "'error' or 'far'"),
    ],
)
def test_wrong_parameters_are_named(metric, p, params, words):
    with pytest.raises(ParameterError, match=words):
        metric_from(metric, p, params)


def test_wrong_kinds_and_shapes_are_named():
    with pytest.raises(ParameterTypeError, match="p='2'"):
        metric_from("minkowski", "2")
    with pytest.raises(ParameterTypeError, match="not a name, a Metric or a function"):
        metric_from(3.5)
    with pytest.raises(ShapeError, match="square"):
        metric_from("mahalanobis", metric_params={"V": np.ones((2, 3))})
    with pytest.raises(ShapeError, match="X has 5 columns and V is for 2"):
        metric_from("mahalanobis", metric_params={"V": np.eye(2)}, X=X)
    with pytest.raises(ShapeError, match="X has 5 columns and w is for 2"):
        metric_from("euclidean", metric_params={"w": [1, 2]}).rows(X)


def test_cosine_of_a_zero_row_is_an_error_or_far():
    rows = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0], [-1.0, 2.0]])
    with pytest.raises(ParameterError, match="zero in row 0"):
        metric_from("cosine").rows(rows)
    far = metric_from("cosine", metric_params={"zero": "far"})
    result = distances(far, rows, rows)
    np.testing.assert_array_equal(result[0, [0, 2]], 0)
    np.testing.assert_allclose(result[0, [1, 3]], 1, rtol=4e-16)
    np.testing.assert_array_equal(result, distances(far, *[scipy.sparse.csr_array(rows)] * 2))
    with pytest.raises(ParameterError, match="constant in row 1"):
        metric_from("correlation").rows([[1.0, 2.0], [0.1, 0.1]])


@given(
    arrays(np.float64, (1, 5), elements=st.floats(-1e300, 1e300)),
    st.sampled_from([1e-300, 1e-150, 0.25, 1.0, 2.0, 1e3]),
)
@settings(max_examples=100, deadline=None)
def test_cosine_is_zero_for_equal_rows_and_within_two_at_any_size(row, factor):
    row[0, 0] = row[0, 0] or 1.0
    metric = metric_from("cosine")
    pair = np.concatenate([row, -row])
    assert distances(metric, row, row)[0, 0] == 0
    assert 1.9999999 < distances(metric, row, pair)[0, 1] <= 2
    other = row * factor
    if np.all((other == 0) == (row == 0)) and np.abs(other[other != 0]).min() > 1e-300:
        assert distances(metric, row, other)[0, 0] < 1e-30


def test_haversine_has_no_nan_at_equal_and_opposite_points():
    places = np.array([[0.3, 1.0], [-0.3, 1.0 - np.pi], [np.pi / 2, 0.0], [-np.pi / 2, 2.0]])
    result = distances(metric_from("haversine"), places, places)
    assert (np.diag(result) == 0).all()
    assert result[0, 1] == pytest.approx(np.pi, abs=1e-7)
    assert result[2, 3] == pytest.approx(np.pi, abs=1e-7)
    with pytest.warns(UserWarning, match=r"latitude 48\.2 at row 0, .* in radians"):
        beyond = metric_from("haversine").rows([[48.2, 16.4]])
    u = [np.cos(48.2) * np.cos(16.4), np.cos(48.2) * np.sin(16.4), np.sin(48.2)]
    np.testing.assert_allclose(beyond, [u], rtol=0, atol=1e-15)
    with pytest.raises(ShapeError, match="two"):
        metric_from("haversine").rows(X)


def test_mahalanobis_is_right_at_a_large_offset_and_in_one_column():
    far = X + 1e8
    result = distances(metric_from("mahalanobis", X=far), far, far)
    rounded = far - 1e8
    expected = cdist(rounded, rounded, "mahalanobis", VI=np.linalg.inv(np.cov(rounded.T)))
    np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-12)
    line = metric_from("mahalanobis", metric_params={"V": 4.0})
    assert distances(line, [[0.0]], [[6.0]]).tolist() == [[3.0]]


def test_a_pseudo_inverse_leaves_directions_out():
    VI = np.linalg.pinv(np.diag([4.0, 0.0]))
    metric = metric_from("mahalanobis", metric_params={"VI": VI})
    assert "identity" not in metric.axioms
    assert distances(metric, [[0.0, 0.0]], [[2.0, 9.0]]).tolist() == [[1.0]]


def test_jaccard_of_other_values_names_the_cell():
    with pytest.warns(DataConversionWarning, match=r"X is 2\.0 at row 1, column 0"):
        bits = metric_from("jaccard").rows(np.array([[0, 1], [2, 0]]))
    np.testing.assert_array_equal(bits, [[2], [1]])
    empty = np.zeros((2, 3), bool)
    assert distances(metric_from("jaccard"), empty, empty).tolist() == [[0, 0], [0, 0]]


def test_minkowski_of_huge_order_does_not_overflow():
    result = distances(metric_from("minkowski", p=1e6), [[0.0, 0.0]], [[1e3, 1e3]])
    assert result[0, 0] == pytest.approx(1e3, rel=1e-5)


def test_small_integers_do_not_wrap():
    low, high = np.array([[3]], np.uint8), np.array([[200]], np.uint8)
    for name in ("manhattan", "chebyshev", "euclidean"):
        assert distances(metric_from(name), low, high)[0, 0] == 197
    assert distances(metric_from("hamming", X=low), low, high)[0, 0] == 1


def test_compiled_functions_of_every_kind_are_called(tmp_path):
    python = C_FUNCTION(lambda q, x, d: sum(abs(q[j] - x[j]) for j in range(d)))
    expected = cdist(Q, X, "cityblock")
    for function in (
        python,
        scipy.LowLevelCallable(python),
        CompiledFunction(ctypes.cast(python, ctypes.c_void_p).value),
    ):
        metric = metric_from(function)
        assert metric.name == "function"
        np.testing.assert_allclose(distances(metric, Q, X), expected, rtol=1e-14)


def test_an_object_that_shows_itself_as_a_ctypes_function_is_compiled():
    class Compiled:  # as numba's cfunc does
        ctypes = C_FUNCTION(lambda q, x, _: abs(q[0] - x[0]))

    metric = metric_from(Compiled())
    assert distances(metric, [[1.0]], [[4.0]]).tolist() == [[3.0]]


def test_a_python_function_is_given_rows_and_parameters():
    metric = metric_from(
        lambda q, x, scale: scale * np.abs(q - x).sum(), metric_params={"scale": 2}
    )
    np.testing.assert_allclose(distances(metric, Q, X), 2 * cdist(Q, X, "cityblock"))


def test_functions_of_another_signature_are_refused():
    wrong = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x)
    with pytest.raises(ParameterError, match="signature"):
        metric_from(wrong)
    with pytest.raises(ParameterError, match="Compile them in"):
        metric_from(C_FUNCTION(lambda _q, _x, _d: 0.0), metric_params={"scale": 2})
    with pytest.raises(ParameterError, match="user_data"):
        metric_from(
            scipy.LowLevelCallable(C_FUNCTION(lambda _q, _x, _d: 0.0), user_data=ctypes.c_void_p(8))
        )
    with pytest.raises(ParameterError, match="returned NaN"):
        distances(metric_from(lambda _q, _x: float("nan")), Q, X)
    with pytest.raises(ParameterTypeError, match="not a compiled function"):
        CompiledFunction("f")


@given(st.sampled_from(["euclidean", "cosine", "haversine", "hamming"]), st.floats(0, 4))
@settings(max_examples=60, deadline=None)
def test_the_limit_is_the_last_key_within_a_radius(name, radius):
    metric = metric_from(name, X=X)
    key = metric.limit(np.array([radius]))
    assert metric.distance(key)[0] <= radius
    beyond = metric.distance(np.nextafter(key, np.inf))[0]
    assert beyond > radius or np.isinf(key[0])
