"""Pictures of auto-associative networks draw what they say."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import AutoEncoder
from lookalike.report.plots.autoencoder import plot_codes, plot_loss_curve

X = np.random.default_rng(0).normal(size=(60, 3))


def test_the_loss_of_every_evaluation_is_drawn():
    coder = AutoEncoder(1, hidden=(), tol=1e-2).fit(X)
    ax = plot_loss_curve(coder)
    assert ax.lines[0].get_ydata().tolist() == coder.loss_curve_
    assert ax.get_xlabel() == "evaluation"
    assert len(ax.lines) == 1


def test_the_error_of_rows_set_aside_is_drawn_beside_it():
    coder = AutoEncoder(1, hidden=(), early_stopping=True, tol=1e-2).fit(X)
    ax = plot_loss_curve(coder)
    np.testing.assert_allclose(ax.lines[1].get_ydata(), np.array(coder.validation_errors_) / 2)
    assert ax.get_xlabel() == "round"


@pytest.mark.parametrize("n_components", [1, 2])
def test_codes_are_drawn_where_transform_puts_them(n_components):
    coder = AutoEncoder(n_components, hidden=(), tol=1e-2).fit(X)
    ax = plot_codes(coder, X, color=X[:, 0])
    codes = coder.transform(X)
    expected = np.column_stack([np.arange(60), codes]) if n_components == 1 else codes
    np.testing.assert_allclose(ax.collections[0].get_offsets(), expected)
    np.testing.assert_array_equal(ax.collections[0].get_array(), X[:, 0])
    assert len(ax.figure.axes) == 2  # with the scale of the colors
    assert len(plot_codes(coder, X).figure.axes) == 1
