"""Intrinsic dimension: known shapes, honest intervals, noise, hard rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lookalike import PCA
from lookalike.errors import MissingValueError, ParameterError, ParameterTypeError, ShapeError
from lookalike.explain import intrinsic_dimension

rng = np.random.default_rng(0)
ANGLE = rng.uniform(0, 2 * np.pi, 3000)
CIRCLE = np.column_stack([np.cos(ANGLE), np.sin(ANGLE)])


def sheet(n, d, seed=0):
    """Rows of `d` numbers, rolled up on a torus so that there is no edge, within 2 d columns."""
    angle = np.random.default_rng(seed).uniform(0, 2 * np.pi, (n, d))
    return np.hstack([np.cos(angle), np.sin(angle)])


def test_a_circle_has_two_equal_eigenvalues_and_one_dimension():
    even = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    first, second = PCA().fit(np.column_stack([np.cos(even), np.sin(even)])).explained_variance_
    assert first == pytest.approx(second)
    assert intrinsic_dimension(CIRCLE, "pca").estimate == 2
    for method in ("twonn", "mle"):
        found = intrinsic_dimension(CIRCLE, method)
        assert found.interval[0] <= 1 <= found.interval[1]
        assert np.median(found.local) == pytest.approx(1, abs=0.15)
    assert np.all(intrinsic_dimension(CIRCLE, "pca").local == 1)  # each neighborhood is a line


def ball(n, d, seed=0):
    """Rows on the sphere of `d` dimensions: a surface that bends everywhere."""
    X = np.random.default_rng(seed).normal(size=(n, d + 1))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def cube(n, d, seed=0):
    """Rows of a cube, most of them near an edge."""
    return np.random.default_rng(seed).random((n, d))


@pytest.mark.parametrize("shape", [sheet, ball, cube])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("method", ["twonn", "mle"])
def test_the_interval_holds_the_dimension_about_as_often_as_it_says(d, method, shape):
    held = 0
    for seed in range(40):
        low, high = intrinsic_dimension(shape(300, d, seed), method).interval
        held += low <= d <= high
    assert held >= 33  # of 40: an interval of 95 % holds it in fewer once in ten thousand runs


def test_five_dimensions_of_a_bent_sheet_lie_within_the_interval():
    found = intrinsic_dimension(sheet(400, 5), "mle")
    assert found.estimate > 5.4  # the neighborhoods bend
    assert found.interval[0] <= 5 <= found.interval[1]


def test_a_common_offset_and_scale_do_not_show():
    plain = intrinsic_dimension(CIRCLE)
    assert intrinsic_dimension(CIRCLE + 1e6).estimate == pytest.approx(plain.estimate, rel=1e-4)
    assert intrinsic_dimension(CIRCLE * 1e-9).estimate == pytest.approx(plain.estimate, rel=1e-9)


def test_noise_raises_the_dimension_near_and_not_from_afar():
    noisy = CIRCLE + 0.01 * np.random.default_rng(1).normal(size=CIRCLE.shape)
    found = intrinsic_dimension(noisy, "mle")
    assert found.estimate > 1.7
    assert found.scales[-1].estimate < 1.25
    assert found.scales[0].estimate == found.estimate
    reach = [scale.distance for scale in found.scales]
    assert reach == sorted(reach)
    assert [scale.rows for scale in found.scales] == [3000, 1500, 750, 375, 187, 93]


def test_the_linear_dimension_counts_directions_with_an_interval():
    X = np.random.default_rng(0).normal(size=(500, 6)) * [3, 3, 3, 0.1, 0.1, 0.1]
    found = intrinsic_dimension(X, "pca")
    assert (found.estimate, found.interval) == (3, (3, 3))
    unsure = intrinsic_dimension(
        X, "pca", share=float(PCA(2).fit(X).explained_variance_ratio_.sum())
    )
    assert unsure.interval[0] <= 2 <= unsure.interval[1]
    assert unsure.interval[0] < unsure.interval[1]
    assert intrinsic_dimension(X, "pca", share=1.0).estimate == 6


def test_many_columns_are_searched_as_few_are():
    wide = np.hstack([CIRCLE[:600], np.zeros((600, 30))])
    assert intrinsic_dimension(wide).estimate == pytest.approx(
        intrinsic_dimension(CIRCLE[:600]).estimate, rel=1e-9
    )


def test_equal_rows_are_left_out_and_have_the_value_of_the_one_kept():
    twice = np.vstack([CIRCLE[:500], CIRCLE[:500]])
    found = intrinsic_dimension(twice)
    assert found.decisions.about("X")[0].choice == "500 rows left out"
    np.testing.assert_array_equal(found.local[:500], found.local[500:])
    assert found.estimate == pytest.approx(intrinsic_dimension(CIRCLE[:500]).estimate)


def test_a_grid_tells_nothing_of_two_neighbors():
    grid = np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0)), axis=-1).reshape(-1, 2)
    with pytest.raises(ShapeError, match="as on a grid"):
        intrinsic_dimension(grid)
    assert np.isfinite(intrinsic_dimension(grid, "mle", n_neighbors=20).estimate)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"method": "box"}, ParameterError),
        ({"n_neighbors": 2}, ParameterError),
        ({"n_neighbors": 3000}, ShapeError),
        ({"share": 1.5}, ParameterError),
    ],
)
def test_a_parameter_that_cannot_be_honored_is_an_error(settings, error):
    with pytest.raises(error):
        intrinsic_dimension(CIRCLE, **settings)


def test_rows_that_cannot_be_used_are_an_error():
    with pytest.raises(MissingValueError, match="row 1, column 'x1'"):
        intrinsic_dimension([[0.0, 1.0], [2.0, np.nan]])
    with pytest.raises(ParameterTypeError, match="sparse"):
        intrinsic_dimension(sp.csr_array(np.eye(5)))
    with pytest.raises(ShapeError, match="1"):
        intrinsic_dimension(np.ones((50, 2)))
