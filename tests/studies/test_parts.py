"""The parts of a study: columns, targets, splits, budgets, each by its rule."""

from __future__ import annotations

import signal
import time

import numpy as np
import pytest

from lookalike.decisions import Decisions
from lookalike.errors import ColumnError, ParameterError
from lookalike.explain.self_search import self_search
from lookalike.studies.analyze.data_audit import SearchedRows, audit_rows
from lookalike.studies.analyze.feature_importance import univariate_scores
from lookalike.studies.analyze.thumbnails import show_row, thumbnail
from lookalike.studies.evaluate.metrics import bootstrap, cross_validated
from lookalike.studies.load.columns import describe_columns
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.load.read import read, split_off
from lookalike.studies.load.target import recognize_target
from lookalike.studies.select.budget import Budget, TimeOver, parse_seconds
from lookalike.studies.select.candidates import CANDIDATES
from lookalike.studies.select.split import split_rows
from lookalike.studies.select.text_candidates import TEXT_CANDIDATES
from lookalike.studies.task import CLASSIFICATION, REGRESSION

WORDS = [f"word{number}" for number in range(40)]


def objects(values):
    column = np.empty(len(values), object)
    column[:] = values
    return column


@pytest.mark.parametrize(
    ("name", "kind", "values", "found", "role"),
    [
        ("x", "number", np.linspace(0, 1, 40), "number", "feature"),
        ("x", "number", np.arange(40) % 7, "ordinal", "feature"),
        ("x", "number", np.arange(40) % 2, "boolean", "feature"),
        ("x", "number", np.arange(40) + 5.0, "identifier", "dropped"),
        ("user_id", "number", np.random.default_rng(0).permutation(40), "identifier", "dropped"),
        ("age", "number", np.random.default_rng(0).permutation(40), "number", "feature"),
        ("x", "number", np.full(40, np.nan), "empty", "dropped"),
        ("x", "number", np.full(40, 3), "constant", "dropped"),
        ("x", "category", objects(["a", "b"] * 20), "category", "feature"),
        ("x", "text", objects(WORDS), "identifier", "dropped"),
        ("x", "text", objects([f"{word} is a word" for word in WORDS]), "text", "dropped"),
        ("x", "date", np.arange(40).astype("datetime64[D]"), "date", "feature"),
    ],
)
def test_a_column_is_described_by_its_values(name, kind, values, found, role):
    decisions = Decisions()
    column = describe_columns(
        Dataset({name: values}, {name: kind}, np.arange(len(values))), decisions
    )[0]
    assert (column.kind, column.role) == (found, role)
    assert bool(decisions) == (role == "dropped")


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (np.array(["a", "b"] * 10), "classification"),
        (np.arange(20) % 3, "classification"),
        (np.array([1, 10, 11, 2] * 5), "classification"),
        (np.arange(20) % 3 + 0.5, "regression"),
        (np.arange(20), "regression"),
        (np.arange(1000) % 60, "regression"),
    ],
)
def test_the_task_follows_from_the_target(y, task):
    assert recognize_target(y, "y", "auto", Decisions()).task == task


def test_whole_numbers_are_named_without_a_point():
    target = recognize_target(
        np.array([1.0, 2.0, 1.0, 2.0] * 5), "y", "classification", Decisions()
    )
    assert target.summary().classes == (1, 2)
    assert target.read(np.array([2.0])).tolist() == [2]


def test_every_row_is_held_out_once_and_is_no_training_row_of_its_fold():
    y = np.array(["a"] * 30 + ["b"] * 10)
    split = split_rows(y, CLASSIFICATION, seed=1, is_test=None, decisions=Decisions())
    held = np.sort(np.concatenate([part for _, part in split.parts]))
    np.testing.assert_array_equal(held, np.arange(40))
    for train, part in split.parts:
        assert not set(train) & set(part)
        assert (y[part] == "b").sum() == 2


def test_a_fifth_is_held_out_of_many_rows_and_a_given_split_is_obeyed():
    y = np.zeros(1000)
    split = split_rows(y, REGRESSION, seed=0, is_test=None, decisions=Decisions())
    assert len(split.parts[0][1]) == 200
    test = np.arange(1000) >= 990
    given = split_rows(y, REGRESSION, seed=0, is_test=test, decisions=Decisions())
    np.testing.assert_array_equal(given.parts[0][1], np.arange(990, 1000))
    np.testing.assert_array_equal(np.sort(given.parts[0][0]), np.arange(990))


def test_a_split_column_has_two_values_of_which_one_says_test():
    values = objects(["train", "Test", "train"])
    rows = {"x": np.arange(3.0), "part": values}
    dataset = Dataset(rows, {"x": "number", "part": "category"}, np.arange(3))
    left, test = split_off(dataset, "part")
    assert left.names == ["x"]
    assert test.tolist() == [False, True, False]
    with pytest.raises(ColumnError, match="Give a column of two values"):
        split_off(dataset, "x")


