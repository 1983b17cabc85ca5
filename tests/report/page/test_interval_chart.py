"""Dots and intervals lie where their figures are; what is far worse is an arrow at the edge."""

from __future__ import annotations

import re

import pytest

from lookalike.report.page.interval_chart import ChartAxis, Mark, chart, track

MODELS = [
    Mark("selected", 0.17, (0.13, 0.2)),
    Mark("other", 0.18, (0.15, 0.21)),
    Mark("other", 0.2, (0.16, 0.24)),
]
BASELINE = Mark("baseline", 0.38, (0.35, 0.41))


def test_the_axis_fits_the_models_and_the_baseline_is_outside():
    axis = ChartAxis.fit([*MODELS, BASELINE], "error")
    assert 0.12 < axis.low < 0.13
    assert 0.24 < axis.high < 0.25
    assert axis.place(BASELINE.value) > 100
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks())


def test_a_baseline_among_the_models_is_on_the_axis():
    near = Mark("baseline", 0.22, (0.2, 0.24))
    axis = ChartAxis.fit([*MODELS, near], "error")
    assert 0 < axis.place(0.22) < 100


def test_a_model_that_is_as_bad_as_the_baseline_does_not_stretch_the_axis():
    bad = Mark("other", 40.0, (30.0, 50.0))
    assert ChartAxis.fit([*MODELS, bad, BASELINE], "error").high < 0.3


def test_errors_near_zero_are_drawn_from_zero():
    axis = ChartAxis.fit([Mark("selected", 0.01, (0.002, 0.03))], "error")
    assert axis.low == 0
    assert axis.ticks()[0] == 0


def test_a_single_error_without_interval_and_no_error_at_all_have_an_axis():
    for marks in ([Mark("selected", 0.0, None)], [Mark("selected", 5.0, None)], []):
        axis = ChartAxis.fit(marks, "rmse")
        assert axis.high > axis.low


def test_the_dot_is_at_its_value_and_the_line_from_end_to_end():
    axis = ChartAxis(0.1, 0.3, "error")
    drawn = track(MODELS[0], axis, "model")
    (dot,) = re.findall(r'<circle cx="([\d.]+)%"', drawn)
    assert float(dot) == pytest.approx(35.0)
    low, high = re.findall(r'x1="([\d.]+)%" x2="([\d.]+)%"', drawn)[-1]
    assert (float(low), float(high)) == (pytest.approx(15.0), pytest.approx(50.0))


def test_a_ring_marks_the_error_before_it_was_corrected():
    drawn = track(Mark("selected", 0.2, (0.1, 0.3), 0.15), ChartAxis(0.1, 0.3, "error"), "model")
    assert re.findall(r'<circle cx="([\d.]+)%"', drawn) == ["25.00", "50.00"]


def test_a_chart_has_a_line_for_each_estimate_with_its_figures():
    shown = chart([("<best>", MODELS[0]), ("baseline", BASELINE)], "error", "Error.")
    assert "&lt;best&gt;" in shown
    assert "17.0%" in shown
    assert "(13.0–20.0%)" in shown
    assert shown.count('class="track"') == 2
    assert 'aria-label="baseline, 38.0%, 35.0–41.0%"' in shown
