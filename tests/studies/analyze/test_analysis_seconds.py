"""Analyses that would not end in time are not begun, however loaded the machine is."""

from __future__ import annotations

import numpy as np
import pytest

import lookalike
from lookalike.studies.analyze import analyses
from lookalike.studies.analyze.analysis_seconds import analysis_seconds
from lookalike.studies.select.budget import Budget

MEASURED = ("structure", "estimated Bayes error", "prototype selection", "neighbor map")


@pytest.mark.parametrize("name", MEASURED)
def test_more_rows_take_longer_up_to_a_sample(name):
    seconds = [analysis_seconds(name, n_rows, 20) for n_rows in (100, 900, 10**6)]
    assert 0 < seconds[0] < seconds[1] < seconds[2]
    assert name == "structure" or seconds[2] == analysis_seconds(name, 10**7, 20)


def test_what_the_pace_of_the_machine_leaves_no_time_for_is_skipped_with_the_reason(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    monkeypatch.setattr(Budget, "pace", 1e4)
    study = lookalike.study(X, X[:, 0] > 0, effort="quick", time="200s")
    about = {one.about: one for one in study.decisions if one.choice == "skipped"}
    assert set(MEASURED) <= set(about)
    assert all(about[name].reason.startswith("would take about") for name in MEASURED)
    assert "neighbor map" in study.summary[0].text
    assert study.audit is not None
    assert analyses.ANALYSES_SHARE < 1