def test_rows_beyond_the_memory_budget_are_sampled_and_numbered():
    from lookalike.data import open_source
    from lookalike.settings import config

    X = np.arange(2000.0)[:, None]
    decisions = Decisions()
    with config(memory=48 * 500):
        dataset = read(open_source(X, X[:, 0]), decisions, seed=0)
    assert len(dataset) == 500
    np.testing.assert_array_equal(dataset.rows[:, 0], dataset.row)
    np.testing.assert_array_equal(dataset.y, dataset.row)
    assert 800 < dataset.row.mean() < 1200
    assert decisions.about("rows")


def test_time_is_read_and_refuses_what_does_not_fit():
    assert parse_seconds("1.5 h") == 5400
    assert Budget(None).deadline().refuses(1e9) == ""
    assert Budget(10.0).deadline().refuses(1.0) == ""
    assert "would take about 100 s" in Budget(10.0).deadline().refuses(100.0)
    assert "would take about 4 s" in Budget(10.0).deadline(parts=4).refuses(4.0)
    with pytest.raises(ParameterError, match="no length of time"):
        parse_seconds("-3m")


@pytest.mark.alone
def test_work_is_stopped_at_its_deadline_in_python_and_in_native_code():
    X = np.random.default_rng(0).normal(size=(40_000, 60))
    for work in (lambda: [x for x in iter(lambda: 0, 1) if x], lambda: self_search(X, 50)):
        begin = time.monotonic()
        with pytest.raises(TimeOver), Budget(0.2).deadline().enforced():
            work()
        assert time.monotonic() - begin < 5
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_timer_of_the_user_is_left_alone():
    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 60)
    try:
        with Budget(1e-3).deadline().enforced():
            assert signal.getitimer(signal.ITIMER_REAL)[0] > 50
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_the_cross_validated_error_is_that_of_scikit_learn():
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    score = cross_validated(GaussianNB, X, y, CLASSIFICATION)
    assert score.value == pytest.approx(0.05, abs=0.02)
    assert score.interval[0] < score.value < score.interval[1]


def test_the_bootstrap_interval_of_a_mean_is_that_of_its_deviation():
    values = np.random.default_rng(0).normal(size=400)
    low, high = bootstrap(lambda rows: float(values[rows].mean()), 400, seed=0)
    assert (high - low) / 2 == pytest.approx(1.96 * values.std() / 20, rel=0.1)


def test_univariate_scores_are_shares_of_variance():
    rng = np.random.default_rng(0)
    y = np.array(["a", "b"] * 50)
    Z = np.column_stack([(y == "a").astype(float), rng.normal(size=100), np.ones(100)])
    scores = univariate_scores(Z, y, CLASSIFICATION)
    assert scores[0] == pytest.approx(1)
    assert scores[1] < 0.1
    assert scores[2] == 0
    assert univariate_scores(Z, Z[:, 1], REGRESSION)[1] == pytest.approx(1)


def test_empty_columns_and_a_single_class_score_0():
    Z = np.column_stack([np.arange(6.0), np.full(6, np.nan)])
    assert univariate_scores(Z, np.array(list("ababab")), CLASSIFICATION)[1] == 0
    assert univariate_scores(Z, np.array(["a"] * 6), CLASSIFICATION).tolist() == [0, 0]


def test_a_held_out_duplicate_of_a_training_row_is_leakage():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[150], X[151], X[10] = X[3], X[152], X[11]
    held = np.arange(200) >= 150
    dataset = Dataset(X, dict.fromkeys("abc", "number"), np.arange(200) + 1000)
    found = audit_rows(SearchedRows(self_search(X, 10), dataset, held), "auto")
    assert found.counts["duplicate"] == 6
    assert found.counts["leak"] == 1
    leak = next(one for one in found.flagged_rows if one.kind == "leak")
    assert leak.row == 1150
    assert leak.neighbors[0].row == 1003
    assert "leak" in found.table.flags[150]


def test_every_candidate_has_a_name_of_its_own():
    for specs in (CANDIDATES, TEXT_CANDIDATES):
        names = [spec.name for spec in specs]
        assert len(names) == len(set(names))


def test_a_thumbnail_is_a_png_that_pillow_reads_back():
    import base64
    import io

    from PIL import Image

    gray = np.arange(0, 240, 20, dtype=np.uint8).reshape(3, 4)
    head, _, body = thumbnail(gray).partition(",")
    assert head == "data:image/png;base64"
    with Image.open(io.BytesIO(base64.b64decode(body))) as read_back:
        np.testing.assert_array_equal(np.asarray(read_back), gray)


def test_a_row_is_shown_by_its_first_columns_or_the_beginning_of_its_text():
    table = Dataset({"age": np.array([1.0, np.nan])}, {"age": "number"}, np.arange(2))
    assert show_row(table, 1) == {"values": {"age": ""}}
    texts = Dataset({"t": objects(["word " * 100, None])}, {"t": "text"}, np.arange(2), text="t")
    assert show_row(texts, 0)["text"].endswith("…")
    assert show_row(texts, 1) == {"text": ""}
