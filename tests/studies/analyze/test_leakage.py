"""Columns that determine the target are reported first, with the error without them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from example_study import claim_text

import lookalike
from lookalike.progress import listening_to_steps
from lookalike.studies.analyze.leakage import filled_for_one_class, find_leaks
from lookalike.studies.context import StudyOptions, load_context
from lookalike.studies.select.budget import Budget
from lookalike.studies.select.candidates import ALL_CANDIDATES

RNG = np.random.default_rng(0)
N = 300


def clean(numeric=False):
    X = np.random.default_rng(1).normal(size=(N, 4))
    signal = X[:, 0] + np.random.default_rng(2).normal(size=N)
    y = signal if numeric else np.where(signal > 0, "good", "bad")
    return pd.DataFrame(X, columns=list("abcd")).assign(y=y)


def leaking_columns(frame):
    context = load_context(StudyOptions(frame, target="y"), Budget(None))
    leaks = find_leaks(context.dataset, context.task, context.features, 0)
    return {name: one.kind for one in leaks for name in one.columns}


def days(frame):
    start = np.datetime64("2020-01-01") + RNG.integers(300, size=N)
    later = (frame.y == "good").to_numpy() * 30 + RNG.integers(20, size=N)
    return frame.assign(opened=start, closed=start + later)


PART = RNG.normal(size=N)
LEAKS = {
    "column": lambda t: t.assign(leak=3.0 * (t.y == "good") - 1),
    "a noisy copy": lambda t: t.assign(leak=(t.y == "good") + 0.1 * RNG.normal(size=N)),
    "text copy": lambda t: t.assign(leak=[f"Case {j}: {y.upper()}!" for j, y in enumerate(t.y)]),
    "pair": lambda t: t.assign(leak=PART, more=(t.y == "good") - PART),
    "filled for one class": lambda t: t.assign(
        leak=np.where((t.y == "good") & (RNG.random(N) < 0.8), RNG.normal(size=N), np.nan)
    ),
    "identifier": lambda t: t.assign(
        leak=1000 + np.argsort(np.argsort((t.y == "good") + 0.001 * RNG.random(N)))
    ),
    "timestamp": days,
}


@pytest.mark.parametrize("kind", LEAKS)
def test_a_leak_of_every_kind_is_found(kind):
    found = leaking_columns(LEAKS[kind](clean()))
    assert set(found) <= {"leak", "more", "opened", "closed"}
    assert found
    assert kind in found.values() or kind == "a noisy copy"


def test_a_number_that_is_the_sum_of_two_or_of_five_columns_is_found():
    table = clean(numeric=True)
    other = RNG.normal(size=N)
    assert set(leaking_columns(table.assign(p=other, q=table.y - other))) == {"p", "q"}
    parts = pd.DataFrame({f"part{j}": RNG.normal(size=N) for j in range(5)})
    total = table.assign(**parts).assign(y=parts.sum(axis=1))
    assert set(leaking_columns(total)) == set(parts.columns)


def test_an_additive_function_and_a_number_written_as_text_are_found():
    table = clean(numeric=True)
    other = RNG.normal(size=N)
    bent = table.assign(p=other, q=np.cbrt(table.y - other**2))
    assert set(leaking_columns(bent)) == {"p", "q"}
    assert set(leaking_columns(table.assign(leak=[f"{v:.4f} EUR" for v in table.y]))) == {"leak"}


def test_a_column_that_is_enough_alone_is_not_named_beside_one_of_noise():
    rng = np.random.default_rng(25)
    n = int(rng.choice([150, 300, 600]))
    table = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    epoch = 1.6e9 + np.sort(rng.integers(0, 10**7, n))
    price = rng.gamma(3, 100, n)
    y = np.floor(price / 50) * 50.0
    assert set(leaking_columns(table.assign(epoch=epoch, price=price, y=y))) <= {"price"}


@pytest.mark.parametrize("numeric", [False, True])
def test_ordinary_columns_are_no_leak(numeric):
    assert leaking_columns(clean(numeric)) == {}


def test_in_a_series_the_time_is_one_of_the_other_columns():
    day = np.sort(RNG.integers(0, 4000, N))
    y = np.sin(day / 500) * 10 + 0.1 * RNG.normal(size=N)
    start = np.datetime64("2010-01-01")
    table = pd.DataFrame({"day": start + day, "rank": np.argsort(np.argsort(day)) * 2, "y": y})
    context = load_context(
        StudyOptions(table.sample(frac=1, random_state=0), target="y"), Budget(None)
    )
    (leak,) = find_leaks(context.dataset, context.task, context.features, 0, series=True)
    assert leak.columns == ("rank",)
    assert leak.error_of_others < 0.2 * y.std()


def test_where_all_columns_determine_the_target_nothing_is_said_of_others(monkeypatch):
    kept = tuple(one for one in ALL_CANDIDATES if one.name in ("baseline", "nearest"))
    monkeypatch.setattr("lookalike.studies.select.fold_work.ALL_CANDIDATES", kept)
    table = pd.DataFrame({"x": np.arange(N) % 2, "y": np.array(["a", "b"])[np.arange(N) % 2]})
    text = claim_text(lookalike.study(table, target="y"), "leakage")
    assert "'x' alone nearly determines the target" in text
    assert "other columns" not in text
    assert "--drop" not in text


def test_leakage_leads_the_summary_with_the_error_without_it_and_can_be_dropped(monkeypatch):
    kept = tuple(one for one in ALL_CANDIDATES if one.name in ("baseline", "lda"))
    monkeypatch.setattr("lookalike.studies.select.fold_work.ALL_CANDIDATES", kept)
    table = LEAKS["column"](clean())
    steps = []
    with listening_to_steps(steps.append):
        found = lookalike.study(table, target="y")
    compared = [step.partition("comparing")[0] for step in steps if "comparing" in step]
    assert list(dict.fromkeys(compared)) == ["", "without 'leak': "]
    first = found.summary[0]
    assert first.topic == "leakage"
    assert "'leak' alone nearly determines the target (error 0.0% by that alone)" in first.text
    assert f"Without it the held-out error is {found.leakage.error_without:.1%}" in first.text
    assert "--drop leak" in first.text
    assert found.held_out.error < 0.05 < found.leakage.error_without
    dropped = lookalike.study(table, target="y", drop=["leak"])
    assert dropped.leakage is None
    assert dropped.held_out.error == found.leakage.error_without
    assert "leak" not in [column.name for column in dropped.columns]
    with pytest.raises(ValueError, match="drop names 'leek', and there is no such column"):
        lookalike.study(table, target="y", drop="leek")


@pytest.mark.parametrize("named", [True, False])
def test_without_an_identifier_that_rows_share_these_are_held_out_together(monkeypatch, named):
    kept = tuple(one for one in ALL_CANDIDATES if one.name in ("baseline", "nearest"))
    monkeypatch.setattr("lookalike.studies.select.fold_work.ALL_CANDIDATES", kept)
    rng = np.random.default_rng(0)
    person = rng.permutation(np.repeat(np.arange(40), 8))
    rows = 5 * rng.normal(size=(40, 4))[person] + 0.1 * rng.normal(size=(320, 4))
    table = pd.DataFrame(rows, columns=list("abcd"))
    table["person_id"] = [f"P{one}" for one in person] if named else person
    table["y"] = np.array(["ill", "well"])[rng.permutation(np.arange(40) % 2)[person]]
    found = lookalike.study(table, target="y")
    assert found.held_out.error < 0.05
    assert found.leakage.groups == "person_id"
    assert found.leakage.error_without > 0.3  # the columns tell persons apart, not the classes
    assert "the rows of each 'person_id' held out together" in claim_text(found, "leakage")
    assert "--groups person_id" in claim_text(found, "leakage")


def test_a_column_that_is_filled_for_one_class_is_named():
    total = np.array([900.0, 100.0])
    present = np.array([[900.0, 1.0, 450.0], [100.0, 95.0, 50.0]])
    assert filled_for_one_class(present, total) == [1]
