"""Neighbors take the parts of dates that lower the leave-one-out error; other models take all."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lookalike import study
from lookalike.studies.select.date_parts import choose_date_parts
from lookalike.studies.select.preparation import preparation_from


def sales(kind, n_rows=600):
    rng = np.random.default_rng(0)
    minutes = rng.integers(0, 3 * 365 * 24 * 60, n_rows)
    sold = pd.Series(pd.Timestamp("2019-01-01") + pd.to_timedelta(minutes, unit="min"))
    size = rng.normal(size=n_rows)
    effect = {
        "weekday": 2.0 * (sold.dt.day_of_week >= 5),
        "hour": 2.0 * np.sin(2 * np.pi * sold.dt.hour / 24),
        "month": 2.0 * np.cos(2 * np.pi * sold.dt.day_of_year / 365),
        "trend": minutes / 500_000,
    }[kind]
    y = effect + 0.5 * size + 0.3 * rng.normal(size=n_rows)
    return pd.DataFrame({"sold": sold, "size": size, "y": y})


@pytest.mark.parametrize("kind", ["weekday", "hour", "month"])
def test_the_part_that_matters_is_chosen_and_the_decision_has_the_errors(kind, few_candidates):
    result = study(sales(kind), target="y")
    (decision,) = (d for d in result.decisions if d.about == "dates as neighbors see them")
    assert decision.choice == f"position in time, {kind}"
    assert f"position in time, {kind} 0." in decision.reason


def test_a_trend_is_a_matter_of_the_position_alone(few_candidates):
    result = study(sales("trend"), target="y")
    (decision,) = (d for d in result.decisions if d.about == "dates as neighbors see them")
    assert decision.choice == "position in time"


def test_parts_are_added_while_they_help():
    losses = {(): 4.0, ("a",): 3.0, ("b",): 2.0, ("b", "a"): 1.0, ("c",): 5.0, ("b", "c"): 2.0}
    losses |= {("b", "a", "c"): 0.999}
    assert choose_date_parts("abc", losses.__getitem__) == ("b", "a")
    assert choose_date_parts("ab", lambda _: 0.0) == ()


def test_a_preparation_from_before_there_were_parts_has_none():
    content = {"kind": "table", "columns": {"sold": "date"}, "scale": "zscore"}
    content |= {"encoding": "onehot", "metric": "euclidean", "description": "z-scores"}
    old = preparation_from(content)
    assert {old.preprocessor(features).date_parts for features in ("distance", "linear")} == {()}
    new = preparation_from({**content, "date_parts": ["weekday"]})
    assert new.preprocessor("distance").date_parts == ("weekday",)
    assert new.preprocessor("linear").date_parts == ("month", "weekday", "hour")
    assert preparation_from(new.to_dict()).to_dict() == new.to_dict()
