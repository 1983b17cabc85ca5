"""Plots of mixtures and RBF networks draw the numbers of the models."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import GaussianMixture, RBFNetworkClassifier, RBFNetworkRegressor
from lookalike.errors import ShapeError

pytest.importorskip("matplotlib")
from lookalike.report.plots.mixture import plot_bic, plot_em_iterations, plot_mixture
from lookalike.report.plots.rbf import plot_alpha_selection, plot_fitted_curve, plot_rbf_centers

RNG = np.random.default_rng(0)
ROWS = np.concatenate([RNG.normal(size=(60, 2)), RNG.normal(size=(60, 2)) + 6])


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
def test_ellipses_stand_on_the_means_and_are_as_wide_as_the_components(shape):
    model = GaussianMixture(2, covariance_type=shape, random_state=0).fit(ROWS)
    ax = plot_mixture(model, ROWS)
    assert len(ax.patches) == 4
    np.testing.assert_allclose(ax.patches[0].center, model.means_[0])
    assert ax.patches[1].width == pytest.approx(2 * ax.patches[0].width)
    with pytest.raises(ShapeError, match="two columns"):
        plot_mixture(GaussianMixture(1).fit(ROWS[:, :1]))


def test_every_iteration_has_its_axes_and_the_model_is_not_changed():
    model = GaussianMixture(2, random_state=0)
    axes = plot_em_iterations(model, ROWS, iterations=(0, 3))
    assert len(axes) == 2
    assert "3 iterations" in axes[1].get_title()
    assert not hasattr(model, "means_")


def test_the_smallest_bic_is_marked():
    curve = GaussianMixture("bic").fit(ROWS).curve_
    ax = plot_bic(curve)
    assert ax.lines[1].get_xdata()[0] == curve["n_components"][curve["bic"].argmin()]


def test_a_curve_is_the_sum_of_its_basis_functions():
    x = np.linspace(0, 1, 20)[:, None]
    model = RBFNetworkRegressor(5, bias=False, random_state=0).fit(x, np.sin(5 * x[:, 0]))
    ax = plot_fitted_curve(model, x, np.sin(5 * x[:, 0]))
    total = sum(line.get_ydata() for line in ax.lines[:5])
    np.testing.assert_allclose(total, ax.lines[5].get_ydata(), atol=1e-9)
    with pytest.raises(ShapeError, match="one column"):
        plot_fitted_curve(model, ROWS, ROWS[:, 0])
    best = plot_alpha_selection(model.curve_).lines[1]
    assert best.get_xdata()[0] == model.alpha_


def test_every_center_has_its_circle():
    model = RBFNetworkClassifier(4, random_state=0).fit(ROWS, np.arange(120) // 60)
    ax = plot_rbf_centers(model, ROWS, np.arange(120) // 60)
    assert len(ax.patches) == 4
    assert ax.patches[0].get_radius() == model.width_
    with pytest.raises(ShapeError, match="two columns"):
        plot_rbf_centers(model, ROWS[:, :1])
