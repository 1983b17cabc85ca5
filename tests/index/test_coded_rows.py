"""Codes are built when queries pay for them, and rows are added without building them again."""

from __future__ import annotations

import copy
import threading

import numpy as np
import oracle
import pytest
from interleave import count_places, switch_at

from lookalike.index.coded_rows import CodedRows
from lookalike.index.exact import ExactIndex
from lookalike.index.filter_plan import cycles_of_scan, cycles_to_build, cycles_to_plan
from lookalike.kernels.native_arrays import NativeRows


def surface(n=3000, d=70, dtype=np.float32):
    """Rows near a low-dimensional surface."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 6)) @ rng.standard_normal((6, d))
    return (X + 0.1 * rng.standard_normal((n, d))).astype(dtype)


def assert_reference(index, X, Q, k):
    keys, rows = oracle.nearest(
        oracle.squared_distances(np.asarray(Q, np.float64), np.asarray(X, np.float64)), k, None
    )
    distance, row = index.query(Q, k)
    np.testing.assert_array_equal(row, rows)
    np.testing.assert_array_equal(distance, np.sqrt(keys))


def test_a_few_queries_are_answered_without_codes_and_more_build_them():
    X = surface()
    index = ExactIndex(X)
    assert_reference(index, X, X[:3], 5)
    assert index._state.filter is None
    assert index.nbytes == 0
    price = cycles_to_build(70) + cycles_to_plan(3000, 70) / 3000
    needed = int(price / cycles_of_scan(70, 4, 100)) + 1
    assert_reference(index, X, X[: needed // 2], 5)
    assert index._state.filter is None
    assert_reference(index, X, X[:needed], 5)
    assert index._state.filter is not None
    assert index.nbytes > 0


def test_decisions_are_made_when_they_are_asked_for():
    index = ExactIndex(surface())
    index.query(surface()[:1], 2)
    assert not index._state._planned
    assert index.decisions.about("filter")[0].choice in ("full", "prefix")
    assert len(index.decisions.about("filter")) == 1
    assert index._state.n_uncoded == 3000


def test_a_large_batch_builds_the_codes_before_it_is_searched():
    X = surface()
    index = ExactIndex(X)
    _, stats = index.query_with_stats(X[:1000], 5)
    assert index._state.filter is not None
    assert stats["distances"] < 0.1 * stats["pairs"]


def test_the_cost_of_a_plan_grows_with_its_directions():
    index = ExactIndex(surface(9000, 130))
    assert index.decisions
    assert cycles_to_build(130, index._state._plan) > cycles_to_build(130)


def test_build_builds_the_codes_at_once():
    X = surface()
    index = ExactIndex(X).build(threads=2)
    assert index._state.n_uncoded == 0
    assert_reference(index, X, X[:20], 5)


def test_codes_that_are_named_are_built_at_once():
    assert ExactIndex(surface(), filter="full")._state.n_uncoded == 0
    assert ExactIndex(surface(), filter="none")._state.n_uncoded == 0


@pytest.mark.parametrize("kind", ["auto", "prefix", "full", "none"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_rows_are_added_to_the_codes_that_there_are(kind, dtype):
    X = (10 * surface(dtype=np.float64) + 100).clip(0, 255).astype(dtype)
    Q = X[::150]
    index = ExactIndex(X[:2500], filter=kind).build()
    codes = index._state.filter
    for end in (2501, 2600, 3000):
        index.add(X[index.n_rows : end])
        assert index.n_rows == end
        assert index._state.filter is codes
        assert_reference(index, X[:end], Q, 6)
        assert_reference(index, X[:end], Q[:5], end)
        radius = index.query_radius(Q, 40.0)
        anew = ExactIndex(X[:end], filter="none").query_radius(Q, 40.0)
        np.testing.assert_array_equal(radius.row, anew.row)
        np.testing.assert_array_equal(radius.distance, anew.distance)
    where = np.arange(2000, 3000)
    of_some = index.query(Q, 4, where=where)
    np.testing.assert_array_equal(of_some.row, ExactIndex(X[where]).query(Q, 4).row + 2000)


def test_queries_pay_for_codes_of_the_rows_that_were_added():
    X = surface()
    index = ExactIndex(X[:2500]).build()
    index.add(X[2500:])
    assert index._state.n_uncoded == 500
    for _ in range(3):
        index.query(X, 3)
    assert index._state.n_uncoded == 0
    assert_reference(index, X, X[::100], 6)


def test_many_rows_that_are_added_are_planned_anew():
    X = surface()
    index = ExactIndex(X[:700])
    index.add(X[700:])
    assert index._state._planned_rows == 3000
    assert_reference(index, X, X[::100], 6)


def test_an_index_stays_as_it_was_when_others_add_to_it():
    X = surface()
    first = ExactIndex(X[:2000])
    one, other = first.with_rows(X[2000:2100]), first.with_rows(X[2100:2300])
    longer = one.with_rows(X[2300:2350])
    branch = one.with_rows(X[2400:2500])
    assert np.shares_memory(one.rows, longer.rows)
    assert not np.shares_memory(one.rows, branch.rows)
    for index, rows in (
        (first, X[:2000]),
        (one, X[:2100]),
        (other, np.concatenate([X[:2000], X[2100:2300]])),
        (longer, np.concatenate([X[:2100], X[2300:2350]])),
        (branch, np.concatenate([X[:2100], X[2400:2500]])),
    ):
        np.testing.assert_array_equal(index.rows, rows)
        assert_reference(index, rows, X[::200], 5)


@pytest.mark.parametrize("row", [np.full((1, 70), 1e200), np.full((1, 70), 1e-200)])
def test_a_row_of_another_magnitude_is_added_as_to_an_index_built_anew(row):
    X = np.vstack([np.zeros((600, 70)), row])
    index = ExactIndex(X[:600])
    index.add(X[600:])
    anew = ExactIndex(X)
    assert index._state.scale == anew._state.scale
    np.testing.assert_array_equal(index.query(X[-2:], 3).row, anew.query(X[-2:], 3).row)


def test_a_copy_has_the_codes_of_all_rows():
    X = surface()
    index = ExactIndex(X[:2900])
    index.add(X[2900:])
    again = copy.deepcopy(index)
    assert again._state.n_uncoded == 0
    assert_reference(again, X, X[::100], 6)
    again.add(X[:10])
    assert_reference(again, np.concatenate([X, X[:10]]), X[::100], 6)


def test_while_one_thread_builds_codes_the_others_search_without(monkeypatch):
    X = surface()
    index, building, go_on = ExactIndex(X), threading.Event(), threading.Event()
    build = CodedRows._build

    def slow(self, threads):
        building.set()
        assert go_on.wait(60)
        build(self, threads)

    monkeypatch.setattr(CodedRows, "_build", slow)
    other = threading.Thread(target=lambda: index.query(X[:1000], 3))
    other.start()
    assert building.wait(60)
    assert_reference(index, X, X[:500:10], 3)
    assert index._state.filter is None
    go_on.set()
    other.join()
    assert index._state.filter is not None


@pytest.fixture
def coded(monkeypatch):
    """Return what makes rows that have no codes yet, and whose codes are built in no time."""
    X = surface(600, 8)
    monkeypatch.setattr("lookalike.index.coded_rows.MIN_ROWS_FOR_CODES", 500)
    return lambda: CodedRows(NativeRows(X), "auto", 1)


def test_codes_may_be_built_by_another_thread_at_any_instruction_of_a_search(coded):
    rows = coded()
    places = count_places(lambda: rows.codes(1, 1), "opcode")
    assert places > 50
    for place in range(places):
        rows = coded()
        codes = switch_at(lambda r=rows: r.codes(1, 1), lambda r=rows: r.build(1), place, "opcode")
        assert codes is None or codes is rows.filter
        assert rows.n_uncoded == 0
        assert rows.codes(1, 1) is rows.filter


def test_a_search_may_ask_what_codes_cost_at_any_line_of_a_build(coded):
    first = coded()
    for place in range(count_places(lambda: first.build(1))):
        rows = coded()
        switch_at(lambda r=rows: r.build(1), lambda r=rows: r.codes(1, 1), place)
        assert rows.n_uncoded == 0


def test_rows_that_are_added_while_codes_are_built_have_codes_or_will_have_them(coded):
    first, more = coded(), NativeRows(surface(5, 8))
    for place in range(count_places(lambda: first.with_rows(more, 1))):
        rows = coded()
        longer = switch_at(lambda r=rows: r.with_rows(more, 1), lambda r=rows: r.build(1), place)
        assert longer.filter is not None or longer.n_uncoded == 605
        assert len(longer.all_decisions().about("filter")) == 1
