"""Columns that tell groups: the error of unseen values is computed and said first."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lookalike
from lookalike.studies.evaluate.group_split import share_explained
from lookalike.studies.results import NOT_BEGUN
from lookalike.studies.select.budget import Deadline
from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK


def devices(rng, n_rows=300, *, alike=True):
    """Return readings of 30 devices, each with a level of its own, or all with one."""
    device = rng.integers(30, size=n_rows)
    level = 3 * rng.normal(size=30) if alike else np.zeros(30)
    frame = pd.DataFrame({"x": rng.normal(size=n_rows), "device no": [f"D{i}" for i in device]})
    return frame, level[device] + frame["x"].to_numpy() + 0.3 * rng.normal(size=n_rows)


def test_the_error_of_unseen_devices_is_said_first(few_candidates):
    rng = np.random.default_rng(0)
    frame, y = devices(rng)
    study = lookalike.study(frame, y)
    (other,) = (one for one in study.held_out.other_splits if one.kind == "groups")
    assert other.column == "device no"
    assert other.interval[0] <= (9 + 0.09) ** 0.5 <= other.interval[1]  # level and noise
    assert study.summary[0].kind == "groups"
    assert "--groups 'device no'" in study.summary[0].text
    assert "prediction_intervals" not in [one.kind for one in study.summary]
    given = lookalike.study(frame, y, groups="device no")
    assert "groups" not in [one.kind for one in given.summary]


def test_where_time_is_short_some_folds_tell_the_error_of_unseen_devices(
    few_candidates, monkeypatch
):
    asked = []

    def refuses(_, expected):
        asked.append(expected)
        return "" if len(asked) <= 3 else f"0 s {NOT_BEGUN}"  # the gain of all rows, two folds

    monkeypatch.setattr(Deadline, "refuses", refuses)
    study = lookalike.study(*devices(np.random.default_rng(0)))
    (other,) = (one for one in study.held_out.other_splits if one.kind == "groups")
    assert 100 <= other.n_rows <= 200  # two folds
    assert other.error > 2
    asked += [0.0, 0.0, 0.0]
    study = lookalike.study(*devices(np.random.default_rng(0)))
    assert study.held_out.other_splits == ()
    assert study.summary[0].kind == "skipped"
    assert "error for new values of 'device no'" in study.summary[0].text


def test_values_that_do_not_matter_and_measurements_are_no_groups(few_candidates):
    rng = np.random.default_rng(1)
    frame, y = devices(rng, alike=False)
    frame["rounded"] = frame["x"].round(1)  # a number that repeats, and matters
    study = lookalike.study(frame, y)
    assert study.held_out.other_splits == ()


def test_of_few_values_a_much_higher_error_of_new_ones_is_said(few_candidates):
    rng = np.random.default_rng(3)
    scanner = np.repeat(np.arange(12), 50)  # fewer than half the root of the rows
    shift, ill = 3 * rng.normal(size=(12, 3))[scanner], rng.permutation(12) % 2 == 0
    frame = pd.DataFrame(shift + rng.normal(size=shift.shape), columns=list("abc"))
    frame["scanner"] = [f"S{i}" for i in scanner]
    y = np.where((rng.random(600) < 0.1) ^ ill[scanner], "ill", "well")
    assert lookalike.study(frame, y).summary[0].kind == "groups"
    effect, frame["a"] = rng.normal(size=12)[scanner], rng.normal(size=600)
    number = effect + 2 * frame["a"] + rng.normal(size=600)
    told = lookalike.study(frame[["a", "scanner"]], number.to_numpy())
    assert "groups" not in [one.kind for one in told.summary]


@pytest.mark.parametrize("task", [CLASSIFICATION_TASK, REGRESSION_TASK])
def test_chance_explains_nothing_and_a_function_of_the_value_everything(task):
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(50):
        codes, noise = rng.integers(40, size=200), rng.integers(2, size=200)
        shares.append(share_explained(codes, noise, task))
    assert abs(np.mean(shares)) < 0.02
    assert share_explained(codes, codes % 2, task) == pytest.approx(1.0)


def test_without_a_column_that_tells_the_target_its_groups_are_held_out_together(few_candidates):
    """The rows of a patient are alike: without its name the others still tell who it is."""
    rng = np.random.default_rng(2)
    patient = np.repeat(np.arange(20), 15)
    level, sick = rng.normal(size=(20, 3)), rng.permutation(20) % 2 == 0
    frame = pd.DataFrame(level[patient] + 0.2 * rng.normal(size=(300, 3)), columns=list("abc"))
    frame["patient"] = [f"P{one}" for one in patient]
    study = lookalike.study(frame, np.where(sick[patient], "sick", "well"))
    assert study.held_out.error < 0.05
    assert study.leakage.groups == "patient"
    assert study.leakage.error_without > 0.2
    kinds = [one.kind for one in study.summary]
    assert kinds[0] == "leakage"
    assert not {"groups", "calibration", "feature_importance"} & set(kinds)


def test_of_few_values_that_shift_all_measurements_a_higher_error_is_enough(few_candidates):
    rng = np.random.default_rng(1)
    scanner = np.repeat(np.arange(12), 50)
    shift, ill = 3 * rng.normal(size=(12, 3))[scanner], rng.permutation(12) % 2 == 0
    y = np.where((rng.random(600) < 0.28) ^ ill[scanner], "ill", "well")
    frame = pd.DataFrame({"scanner": [f"S{i}" for i in scanner]})
    for name, column in zip("abc", shift.T, strict=True):
        frame[name] = column + rng.normal(size=600)
    study = lookalike.study(frame, y)
    (other,) = study.held_out.other_splits
    assert study.held_out.error < other.error < 2 * study.held_out.error
    assert study.summary[0].kind == "groups"
