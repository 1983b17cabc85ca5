"""Profiles say what NumPy says of a column, and alerts only what the rows show."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lookalike.data.source import open_source
from lookalike.decisions import Decisions
from lookalike.studies.analyze import column_profiles
from lookalike.studies.analyze.column_profiles import profile_columns, profile_target
from lookalike.studies.load.columns import describe_columns
from lookalike.studies.load.read import read
from lookalike.studies.load.target import recognize_target

N = 400


def profiled(frame, y=None):
    """Return the profiles of a frame by name, and the target."""
    decisions = Decisions()
    dataset = read(open_source(frame, y), decisions, seed=0)
    target = recognize_target(dataset.y, "y", "auto", decisions)
    dataset = column_profiles.replace(dataset, y=target.values)
    columns = profile_columns(
        dataset, tuple(describe_columns(dataset, decisions)), seed=0, decisions=decisions
    )
    summary = target.summary()
    known = None if summary is None else profile_target(summary, target.values)
    return {one.name: one.profile for one in columns}, known, decisions


def kinds(profile):
    return {alert.kind for alert in profile.alerts}


@pytest.fixture(scope="module")
def housing():
    """Return a table like that of houses: capped, heavy-tailed, dates, text, many towns."""
    rng = np.random.default_rng(0)
    price = np.minimum(rng.lognormal(12.0, 0.6, N), 350_001.0)
    words = ["old", "new", "house", "garden"]
    frame = pd.DataFrame(
        {
            "id": np.arange(N),
            "age": np.minimum(rng.integers(1, 70, N), 52),
            "lot": rng.lognormal(3.0, 2.0, N),
            "rooms": rng.normal(5.0, 1.0, N),
            "town": rng.choice([f"town {i}" for i in range(90)], N),
            "sold": np.datetime64("2020-01-01") + rng.integers(0, 900, N),
            "pool": rng.random(N) < 0.05,
            "same": 1,
            "note": [" ".join(rng.choice(words, rng.integers(2, 9))) + str(i) for i in range(N)],
            "noise": rng.normal(size=N),
        }
    )
    frame.loc[(price > 250_000) & (rng.random(N) < 0.5), "rooms"] = np.nan
    frame.loc[rng.random(N) < 0.2, "noise"] = np.nan
    return frame, price


@pytest.fixture(scope="module")
def profiles(housing):
    return profiled(*housing)


def test_quantiles_range_and_histogram_are_those_of_numpy(profiles, housing):
    known = housing[0]["rooms"].dropna().to_numpy()
    profile = profiles[0]["rooms"]
    assert profile.n_values == len(known)
    assert profile.quantiles == pytest.approx(np.quantile(known, [0, 0.25, 0.5, 0.75, 1]))
    assert profile.mean == pytest.approx(known.mean())
    assert profile.std == pytest.approx(known.std())
    counts, edges = np.histogram(known, 16)
    assert list(profile.histogram.counts) == counts.tolist()
    assert profile.histogram.edges == pytest.approx(edges)


def test_a_capped_column_and_a_capped_target_are_reported_with_their_rows(profiles, housing):
    columns, target, _ = profiles
    assert kinds(columns["age"]) == {"capped_at_maximum"}
    rows = int((housing[0]["age"] == 52).sum())
    assert columns["age"].n_at_maximum == rows
    assert f"{rows} rows" in columns["age"].alerts[0].text
    assert kinds(target.profile) == {"capped_at_maximum"}
    assert "350,001" in target.profile.alerts[0].text


def test_heavy_tails_many_categories_constants_and_identifiers_are_reported(profiles):
    columns = profiles[0]
    assert "heavy_tailed" in kinds(columns["lot"])
    assert kinds(columns["town"]) == {"high_cardinality"}
    assert kinds(columns["same"]) == {"constant"}
    assert kinds(columns["id"]) == {"identifier"}
    assert kinds(columns["pool"]) == {"nearly_constant"}
    assert kinds(columns["sold"]) == kinds(columns["note"]) == set()


def test_values_missing_by_target_are_reported_and_those_missing_at_random_are_not(profiles):
    columns = profiles[0]
    assert kinds(columns["rooms"]) == {"missing_by_target"}
    assert columns["noise"].missing_association is not None
    assert not columns["noise"].missing_association.detected
    assert kinds(columns["noise"]) == set()


def test_dates_are_text_and_documents_are_measured_in_words(profiles):
    columns = profiles[0]
    assert columns["sold"].dates[0].startswith("2020-01")
    assert len(columns["sold"].dates) == 5
    assert columns["note"].unit == "words"
    assert columns["note"].quantiles[0] == 2
    assert columns["town"].top_values[0][1] >= columns["town"].top_values[1][1]
    assert len(columns["town"].top_values) == 8


def test_missing_values_at_random_raise_no_alarm_over_many_tables():
    alarms = 0
    for seed in range(15):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 12))
        X[rng.random(X.shape) < 0.2] = np.nan
        columns = profiled(X, rng.choice(["a", "b", "c"], 200))[0]
        alarms += sum(bool(one.alerts) for one in columns.values())
    assert alarms == 0


def test_normal_uniform_and_rounded_numbers_raise_no_alarm():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "normal": rng.normal(size=2000),
            "uniform": rng.random(2000),
            "years": rng.integers(1950, 2020, 2000),
            "percent": rng.integers(0, 101, 2000),
            "partly rounded": _partly_rounded(rng, 2000),
            "rounded": rng.normal(50, 10, 2000).round(),
            "grade": rng.integers(1, 6, 2000),
        }
    )
    assert not any(one.alerts for one in profiled(frame)[0].values())


def _partly_rounded(rng, n_rows):
    """Return ratios of 2 to 9, half of them rounded: 2 occurs often, and so do 3 and 4."""
    ratio = np.maximum(rng.gamma(9.0, 0.5, n_rows), 1.51)
    return np.where(rng.random(n_rows) < 0.5, np.maximum(ratio.round(), 2.0), ratio + 0.5)


def test_a_code_far_from_all_other_values_is_reported():
    gains = np.concatenate([np.zeros(500), np.linspace(100, 40_000, 200), np.full(30, 99_999.0)])
    profile = profiled(pd.DataFrame({"gain": gains, "x": np.arange(730) % 7}))[0]["gain"]
    assert "capped_at_maximum" in kinds(profile)
    assert "a cap or a code" in profile.alerts[0].text


def test_frequencies_of_classes_have_intervals_and_rare_ones_an_alert():
    y = np.array(["no"] * 95 + ["yes"] * 5)
    target = profiled(np.random.default_rng(0).normal(size=(100, 2)), y)[1]
    assert len(target.intervals) == 2
    assert target.intervals[1][0] < 0.05 < target.intervals[1][1]
    assert kinds(target.profile) == {"imbalanced"}
    assert "'yes' 5.0%" in target.profile.alerts[0].text


def test_of_very_many_columns_the_first_are_profiled_and_it_is_recorded(monkeypatch):
    monkeypatch.setattr(column_profiles, "MAX_COLUMNS_PROFILED", 5)
    columns, _, decisions = profiled(np.random.default_rng(0).normal(size=(30, 8)))
    assert [one is None for one in columns.values()] == [False] * 5 + [True] * 3
    assert decisions.about("column profiles")[0].choice == "of the first 5 of 8 columns"


def test_of_very_many_rows_associations_are_measured_on_a_sample(monkeypatch):
    monkeypatch.setattr(column_profiles, "MAX_ROWS_FOR_ASSOCIATIONS", 50)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    X[::7, 1] = np.nan
    columns, _, decisions = profiled(X, X[:, 0] > 0)
    assert [one.n_values for one in columns.values()] == [90, 77]
    assert columns["x0"].association.n_rows == 50
    assert columns["x0"].association.detected
    assert decisions.about("associations with the target")


def test_huge_numbers_have_a_profile_without_overflow():
    profile = profiled(np.array([[-1.7e308], [1.7e308], [0.0]] * 100))[0]["x0"]
    assert profile.histogram is None
    assert np.isfinite(profile.quantiles).all()
