"""Plots of kernel PCA, discriminants and intrinsic dimension draw the numbers of the models."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine

from lookalike import KernelPCA, LinearDiscriminantAnalysis
from lookalike.errors import ParameterError, ShapeError
from lookalike.explain import intrinsic_dimension
from lookalike.report.plots.dimension import plot_intrinsic_dimension, plot_local_dimension
from lookalike.report.plots.kernel_pca import plot_kernel_pca_contours, plot_kernel_pca_scores
from lookalike.report.plots.lda import plot_discriminants

X, y = load_wine(return_X_y=True)


def test_every_scale_is_drawn_with_its_interval():
    dimension = intrinsic_dimension(X)
    ax = plot_intrinsic_dimension(dimension)
    line = ax.lines[0]
    np.testing.assert_allclose(
        line.get_xdata(orig=False), [scale.distance for scale in dimension.scales]
    )
    np.testing.assert_allclose(
        line.get_ydata(orig=False), [scale.estimate for scale in dimension.scales]
    )
    bars = ax.collections[0].get_segments()
    np.testing.assert_allclose([bar[:, 1] for bar in bars], [s.interval for s in dimension.scales])
    with pytest.raises(ParameterError, match="has no scales"):
        plot_intrinsic_dimension(intrinsic_dimension(X, "pca"))


def test_every_row_is_counted_in_the_histogram():
    ax = plot_local_dimension(intrinsic_dimension(X))
    assert sum(bar.get_height() for bar in ax.patches[:40]) == len(X)


def test_the_scores_of_each_class_are_drawn():
    model = KernelPCA(2, kernel="rbf", gamma="median").fit(X)
    ax = plot_kernel_pca_scores(model, X, y)
    drawn = np.concatenate([group.get_offsets() for group in ax.collections])
    np.testing.assert_allclose(drawn, model.transform(X)[np.argsort(y, kind="stable")])
    with pytest.raises(ShapeError, match="two are drawn"):
        plot_kernel_pca_scores(KernelPCA(1).fit(X), X)


def test_contours_cover_the_rows():
    rows = X[:, :2]
    ax = plot_kernel_pca_contours(KernelPCA(2, kernel="rbf", gamma="median").fit(rows), rows)
    assert ax.get_xlim()[0] <= rows[:, 0].min()
    np.testing.assert_allclose(ax.collections[-1].get_offsets(), rows)
    with pytest.raises(ShapeError, match="13 columns"):
        plot_kernel_pca_contours(KernelPCA(2).fit(X), X)


def test_discriminants_are_drawn_with_the_means_of_the_classes():
    model = LinearDiscriminantAnalysis().fit(X, y)
    ax = plot_discriminants(model, X, y)
    centers = np.concatenate([group.get_offsets() for group in ax.collections[1::2]])
    expected = [model.transform(X)[y == c].mean(axis=0) for c in range(3)]
    np.testing.assert_allclose(centers, expected, atol=1e-9)
    one = plot_discriminants(LinearDiscriminantAnalysis(n_components=1).fit(X, y), X, y)
    assert sum(bar.get_height() for bar in one.patches) == len(X)
