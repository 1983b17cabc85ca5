"""Plots of nearest neighbors draw the scores of every K and the predictions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from lookalike import PCA, KNeighborsClassifier, RBFNetworkClassifier, StandardScaler
from lookalike.errors import ParameterError, ShapeError

pytest.importorskip("matplotlib")
from lookalike.report.plots.neighbors import plot_decision_regions, plot_k_selection

RNG = np.random.default_rng(1)
LABELS = RNG.integers(0, 3, size=90)
ROWS = RNG.normal(size=(90, 2)) + 2.5 * np.array([[0, 0], [1, 0], [0, 1]])[LABELS]


def test_selection_curves_show_every_score_and_mark_the_best_k():
    selection = KNeighborsClassifier("loo", k_max=12).fit(ROWS, LABELS).selection_
    ax = plot_k_selection(selection)
    curves = [line for line in ax.lines if len(line.get_xdata()) == 12]
    *curves, in_sample = curves
    assert len(curves) == 4
    np.testing.assert_array_equal(
        in_sample.get_ydata(), selection.in_sample["uniform"].scores["error"]
    )
    assert in_sample.get_label().startswith("in-sample")
    assert {"√N = 9"} <= {text.get_text() for text in ax.texts}
    for line, ((method, weights), curve) in zip(curves, selection.curves.items(), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), curve.scores["error"])
        name = {"loo": "leave-one-out", "cv": "cross-validation"}[method]
        assert line.get_label().startswith(f"{name}, weights={weights!r}")
        assert line.get_label().endswith(f": best K {selection.best(method, weights)}")
    assert plot_k_selection(selection, score="log_loss", ax=ax) is ax


def test_regions_are_the_predictions_of_the_model():
    names = np.array(["a", "b", "c"])[LABELS]
    model = KNeighborsClassifier(1).fit(ROWS, names)
    ax = plot_decision_regions(model, ROWS, names)
    mesh = ax.collections[0]
    corner = mesh.get_coordinates()
    low, high = ROWS.min(axis=0), ROWS.max(axis=0)
    start = low - 0.08 * (high - low)
    answer = model.classes_[int(np.asarray(mesh.get_array()).ravel()[0])]
    assert model.predict([start]) == [answer]
    assert corner[..., 0].max() > high[0]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "c"]
    assert ax.get_title() == "K = 1, euclidean"


def test_regions_of_more_than_two_columns_are_an_error():
    with pytest.raises(ShapeError, match="two columns"):
        plot_decision_regions(KNeighborsClassifier(1).fit(np.eye(3), [0, 1, 2]), np.eye(3))


def test_cells_of_single_rows_are_drawn_on_demand():
    model = KNeighborsClassifier(1).fit(ROWS, LABELS)
    plain = plot_decision_regions(model, ROWS, LABELS)
    with_cells = plot_decision_regions(model, ROWS, LABELS, cells=True)
    assert len(with_cells.collections) == len(plain.collections) + 1
    network = RBFNetworkClassifier(4, random_state=0).fit(ROWS, LABELS)
    with pytest.raises(ParameterError, match="cells=True draws the cells of nearest neighbors"):
        plot_decision_regions(network, ROWS, cells=True)


def test_pipelines_are_drawn_in_their_plane_or_in_that_of_their_last_step():
    scaled = make_pipeline(StandardScaler(), KNeighborsClassifier(3)).fit(ROWS, LABELS)
    ax = plot_decision_regions(scaled, ROWS, LABELS, cells=True)
    assert ax.get_title() == "K = 3, euclidean"
    wide = np.column_stack([ROWS, ROWS @ [1, 2], RNG.normal(size=90)])
    flat = make_pipeline(PCA(2), KNeighborsClassifier(3)).fit(wide, LABELS)
    ax = plot_decision_regions(flat, wide, LABELS)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("pca0", "pca1")
    mesh = ax.collections[0].get_array().reshape(200, 200)
    assert set(np.unique(mesh)) <= {0, 1, 2}
    with pytest.raises(ShapeError, match="a Pipeline whose last step is given two"):
        plot_decision_regions(make_pipeline(PCA(3), KNeighborsClassifier()).fit(wide, LABELS), wide)
