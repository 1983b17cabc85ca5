"""Plots draw the numbers of the results they are given."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from lookalike import audit, explain_prediction
from lookalike.errors import ParameterError
from lookalike.explain import (
    dimensionality_report,
    measured_bayes_bracket,
    neighbor_learning_curve,
    nn_error_bound,
)
from lookalike.neighbors import self_search
from lookalike.printable import number
from lookalike.report.plots.audit import plot_audit, plot_flagged_rows
from lookalike.report.plots.bounds import plot_bayes_error_bounds, plot_nn_error_bound
from lookalike.report.plots.curse import plot_hubness, plot_shell_fractions
from lookalike.report.plots.evidence import plot_evidence, plot_feature_contributions
from lookalike.report.plots.learning_curve import plot_learning_curve

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return self_search(X, 12), X, y


def test_the_bars_of_an_audit_are_the_counts_of_its_kinds(iris):
    neighbors, _, y = iris
    result = audit(neighbors, y)
    width = [bar.get_width() for bar in plot_audit(result).patches]
    assert width == [len(result.rows(kind)) for kind in result.kinds]


def test_rows_are_drawn_at_their_scores(iris):
    neighbors, _, y = iris
    result = audit(neighbors, y)
    rows = plot_flagged_rows(result).lines[0]
    assert len(rows.get_xdata()) + len(result.rows("hub")) == 150
    assert set(rows.get_ydata()) <= set(result.mislabel)
    with pytest.raises(ParameterError, match="Give y"):
        plot_flagged_rows(audit(neighbors))


def test_the_red_line_spans_the_estimated_bayes_error(iris):
    neighbors, _, y = iris
    bracket = measured_bayes_bracket(neighbors, y)
    red = plot_bayes_error_bounds(bracket).lines[-1]
    assert list(red.get_ydata()) == [bracket.low, bracket.high]
    assert list(red.get_xdata()) == [bracket.error] * 2


def test_the_bound_is_drawn_for_every_dimension():
    axes = plot_nn_error_bound((1, 3), 2.0)
    for line, d in zip(axes.lines[:2], (1, 3), strict=True):
        assert (line.get_ydata() == nn_error_bound(line.get_xdata(), d, 2.0)).all()


def test_a_learning_curve_is_drawn_through_its_errors(iris):
    neighbors, _, y = iris
    curve = neighbor_learning_curve(neighbors, y, n_draws=20)
    axes = plot_learning_curve(curve, reach=4.0)
    assert (axes.containers[0].lines[0].get_ydata() == curve.error).all()
    law = next(
        line
        for line in axes.lines
        if line.get_label().startswith(f"{number(curve.power_law[0])} +")
    )
    assert law.get_xdata()[-1] == pytest.approx(600)


def test_shells_and_occurrences_are_those_of_the_report(iris):
    report = dimensionality_report(iris[0])
    diamonds = [line for line in plot_shell_fractions(report).lines if line.get_marker() == "D"]
    assert [d.get_ydata()[0] for d in diamonds] == list(report.shells.values())
    height = [bar.get_height() for bar in plot_hubness(report).patches]
    assert height == np.bincount(report.occurrences).tolist()


def test_the_bars_of_evidence_are_distances_and_shares(iris):
    _, X, y = iris
    evidence = explain_prediction(KNeighborsClassifier(9).fit(X, y), X[70], leave_out=70)
    axes = plot_evidence(evidence)
    drawn = {round(bar.get_y() + 0.4): bar.get_width() for bar in axes.patches}
    assert [drawn[place] for place in range(9)] == evidence.distances.tolist()
    shares = [bar.get_width() for bar in plot_feature_contributions(evidence, n_features=2).patches]
    assert shares == [share for _, share in evidence.features()[:2]]
    largest = KNeighborsClassifier(3, metric="chebyshev").fit(X, y)
    with pytest.raises(ParameterError, match="not a sum"):
        plot_feature_contributions(explain_prediction(largest, X[0]))


def test_plots_of_regression_name_the_metric():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    neighbors = self_search(X, 20)
    assert plot_flagged_rows(audit(neighbors, X[:, 0])).get_ylabel() == "P(number is wrong)"
    curve = neighbor_learning_curve(neighbors, X[:, 0], n_draws=20, score="mae")
    assert plot_learning_curve(curve).get_ylabel() == "MAE"
