"""Every system of learning by similarity does what its source says: N1 to N9, N12 to N19, N21."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from oracle import squared_distances
from scipy.special import logsumexp
from scipy.stats import norm

from lookalike import (
    PCA,
    CondensedNearestNeighbour,
    EditedNearestNeighbours,
    KernelDensityClassifier,
    KNeighborsClassifier,
    KNeighborsRegressor,
    MinMaxScaler,
    NearestNeighbors,
    Ridge,
    SimpleImputer,
    StandardScaler,
)
from lookalike.decomposition import choose_components_and_k
from lookalike.explain import (
    bayes_error_bracket,
    dimensionality_report,
    measured_bayes_bracket,
    nn_error_bound,
    nn_sample_size,
)
from lookalike.explain.curse import points_per_bin, shell_fraction
from lookalike.report.plots.neighbors import plot_decision_regions
from lookalike.report.plots.ridge import plot_coefficients

RNG = np.random.default_rng(21)
ROWS = RNG.normal(size=(120, 4))
LABELS = (ROWS[:, 0] + 0.5 * RNG.normal(size=120) > 0).astype(int)
QUERIES = RNG.normal(size=(30, 4))


def nearest_labels(k):
    order = np.argsort(squared_distances(QUERIES, ROWS), axis=1, kind="stable")
    return LABELS[order[:, :k]]


def test_n1_of_equally_near_points_the_most_numerous_class_wins_and_if_none_does_k_grows():
    rows, labels = [[-1.0], [1.0], [1.0], [3.0]], ["a", "b", "b", "a"]
    assert KNeighborsClassifier(1).fit(rows, labels).predict([[0.0]]) == ["b"]  # two b to one a
    level = KNeighborsClassifier(1).fit([[-1.0], [1.0], [3.0]], ["a", "b", "b"])
    assert level.predict([[0.0]]) == ["b"]  # one each: the next shell votes too
    assert level.decisions_.about("ties")[0].choice == "1 of 1 votes"


@pytest.mark.parametrize("k", [1, 3, 7])
def test_n2_the_prediction_is_the_mode_of_the_labels_of_the_k_nearest(k):
    answer = KNeighborsClassifier(k).fit(ROWS, LABELS).predict(QUERIES)
    np.testing.assert_array_equal(answer, (nearest_labels(k).mean(axis=1) > 0.5).astype(int))


def test_n2_a_tie_is_settled_by_the_rule_that_is_named():
    rows, labels = [[1.0], [-2.0], [3.0], [4.0]], ["b", "a", "a", "a"]
    answers = {
        ties: KNeighborsClassifier(2, ties=ties).fit(rows, labels).predict([[0.0]])[0]
        for ties in ("grow", "nearest", "fewer", "prior")
    }
    assert answers == {"grow": "a", "nearest": "b", "fewer": "b", "prior": "a"}


def test_n3_probabilities_are_the_shares_of_the_k_labels():
    share = KNeighborsClassifier(5).fit(ROWS, LABELS).predict_proba(QUERIES)
    expected = nearest_labels(5).mean(axis=1)
    np.testing.assert_allclose(share, np.column_stack([1 - expected, expected]), rtol=1e-15)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_n4_regression_is_the_mean_of_the_k_targets_plain_or_by_inverse_distance(weights):
    targets = np.column_stack([ROWS[:, 0], ROWS[:, 1] ** 2])
    predicted = KNeighborsRegressor(4, weights=weights).fit(ROWS, targets).predict(QUERIES)
    keys = squared_distances(QUERIES, ROWS)
    near = np.argsort(keys, axis=1, kind="stable")[:, :4]
    weight = np.ones((30, 4))
    if weights == "distance":
        weight = 1 / np.sqrt(np.take_along_axis(keys, near, axis=1))
    weight /= weight.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(
        predicted, np.einsum("qk,qko->qo", weight, targets[near]), rtol=1e-12
    )


@pytest.mark.parametrize(
    ("metric", "parameters", "formula"),
    [
        ("sqeuclidean", {}, lambda gap, _: (gap**2).sum(axis=1)),
        ("euclidean", {}, lambda gap, _: np.sqrt((gap**2).sum(axis=1))),
        ("manhattan", {}, lambda gap, _: np.abs(gap).sum(axis=1)),
        ("minkowski", {"p": 3}, lambda gap, _: (np.abs(gap) ** 3).sum(axis=1) ** (1 / 3)),
        ("chebyshev", {}, lambda gap, _: np.abs(gap).max(axis=1)),
        (
            "mahalanobis",
            {},
            lambda gap, X: np.sqrt(
                np.einsum("ni,ij,nj->n", gap, np.linalg.inv(np.cov(X, rowvar=False)), gap)
            ),
        ),
    ],
    ids=["squared", "euclidean", "manhattan", "minkowski", "chebyshev", "mahalanobis"],
)
def test_n5_dissimilarities_are_those_of_the_formulas(metric, parameters, formula):
    model = NearestNeighbors(len(ROWS), metric=metric, **parameters).fit(ROWS)
    distance, row = model.kneighbors(QUERIES[:1])
    expected = formula(ROWS - QUERIES[0], ROWS)
    np.testing.assert_allclose(distance[0], expected[row[0]], rtol=1e-10)
    np.testing.assert_allclose(distance[0], np.sort(expected), rtol=1e-10)


@pytest.mark.parametrize("model", [StandardScaler(), MinMaxScaler(), PCA(whiten=True)], ids=repr)
def test_n6_normalization_is_that_of_the_training_rows_alone(model):
    model.fit(ROWS)
    if isinstance(model, StandardScaler):
        expected = (QUERIES - ROWS.mean(axis=0)) / ROWS.std(axis=0)
        np.testing.assert_allclose(model.transform(QUERIES), expected, rtol=1e-10)
    elif isinstance(model, MinMaxScaler):
        least, most = ROWS.min(axis=0), ROWS.max(axis=0)
        expected = (QUERIES - least) / (most - least)
        np.testing.assert_allclose(model.transform(QUERIES), expected, rtol=1e-10)
    else:
        covariance = np.cov(model.transform(ROWS), rowvar=False)
        np.testing.assert_allclose(covariance, np.eye(4) * covariance[0, 0], atol=1e-10)


def test_n7_a_missing_number_is_the_mean_of_its_feature_or_left_out_of_the_distance():
    gaps = ROWS.copy()
    gaps[::7, 2] = np.nan
    filled = np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps)
    np.testing.assert_allclose(SimpleImputer("mean").fit(gaps).transform(gaps), filled, rtol=1e-12)
    by_mean = KNeighborsClassifier(3, missing="mean").fit(gaps, LABELS)
    plain = KNeighborsClassifier(3).fit(filled, LABELS)
    np.testing.assert_array_equal(by_mean.predict(QUERIES), plain.predict(QUERIES))
    present = KNeighborsClassifier(1, missing="present").fit(gaps, LABELS)
    squares = np.nansum((gaps - QUERIES[0]) ** 2, axis=1) * 4 / (~np.isnan(gaps)).sum(axis=1)
    distance, row = present.kneighbors(QUERIES[:1], 1)
    assert (row[0, 0], distance[0, 0]) == (
        squares.argmin(),
        pytest.approx(np.sqrt(squares.min())),
    )


def test_n8_priors_costs_and_weights_act_in_vote_and_probability():
    believed = KNeighborsClassifier(9, priors={0: 0.9, 1: 0.1}).fit(ROWS, LABELS)
    votes = nearest_labels(9).mean(axis=1)
    share = np.bincount(LABELS) / len(LABELS)
    scaled = np.column_stack([(1 - votes) * 0.9 / share[0], votes * 0.1 / share[1]])
    expected = scaled / scaled.sum(axis=1, keepdims=True)
    decided = np.abs(expected[:, 0] - 0.5) > 1e-9
    np.testing.assert_allclose(believed.predict_proba(QUERIES)[decided], expected[decided])
    costly = KNeighborsClassifier(9, cost=[[0.0, 1.0], [5.0, 0.0]]).fit(ROWS, LABELS)
    np.testing.assert_array_equal(costly.predict(QUERIES), (votes > 1 / 6).astype(int))
    weight = RNG.integers(0, 3, size=120)
    weighted = KNeighborsRegressor(5).fit(ROWS, ROWS[:, 0], sample_weight=weight)
    repeated = KNeighborsRegressor(5).fit(
        np.repeat(ROWS, weight, axis=0), np.repeat(ROWS[:, 0], weight)
    )
    np.testing.assert_allclose(weighted.predict(QUERIES), repeated.predict(QUERIES), rtol=1e-12)


def test_n9_every_k_is_scored_by_leave_one_out_and_the_guides_are_shown():
    model = KNeighborsClassifier("loo", k_max=7).fit(ROWS, LABELS)
    curve = model.selection_.curves["loo", "uniform"]
    for k in (1, 4, 7):
        wrong = [
            KNeighborsClassifier(k)
            .fit(np.delete(ROWS, i, 0), np.delete(LABELS, i))
            .predict(ROWS[[i]])
            != LABELS[i]
            for i in range(120)
        ]
        assert curve.scores["error"][k - 1] == pytest.approx(np.mean(wrong), abs=1e-15)
        spread = np.std(wrong, ddof=1) / np.sqrt(120)
        assert curve.standard_errors["error"][k - 1] == pytest.approx(spread)
    assert model.selection_.guides == {"sqrt_n": 11, "odd": 11}


def test_n12_prototypes_predict_every_row_and_mislabeled_rows_are_dropped():
    blobs = np.concatenate([RNG.normal(size=(60, 2)), RNG.normal(size=(60, 2)) + 9])
    labels = np.repeat([0, 1], 60)
    small = CondensedNearestNeighbour().fit(blobs, labels)
    assert small.consistent_
    assert len(small.rows_) < 12
    np.testing.assert_array_equal(small.predict(blobs), labels)
    labels[3] = 1
    assert 3 not in EditedNearestNeighbours().fit(blobs, labels).rows_


def test_n13_components_and_neighbors_are_chosen_together_by_leave_one_out():
    choice = choose_components_and_k(ROWS, LABELS, max_components=3, k_max=5)
    axes = np.linalg.svd(ROWS - ROWS.mean(axis=0), full_matrices=False)[2]
    Z = (ROWS - ROWS.mean(axis=0)) @ axes[:2].T
    answers = KNeighborsClassifier(3).fit(Z, LABELS).predict()
    assert choice.error[1, 2] == pytest.approx(np.mean(answers != LABELS))
    m, k = choice.best
    assert choice.error[m - 1, k - 1] == choice.error.min()


def test_n14_regions_of_one_neighbor_are_voronoi_cells():
    mpl.use("Agg")
    rows, labels = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]]), np.array([0, 1, 2])
    model = KNeighborsClassifier(1).fit(rows, labels)
    ax = plot_decision_regions(model, rows, labels)
    assert ax.images or ax.collections
    grid = np.stack(np.meshgrid(np.linspace(0, 2, 20), np.linspace(0, 2, 20)), axis=-1)
    cells = squared_distances(grid.reshape(-1, 2), rows).argmin(axis=1)
    clear = np.ptp(np.sort(squared_distances(grid.reshape(-1, 2), rows))[:, :2], axis=1) > 1e-9
    np.testing.assert_array_equal(model.predict(grid.reshape(-1, 2))[clear], cells[clear])


def parzen(bandwidth, queries):
    """Equations 14.3.1 to 14.3.3 in logarithms, with priors N_c / N."""
    gaps = -squared_distances(queries, ROWS) / (2 * bandwidth**2)
    joint = np.array(
        [logsumexp(gaps[:, c == LABELS], axis=1) for c in (0, 1)]
    )  # p(c) / N_c = 1 / N
    return np.exp(joint - logsumexp(joint, axis=0)).T


@pytest.mark.parametrize("bandwidth", [0.1, 0.6, 5.0])
def test_n15_the_kernel_classifier_is_parzen_density_and_bayes_rule(bandwidth):
    model = KernelDensityClassifier(bandwidth, background=False).fit(ROWS, LABELS)
    probabilities = model.predict_proba(QUERIES)
    np.testing.assert_allclose(probabilities, parzen(bandwidth, QUERIES), rtol=1e-9, atol=1e-14)


def test_n15_a_vanishing_bandwidth_is_the_nearest_neighbor_and_leave_one_out_chooses_it():
    narrow = KernelDensityClassifier(1e-6, background=False).fit(ROWS, LABELS)
    np.testing.assert_array_equal(narrow.predict(QUERIES), nearest_labels(1)[:, 0])
    chosen = KernelDensityClassifier().fit(ROWS, LABELS)
    assert chosen.bandwidth_ == chosen.curve_["bandwidth"][chosen.curve_["log_loss"].argmin()]


def test_n16_far_from_all_data_the_prediction_tends_to_the_prior():
    model = KernelDensityClassifier(0.5).fit(ROWS, LABELS)
    far = model.predict_proba(np.full((1, 4), 1e7))[0]
    np.testing.assert_allclose(far, np.bincount(LABELS) / 120, rtol=1e-9)
    assert model.background_variance_ == pytest.approx(100 * max(0.25, ROWS.var(axis=0).mean()))


def test_n17_the_bounds_are_those_of_cover_and_hart_and_contain_a_known_bayes_error():
    for classes in (2, 5):
        bayes = 0.2
        error = bayes * (2 - classes / (classes - 1) * bayes)
        bounds = bayes_error_bracket(error, classes)
        assert bounds.low == pytest.approx(bayes)
        assert bounds.high == pytest.approx(error)
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, size=3000)
    X = rng.normal(size=(3000, 1)) + 2 * y[:, None]
    measured = measured_bayes_bracket(X, y)
    assert measured.low - 0.02 <= norm.cdf(-1) <= measured.high + 0.02


def test_n18_the_bound_and_the_sample_sizes_are_those_of_the_source():
    assert nn_error_bound(1000, 3, 2.0, 0.1) == pytest.approx(
        0.2 + 8 * np.sqrt(3) * 1000 ** (-1 / 4)
    )
    enough, least = nn_sample_size(0.5, 2, 1.0)
    assert enough == pytest.approx((4 * np.sqrt(2) / 0.5) ** 3)
    assert least == pytest.approx(2.0**2 / 2)


def test_n19_shells_bins_and_concentration_are_those_of_the_tables():
    assert shell_fraction(0.1, 400) == pytest.approx(1 - 0.9**400)
    assert [points_per_bin(100, 10, d) for d in (1, 2, 3)] == pytest.approx([10, 1, 0.1])
    flat = dimensionality_report(RNG.normal(size=(300, 2)))
    deep = dimensionality_report(RNG.normal(size=(300, 200)))
    assert deep.distance_spread < flat.distance_spread / 3


def test_n21_ridge_regression_predicts_a_score_of_images_also_with_more_pixels_than_images():
    mpl.use("Agg")
    images = np.random.default_rng(21).normal(size=(40, 64))
    truth = np.zeros((8, 8))
    truth[2:4, 3:6] = 10.0
    score = 50 + images @ truth.ravel()
    line = Ridge().fit(images, score)
    np.testing.assert_allclose(
        line.coef_,
        (images - images.mean(0)).T
        @ np.linalg.solve(
            (images - images.mean(0)) @ (images - images.mean(0)).T + line.alpha_ * np.eye(40),
            score - score.mean(),
        ),  # the dual of ridge regression
        rtol=1e-6,
        atol=1e-9,
    )
    assert np.corrcoef(line.coef_, truth.ravel())[0, 1] > 0.7
    assert plot_coefficients(line, (8, 8)).images[0].get_array().shape == (8, 8)
    near = KNeighborsRegressor("loo").fit(images, score)
    assert near.predict(images[:3]).shape == (3,)
