"""Plots of PCA draw the numbers of the model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_wine

from lookalike import PCA
from lookalike.errors import ParameterError, ShapeError
from lookalike.report.plots.pca import (
    plot_biplot,
    plot_components,
    plot_explained_variance,
    plot_loadings,
    plot_projections,
    plot_reconstructions,
    plot_scree,
)

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def wine():
    wine = load_wine(as_frame=True)
    frame = (wine.data - wine.data.mean()) / wine.data.std()
    return frame, wine.target


@pytest.fixture(scope="module")
def digits():
    X = load_digits().data
    return X, PCA(n_components=30).fit(X)


def test_the_scree_plot_draws_the_spectrum(wine):
    pca = PCA(n_components=3).fit(wine[0])
    ax = plot_scree(pca)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), pca.spectrum_)
    (explained,) = (other for other in ax.figure.axes if other is not ax)
    share = np.cumsum(pca.spectrum_) / pca.spectrum_.sum()
    np.testing.assert_allclose(explained.lines[0].get_ydata(), share)


def test_the_explained_variance_starts_at_zero_and_marks_every_rule(wine):
    pca = PCA(n_components=3).fit(wine[0])
    ax = plot_explained_variance(pca)
    np.testing.assert_allclose(ax.lines[0].get_ydata()[[0, -1]], [0, 1])
    assert ax.lines[1].get_xdata()[0] == 3
    marked = {int(line.get_xdata()[0]) for line in ax.lines[2:]}
    assert marked == set(pca.choices_.values())
    words = " ".join(text.get_text() for text in ax.texts)
    assert all(name in words for name in ("knee", "parallel", "mle", "95%"))


def test_the_explained_variance_of_leading_components_is_a_part_of_the_whole(wine):
    pca = PCA(n_components=3, svd_solver="leading").fit(wine[0])
    drawn = plot_explained_variance(pca).lines[0].get_ydata()
    np.testing.assert_allclose(drawn[1:], pca.explained_variance_ratio_.cumsum())


def test_loadings_are_drawn_largest_first_with_the_names_of_their_columns(wine):
    pca = PCA(n_components=2).fit(wine[0])
    ax = plot_loadings(pca, 1, most=4)
    order = np.argsort(-abs(pca.components_[1]))[:4]
    np.testing.assert_array_equal(
        [bar.get_width() for bar in ax.patches], pca.components_[1][order]
    )
    assert [label.get_text() for label in ax.get_yticklabels()] == list(wine[0].columns[order])
    assert "4 largest of 13" in ax.get_title()


def test_a_biplot_shows_rows_by_score_and_columns_along_their_loadings(wine):
    frame, y = wine
    pca = PCA(n_components=3).fit(frame)
    ax = plot_biplot(pca, frame, y=y, components=(0, 2))
    drawn = np.concatenate([dots.get_offsets() for dots in ax.collections])
    scores = pca.transform(frame).to_numpy()[:, [0, 2]]
    np.testing.assert_allclose(np.sort(drawn[:, 0]), np.sort(scores[:, 0]))
    tips = np.array([text.xy for text in ax.texts if text.arrow_patch is not None])
    arrows = (pca.components_[[0, 2]] * np.sqrt(pca.explained_variance_[[0, 2]])[:, None]).T
    np.testing.assert_allclose(tips / np.linalg.norm(tips), arrows / np.linalg.norm(arrows))
    assert {text.get_text() for text in ax.texts} >= set(frame.columns)
    assert isinstance(frame, pd.DataFrame)


def test_projections_are_orthogonal_and_arrows_as_long_as_the_deviations(wine):
    X = wine[0].to_numpy()[:, :2]
    pca = PCA().fit(X)
    ax = plot_projections(pca, X)
    rows, feet = (next(line for line in ax.lines if line.get_label() == name).get_xydata()
                  for name in ("rows", "reconstructions"))  # fmt: skip
    np.testing.assert_allclose(rows, X)
    np.testing.assert_allclose((rows - feet) @ pca.components_[0], 0, atol=1e-12)
    tips = np.array([text.xy for text in ax.texts]) - pca.mean_
    np.testing.assert_allclose(np.linalg.norm(tips, axis=1) ** 2, pca.explained_variance_)
    with pytest.raises(ShapeError, match="3 columns"):
        plot_projections(pca, np.ones((2, 3)))


def test_components_are_drawn_as_images_in_reading_order(digits):
    _, pca = digits
    sheet = plot_components(pca, (8, 8), n_components=6).images[0].get_array()
    assert sheet.shape == (2 * 9 - 1, 3 * 9 - 1)
    fifth = pca.components_[4] / abs(pca.components_[4]).max()
    np.testing.assert_allclose(sheet[9:17, 9:17], fifth.reshape(8, 8))


def test_reconstructions_keep_the_components_they_say(digits):
    X, pca = digits
    ax = plot_reconstructions(pca, X[:4], (8, 8), n_components=(30, 5))
    sheet = ax.images[0].get_array()
    np.testing.assert_array_equal(sheet[:8, 9:17], X[1].reshape(8, 8))
    five = PCA(n_components=5).fit(X)
    expected = five.inverse_transform(five.transform(X[1:2])).reshape(8, 8)
    np.testing.assert_allclose(sheet[18:26, 9:17], expected, atol=1e-9)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["original", "30 components", "5 components"]


def test_axes_given_are_drawn_on(wine):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert plot_scree(PCA().fit(wine[0]), ax=ax) is ax


def test_what_cannot_be_drawn_says_why(digits):
    X, pca = digits
    with pytest.raises(ShapeError, match="shape=\\(7, 8\\) has 56 pixels, a row 64"):
        plot_components(pca, (7, 8))
    with pytest.raises(ParameterError, match="component=30 is not among the 30"):
        plot_loadings(pca, 30)
    with pytest.raises(ParameterError, match="n_components=31 exceeds the 30"):
        plot_reconstructions(pca, X[:2], (8, 8), n_components=(31,))
