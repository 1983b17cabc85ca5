"""Plots of feature selection draw the scores of the models."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from lookalike import StandardScaler
from lookalike.feature_selection import SelectByFilter, SelectByWrapper, feature_redundancy

pytest.importorskip("matplotlib")
from lookalike.report.plots.feature_selection import (
    plot_redundancy,
    plot_selection_path,
    plot_univariate_scores,
)

X, y = load_breast_cancer(return_X_y=True)


def test_the_ranking_shows_the_highest_scores_first():
    model = SelectByFilter("f", k=3).fit(X, y)
    ax = plot_univariate_scores(model, most=7)
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose(widths, np.sort(model.scores_)[::-1][:7])
    assert len({bar.get_facecolor() for bar in ax.patches}) == 2
    assert ax.get_yticklabels()[0].get_text() == f"x{model.scores_.argmax()}"


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_the_path_shows_every_size(direction):
    Z = StandardScaler().fit_transform(X)[:, :8]
    model = SelectByWrapper(direction=direction).fit(Z, y)
    ax = plot_selection_path(model)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [step.score for step in model.path_])
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert f"{model.support_.sum()} selected" in legend


@pytest.mark.parametrize("measure", ["pearson", "mutual_info"])
def test_the_heat_map_shows_every_pair(measure):
    redundancy = feature_redundancy(X[:, :6], measure=measure)
    ax = plot_redundancy(redundancy)
    drawn = np.asarray(ax.images[0].get_array())
    np.testing.assert_allclose(
        np.sort(drawn, axis=None), np.sort(redundancy.matrix, axis=None), atol=1e-12
    )
    assert {label.get_text() for label in ax.get_xticklabels()} == set(redundancy.names)


def test_correlations_are_numpys():
    redundancy = feature_redundancy(X)
    np.testing.assert_allclose(redundancy.matrix, np.abs(np.corrcoef(X.T)), atol=1e-10)
