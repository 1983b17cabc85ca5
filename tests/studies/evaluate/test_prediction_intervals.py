"""Prediction intervals cover 90% of fresh rows, and hardly less in any fifth of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lookalike
from lookalike.errors import ParameterError
from lookalike.studies.evaluate.prediction_intervals import fit_widths, interval_coverage


def rows(rng, n_rows, spread):
    """Return predictions, a column and residuals whose spread depends on both or on nothing."""
    x, predicted = rng.uniform(size=n_rows), rng.normal(size=n_rows)
    scale = {"same": 1 + 0 * x, "column": 0.1 + 2 * x, "both": (0.1 + 2 * x) * np.exp(predicted)}
    return {"": predicted, "x": x}, scale[spread] * rng.normal(size=n_rows)


@pytest.mark.parametrize("spread", ["same", "column", "both"])
@pytest.mark.parametrize("n_rows", [200, 800])
def test_fresh_rows_are_covered_overall_and_in_every_fifth(spread, n_rows):
    overall, fifths = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        columns, residual = rows(rng, n_rows, spread)
        found = fit_widths(np.abs(residual), columns, rng.permutation(n_rows))
        fresh, others = rows(rng, 5000, spread)
        covered = np.abs(others) <= found.half_widths(fresh)
        overall.append(covered.mean())
        fifths.append(
            [
                [covered[part].mean() for part in np.array_split(np.argsort(values), 5)]
                for values in fresh.values()
            ]
        )
    assert 0.88 <= np.mean(overall) <= 0.92
    assert np.mean(fifths, axis=0).min() >= 0.85


def test_widths_do_not_depend_on_what_the_spread_does_not_depend_on():
    columns, residual = rows(np.random.default_rng(0), 600, "same")
    assert interval_coverage(residual, columns, 0).factors == ()
    columns, residual = rows(np.random.default_rng(0), 600, "column")
    found = interval_coverage(residual, columns, 0)
    assert [one.name for one in found.factors] == ["x"]
    assert found.measured_interval[0] <= 0.9 <= found.measured_interval[1]
    assert found.width_range[0] < found.half_width * 2 < 2 * found.width_range[1]


def test_a_missing_value_has_the_widest_interval_of_its_column():
    columns, residual = rows(np.random.default_rng(0), 600, "column")
    found = interval_coverage(residual, columns, 0)
    widths = found.half_widths({"": np.zeros(3), "x": np.array([0.05, 0.95, np.nan])})
    assert widths[0] < widths[1] == widths[2]


def test_copies_do_not_measure_the_coverage_of_each_other():
    rng = np.random.default_rng(2)
    residual = np.repeat(rng.normal(size=30), 10)
    found = interval_coverage(residual, {"": np.zeros(300)}, 0, np.repeat(np.arange(30), 10))
    assert found.n_rows == 300
    assert found.measured_coverage * 300 % 10 == pytest.approx(0.0, abs=1e-9)


def test_few_rows_have_no_intervals():
    assert interval_coverage(np.arange(10.0), {"": np.zeros(10)}, 0) is None


def test_a_study_gives_the_interval_of_new_rows(few_candidates):
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(1400, 2))
    y = 3 * x[:, 0] + (0.1 + 2 * x[:, 0]) * rng.normal(size=1400)
    frame = pd.DataFrame(x, columns=["a", "b"])
    study = lookalike.study(frame[:400], y[:400])
    low, high = study.prediction_interval(frame[400:])
    covered = (low <= y[400:]) & (y[400:] <= high)
    assert 0.86 <= covered.mean() <= 0.94
    fifths = np.array_split(np.argsort(x[400:, 0]), 5)
    assert min(covered[part].mean() for part in fifths) >= 0.8
    np.testing.assert_allclose((low + high) / 2, study.model.predict(frame[400:]))
    classes = lookalike.study(frame[:100], np.where(y[:100] > 1, "p", "q"))
    with pytest.raises(ParameterError, match="no prediction intervals"):
        classes.prediction_interval(frame)
