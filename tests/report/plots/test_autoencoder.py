"""Plots of autoencoders draw the loss and the codes."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import AutoEncoder
from lookalike.report.plots.autoencoder import plot_codes, plot_loss_curve

X = np.random.default_rng(0).normal(size=(60, 3))


def test_the_loss_of_every_evaluation_is_drawn():
    model = AutoEncoder(1, hidden=(), tol=1e-2).fit(X)
    ax = plot_loss_curve(model)
    assert ax.lines[0].get_ydata().tolist() == model.loss_curve_
    assert ax.get_xlabel() == "evaluation"
    assert len(ax.lines) == 1


def test_the_validation_error_is_drawn_with_the_loss():
    model = AutoEncoder(1, hidden=(), early_stopping=True, tol=1e-2).fit(X)
    ax = plot_loss_curve(model)
    np.testing.assert_allclose(ax.lines[1].get_ydata(), np.array(model.validation_errors_) / 2)
    assert ax.get_xlabel() == "epoch"


@pytest.mark.parametrize("n_components", [1, 2])
def test_codes_are_drawn_where_transform_puts_them(n_components):
    model = AutoEncoder(n_components, hidden=(), tol=1e-2).fit(X)
    ax = plot_codes(model, X, color=X[:, 0])
    codes = model.transform(X)
    expected = np.column_stack([np.arange(60), codes]) if n_components == 1 else codes
    np.testing.assert_allclose(ax.collections[0].get_offsets(), expected)
    np.testing.assert_array_equal(ax.collections[0].get_array(), X[:, 0])
    assert len(ax.figure.axes) == 2  # with the scale of the colors
    assert len(plot_codes(model, X).figure.axes) == 1
