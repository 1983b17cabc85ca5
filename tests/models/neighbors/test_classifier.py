"""Neighbors that vote: the rules of the vote, beliefs, costs, weights, labels of any kind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import squared_distances
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import DataConversionWarning
from sklearn.neighbors import KNeighborsClassifier as Peer
from sklearn.utils.estimator_checks import check_estimator

from lookalike import KNeighborsClassifier, RadiusNeighborsClassifier, RadiusNeighborsRegressor
from lookalike.errors import (
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)

RNG = np.random.default_rng(5)
ROWS = RNG.normal(size=(200, 6))
LABELS = RNG.integers(0, 3, size=200)
QUERIES = RNG.normal(size=(60, 6))
LATTICE = RNG.integers(0, 3, size=(120, 3)).astype(float)  # many equal distances
LATTICE_LABELS = RNG.integers(0, 3, size=120)


def votes_of_growing_spheres(X, y, query, k):
    """Algorithm 14.1 with step 4, slowly: all rows as near as the K-th vote, then more shells."""
    keys = squared_distances([query], X)[0]
    for radius in np.unique(np.sort(keys)[k - 1 :]):
        counts = np.bincount(y[keys <= radius], minlength=y.max() + 1)
        if (counts == counts.max()).sum() == 1:
            break
    return counts


@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier(),
        KNeighborsClassifier(weights="distance", missing="mean"),
        KNeighborsClassifier("loo"),
        RadiusNeighborsClassifier(),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:All labels")
def test_scikit_learns_checks_pass(model):
    results = check_estimator(model, on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize("k", [1, 2, 5, 40])
def test_a_tie_asks_more_shells_of_equally_near_rows_until_one_class_leads(k):
    model = KNeighborsClassifier(k).fit(LATTICE, LATTICE_LABELS)
    queries = LATTICE[:40] + RNG.integers(0, 2, size=(40, 3)) / 2
    expected = np.array(
        [votes_of_growing_spheres(LATTICE, LATTICE_LABELS, query, k) for query in queries]
    )
    np.testing.assert_array_equal(model.predict(queries), expected.argmax(axis=1))
    share = expected / expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(queries), share, rtol=1e-15)


def test_of_equally_near_points_the_most_numerous_class_wins_even_for_one_neighbor():
    rows = [[1.0], [-1.0], [1.0], [5.0]]
    model = KNeighborsClassifier(1).fit(rows, ["a", "b", "b", "a"])
    assert model.predict([[0.0]]) == ["b"]  # three points at distance 1: a, b, b


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(120)), st.integers(1, 9))
def test_the_order_of_the_rows_decides_nothing(order, k):
    queries = LATTICE[:20] + 0.5
    here = KNeighborsClassifier(k).fit(LATTICE, LATTICE_LABELS)
    there = KNeighborsClassifier(k).fit(LATTICE[order], LATTICE_LABELS[order])
    np.testing.assert_array_equal(here.predict_proba(queries), there.predict_proba(queries))


@pytest.mark.parametrize(
    ("ties", "expected"), [("grow", "b"), ("nearest", "a"), ("fewer", "a"), ("prior", "b")]
)
def test_every_rule_for_ties_gives_its_own_answer(ties, expected):
    rows, labels = [[1.0], [2.0], [3.0], [9.0]], ["a", "b", "b", "b"]
    model = KNeighborsClassifier(2, ties=ties).fit(rows, labels)
    assert model.predict([[0.0]]).tolist() == [expected]
    assert model.decisions_.about("ties")[0].choice == "1 of 1 votes"


def test_a_tie_of_all_rows_goes_to_the_first_class_in_sorted_order():
    model = KNeighborsClassifier(2).fit([[1.0], [-1.0]], ["b", "a"])
    assert model.predict([[0.0]]) == ["a"]
    weighted = KNeighborsClassifier(2, weights="distance", ties="nearest")
    assert weighted.fit([[1.0], [-1.0]], ["b", "a"]).predict([[0.0]]) == ["a"]


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: np.exp(-d)])
@pytest.mark.parametrize("k", [1, 5, 11])
def test_votes_without_ties_are_scikit_learns(weights, k):
    mine = KNeighborsClassifier(k, weights=weights, ties="prior").fit(ROWS, LABELS)
    peer = Peer(k, weights=weights).fit(ROWS, LABELS)
    np.testing.assert_allclose(
        mine.predict_proba(QUERIES), peer.predict_proba(QUERIES), rtol=1e-12, atol=1e-15
    )


def test_only_exact_hits_vote_when_votes_are_weighed_by_distance():
    model = KNeighborsClassifier(4, weights="distance")
    model.fit([[0.0], [0.0], [1e-100], [1.0]], ["a", "a", "b", "b"])
    np.testing.assert_array_equal(model.predict_proba([[0.0]]), [[1.0, 0.0]])


def test_a_denormal_distance_gives_finite_shares():
    model = KNeighborsClassifier(2, weights="distance", metric="manhattan")
    share = model.fit([[5e-324], [1.0]], ["a", "b"]).predict_proba([[0.0]])
    np.testing.assert_array_equal(share, [[1.0, 5e-324]])


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=120, max_size=120), st.integers(1, 7))
def test_a_weight_counts_as_that_many_rows(weight, k):
    weight = np.array(weight)
    labels = np.repeat(LATTICE_LABELS, weight)
    assume(len(labels) >= k and len(set(labels)) == 3)
    repeated = KNeighborsClassifier(k).fit(np.repeat(LATTICE, weight, axis=0), labels)
    weighted = KNeighborsClassifier(k).fit(LATTICE, LATTICE_LABELS, sample_weight=weight)
    queries = LATTICE[:15] + 0.5
    np.testing.assert_array_equal(weighted.predict_proba(queries), repeated.predict_proba(queries))


@pytest.mark.parametrize(
    ("weight", "said"),
    [([1, -1, 1], "sample_weight is -1"), ([0, 0, 0], "zero for every"), ([1, np.nan, 1], "nan")],
)
def test_weights_that_are_none_are_an_error(weight, said):
    with pytest.raises(ParameterError, match=said):
        KNeighborsClassifier(1).fit([[0.0], [1.0], [2.0]], [0, 1, 1], sample_weight=weight)
    light = KNeighborsClassifier(3).fit([[0.0], [1.0]], [0, 1], sample_weight=[0.5, 0.5])
    with pytest.raises(ParameterError, match="adds up to 2"):
        light.predict([[0.0]])


def test_weights_that_add_up_to_one_are_relative():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = X[:, 0] > 0
    plain = KNeighborsClassifier(5).fit(X, y).predict_proba(X)
    equal = KNeighborsClassifier(5).fit(X, y, sample_weight=np.full(200, 1 / 200))
    np.testing.assert_array_equal(equal.predict_proba(X), plain)
    counts = rng.integers(1, 4, 200)
    relative = KNeighborsClassifier(5).fit(X, y, sample_weight=counts / counts.sum())
    scaled = KNeighborsClassifier(5).fit(X, y, sample_weight=counts / counts.mean())
    np.testing.assert_allclose(relative.predict_proba(X), scaled.predict_proba(X), rtol=1e-12)
    boosted = AdaBoostClassifier(KNeighborsClassifier(5), n_estimators=5, random_state=0)
    assert boosted.fit(X, y).score(X, y) > 0.9


def test_a_prior_scales_votes_by_belief_over_share():
    rows, labels = np.arange(8.0)[:, None], ["a"] * 6 + ["b"] * 2
    model = KNeighborsClassifier(8, priors={"a": 0.5, "b": 0.5}).fit(rows, labels)
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.5, 0.5]], rtol=1e-15)
    likely = KNeighborsClassifier(8, priors={"a": 1, "b": 9}).fit(rows, labels)
    np.testing.assert_allclose(likely.predict_proba([[0.0]]), [[0.1, 0.9]], rtol=1e-15)
    assert likely.predict([[0.0]]) == ["b"]
    one = KNeighborsClassifier(1, priors={"a": 1, "b": 9}).fit(rows, labels)
    assert one.predict_proba([[0.0]]).tolist() == [[1.0, 0.0]]


def test_the_least_expected_cost_wins():
    rows, labels = [[0.0], [1.0], [2.0]], ["ill", "well", "well"]
    cost = [[0, 5], [1, 0]]  # to call the ill well costs five times as much
    model = KNeighborsClassifier(3, cost=cost).fit(rows, labels)
    assert model.predict([[1.0]]) == ["ill"]
    np.testing.assert_allclose(model.predict_proba([[1.0]]), [[1 / 3, 2 / 3]])


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"ties": "lowest"}, "ties='lowest' is not known"),
        ({"priors": "flat"}, "priors='flat' is not known"),
        ({"priors": {0: 1.0}}, "priors lacks the classes"),
        ({"priors": {0: -1.0, 1: 1, 2: 1}}, "must be non-negative"),
        ({"cost": [[0, 1]]}, "cost has shape"),
        ({"weights": "near"}, "weights='near' is not known"),
        ({"missing": "drop"}, "missing='drop' is not known"),
        ({"missing": "present", "metric": "manhattan"}, "compares rows by metric"),
    ],
)
def test_what_cannot_be_honored_is_an_error(parameters, said):
    with pytest.raises((ParameterError, ShapeError), match=said):
        KNeighborsClassifier(**parameters).fit(ROWS, LABELS)


@pytest.mark.parametrize(
    "labels",
    [
        ["x", "yy", "x"],
        [b"x", b"y", b"x"],
        [True, False, True],
        [-5, 7, -5],
        [2**63, 1, 2**63],
        [2**70, -1, 2**70],
        [1.0, 2.0, 1.0],
    ],
    ids=repr,
)
def test_labels_of_any_one_kind_come_back_as_they_were(labels):
    model = KNeighborsClassifier(1).fit([[0.0], [1.0], [2.0]], labels)
    answer = model.predict([[0.1], [1.1]])
    assert answer.tolist() == labels[:2]
    assert answer.dtype == model.classes_.dtype
    assert model.classes_.tolist() == sorted(set(labels))


@pytest.mark.parametrize(
    ("labels", "error", "said"),
    [
        (["a", 1, "b"], ParameterTypeError, "mixes labels of types int and str"),
        (["a", None, "b"], MissingValueError, "y is None at row 1"),
        ([1.0, np.nan, 2.0], MissingValueError, "y is nan at row 1"),
        (np.array(["a", np.nan, "b"], object), MissingValueError, "y is nan at row 1"),
        ([1.0, 1.5, 2.0], ParameterError, "y is 1.5 at row 1"),
        ([1, 2], ShapeError, "y holds 2 entries, X has 3 rows"),
    ],
    ids=repr,
)
def test_labels_that_are_none_are_an_error(labels, error, said):
    with pytest.raises(error, match=said):
        KNeighborsClassifier(1).fit([[0.0], [1.0], [2.0]], labels)


def test_a_column_of_labels_warns_and_is_taken_flat():
    with pytest.warns(DataConversionWarning, match="column-vector"):
        model = KNeighborsClassifier(1).fit([[0.0], [1.0]], [["a"], ["b"]])
    assert model.predict([[0.0]]).shape == (1,)


def test_a_single_class_warns_and_is_every_answer():
    with pytest.warns(UserWarning, match="All labels are"):
        model = KNeighborsClassifier(2).fit([[0.0], [1.0]], ["a", "a"])
    assert model.predict([[7.0]]) == ["a"]
    assert model.predict_proba([[7.0]]).shape == (1, 1)


def test_several_outputs_are_voted_on_one_by_one():
    several = np.column_stack([LABELS, LABELS[::-1]]).astype(str)
    model = KNeighborsClassifier(5).fit(ROWS, several)
    answer, shares = model.predict_both(QUERIES)
    for j in range(2):
        alone = KNeighborsClassifier(5).fit(ROWS, several[:, j])
        np.testing.assert_array_equal(answer[:, j], alone.predict(QUERIES))
        np.testing.assert_array_equal(shares[j], alone.predict_proba(QUERIES))


def test_rows_added_and_forgotten_leave_a_model_of_the_rows_left():
    model = KNeighborsClassifier(3).partial_fit(ROWS[:50], LABELS[:50] % 2)
    model.partial_fit(ROWS[50:], LABELS[50:]).remove([3, 60])
    left = np.delete(np.arange(200), [3, 60])
    labels = np.concatenate([LABELS[:50] % 2, LABELS[50:]])[left]
    fresh = KNeighborsClassifier(3).fit(ROWS[left], labels)
    np.testing.assert_array_equal(model.classes_, fresh.classes_)
    np.testing.assert_array_equal(model.predict_proba(QUERIES), fresh.predict_proba(QUERIES))
    with pytest.raises(ParameterError, match="would leave the index of 198 empty"):
        model.remove(np.arange(198))


def test_classes_told_before_stay_without_rows():
    model = KNeighborsClassifier(1).partial_fit([[0.0], [1.0]], [1, 2], classes=[0, 1, 2])
    assert model.predict_proba([[0.0]]).tolist() == [[0.0, 1.0, 0.0]]


def test_missing_values_are_an_error_or_means_or_left_out():
    rows = ROWS.copy()
    rows[4, 2] = rows[9, 0] = np.nan
    with pytest.raises(MissingValueError, match="row 4"):
        KNeighborsClassifier().fit(rows, LABELS)
    filled = np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)
    mean = KNeighborsClassifier(missing="mean").fit(rows, LABELS)
    plain = KNeighborsClassifier().fit(filled, LABELS)
    np.testing.assert_array_equal(mean.predict(rows), plain.predict(filled))
    present = KNeighborsClassifier(3, missing="present").fit(rows, LABELS)
    peer = Peer(3, metric="nan_euclidean").fit(rows, LABELS)
    np.testing.assert_array_equal(present.kneighbors(rows)[1], peer.kneighbors(rows)[1])
    assert present.effective_metric_ == "nan_euclidean"


def test_mixed_frames_are_classified_by_gower():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"age": [20.0, 21.0, None, 61.0], "town": ["Graz", "Linz", "Wien", None]}
    )
    model = KNeighborsClassifier(1, metric="gower", missing="present")
    assert model.fit(frame, list("aabb")).predict(frame).tolist() == list("aabb")


def test_labels_may_come_with_a_source():
    from lookalike.data import open_source, sample

    model = KNeighborsClassifier(1).fit(sample("iris"))
    assert model.n_samples_fit_ == 150
    source = open_source([[0.0, 7.0], [1.0, 8.0]], target=1)
    assert KNeighborsClassifier(1).fit(source).predict([[0.9]]) == [8.0]


def test_rows_left_out_in_turn_are_asked_for_by_none():
    model = KNeighborsClassifier(3).fit(LATTICE, LATTICE_LABELS)
    for row in range(0, 120, 17):
        others = np.delete(np.arange(120), row)
        alone = KNeighborsClassifier(3).fit(LATTICE[others], LATTICE_LABELS[others])
        assert model.predict()[row] == alone.predict(LATTICE[[row]])[0]


@pytest.mark.parametrize("ties", ["grow", "nearest", "fewer", "prior"])
def test_a_tie_within_a_radius_is_settled_as_among_k(ties):
    rows, labels = [[1.0], [2.0], [3.0], [9.0]], ["a", "b", "b", "b"]
    near = RadiusNeighborsClassifier(2.0, ties=ties).fit(rows, labels)
    counted = KNeighborsClassifier(2, ties=ties).fit(rows, labels)
    np.testing.assert_array_equal(near.predict([[0.0]]), counted.predict([[0.0]]))


def test_a_lonely_row_is_an_error_or_an_outlier():
    rows, labels = [[0.0], [1.0]], ["a", "b"]
    with pytest.raises(ParameterError, match="No neighbors found for test samples"):
        RadiusNeighborsClassifier(0.5, ties="nearest").fit(rows, labels).predict([[9.0]])
    model = RadiusNeighborsClassifier(0.5, outlier_label="stranger").fit(rows, labels)
    with pytest.warns(UserWarning, match="Outlier label stranger is not in"):
        assert model.predict([[9.0], [1.0]]).tolist() == ["stranger", "b"]
    assert not hasattr(model, "kneighbors")


def test_rows_that_stay_in_their_file_are_voted_on_as_those_in_memory(tmp_path):
    from lookalike.data import open_source

    table = np.column_stack([LATTICE, LATTICE_LABELS])
    np.savetxt(tmp_path / "rows.csv", table, "%d", ",", header="a,b,c,label", comments="")
    source = open_source(tmp_path / "rows.csv", target="label")
    there = KNeighborsClassifier(4, engine="stream").fit(source)
    here = KNeighborsClassifier(4).fit(LATTICE, LATTICE_LABELS)
    np.savetxt(tmp_path / "more.csv", LATTICE[:20] + 0.5, "%.1f", ",", header="a,b,c", comments="")
    found = there.predict_proba(tmp_path / "more.csv")
    np.testing.assert_array_equal(found, here.predict_proba(LATTICE[:20] + 0.5))
    np.testing.assert_array_equal(there.predict(), here.predict())


def test_a_fit_drops_classes_declared_before():
    model = KNeighborsClassifier(1).partial_fit([[0.0], [1.0]], [1, 2], classes=[0, 1, 2])
    assert model.fit([[0.0], [1.0]], [1, 2]).classes_.tolist() == [1, 2]
    fresh = KNeighborsClassifier(1).partial_fit([[0.0], [1.0]], [1, 2], classes=[0, 1, 2])
    assert fresh.partial_fit([[2.0]], [5]).classes_.tolist() == [0, 1, 2, 5]


def test_an_unseen_label_in_a_test_is_an_error_of_the_model():
    model = KNeighborsClassifier(1).fit([[0.0], [1.0]], ["a", "b"])
    assert model.score([[0.0], [1.0]], ["a", "z"]) == 0.5


def test_more_neighbors_than_rows_are_an_error_even_where_ties_grow():
    model = KNeighborsClassifier(3).fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ShapeError, match="n_neighbors = 3, n_samples_fit = 2"):
        model.predict([[0.0]])


def test_columns_that_differ_from_those_of_fit_are_named():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0]})
    model = KNeighborsClassifier(1).fit(frame, ["x", "y"])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"b": "c"}))


def test_rows_of_infinite_weight_vote_alone():
    with np.errstate(divide="ignore"):
        model = KNeighborsClassifier(3, weights=lambda d: 1 / d).fit(
            [[0.0], [1.0], [2.0]], list("abb")
        )
        np.testing.assert_array_equal(model.predict_proba([[0.0]]), [[1.0, 0.0]])
        near = model.predict_proba([[0.5]])
    np.testing.assert_allclose(near, [[2, 2 + 1 / 1.5]] / np.array(4 + 1 / 1.5), rtol=1e-12)


def test_of_a_row_that_weighs_two_a_copy_stays_when_it_is_left_out():
    weight = RNG.integers(0, 4, size=60)
    weighted = KNeighborsClassifier("loo", k_max=6).fit(LATTICE[:60], LATTICE_LABELS[:60], weight)
    repeated = KNeighborsClassifier("loo", k_max=6)
    repeated.fit(np.repeat(LATTICE[:60], weight, axis=0), np.repeat(LATTICE_LABELS[:60], weight))
    for weights in ("uniform", "distance"):
        ours, theirs = (m.selection_.curves["loo", weights] for m in (weighted, repeated))
        np.testing.assert_allclose(ours.scores["error"], theirs.scores["error"], rtol=1e-12)
    answers = np.repeat(weighted.predict(), weight)
    np.testing.assert_array_equal(answers, repeated.predict())


def test_the_radius_grows_for_a_row_without_neighbors():
    model = RadiusNeighborsClassifier(0.5).fit([[0.0], [5.0], [5.0]], ["a", "b", "b"])
    np.testing.assert_array_equal(model.predict([[2.0], [4.0]]), ["a", "b"])
    assert model.decisions_.about("outliers")[0].choice == "2 of 2 rows"


@pytest.mark.parametrize("kind", [RadiusNeighborsClassifier, RadiusNeighborsRegressor])
@pytest.mark.parametrize("seed", range(6))
def test_rows_left_out_of_a_radius_leave_their_other_copies_there(kind, seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 6, size=(12, 1)).astype(float)
    told, times = rng.integers(0, 2, size=12), rng.integers(2, 4, size=12)
    weighted = kind(1.0).fit(rows, told, sample_weight=times).predict(None)
    repeated = kind(1.0).fit(rows.repeat(times, axis=0), told.repeat(times)).predict(None)
    first = np.cumsum(times) - times
    np.testing.assert_allclose(weighted, repeated[first], rtol=1e-12)
