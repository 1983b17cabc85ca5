"""What holds for every index: ties by row number, sizes beyond 32 bits, changes in threads."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from interleave import count_places, switch_at

from lookalike.index.exact import ExactIndex
from lookalike.index.kdtree import KDTreeIndex
from lookalike.index.lsh import LSHIndex
from lookalike.index.scan import ScanIndex

KINDS = [ScanIndex, ExactIndex, KDTreeIndex]


def ManhattanIndex(rows):
    return ScanIndex(rows, metric="manhattan")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_corners_of_a_simplex_come_by_number(kind, threads):
    index = kind(np.eye(200, dtype=np.float32))
    result = index.query(np.eye(200), 4, threads=threads)
    others = [[row for row in range(4) if row != corner][:3] for corner in range(200)]
    np.testing.assert_array_equal(result.row[:, 0], np.arange(200))
    np.testing.assert_array_equal(result.row[:, 1:], others)
    assert result.distance[0].tolist() == [0.0] + 3 * [np.sqrt(2.0)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_query_that_is_a_row_is_at_distance_zero_even_far_from_the_origin(kind):
    rows = np.random.default_rng(0).normal(size=(300, 40)) * 1e3 + 1e8
    result = kind(rows).query(rows, 1)
    np.testing.assert_array_equal(result.row[:, 0], np.arange(300))
    assert not result.distance.any()


@pytest.mark.parametrize("kind", KINDS)
def test_where_and_exclude_limit_both_searches(kind):
    rows = np.random.default_rng(1).integers(0, 4, (120, 2)).astype(np.float64)  # many ties
    index, own, allowed = kind(rows), np.arange(30), np.arange(120) % 3 == 1
    near = index.query_radius(rows[own], 1.0)
    left = index.query_radius(rows[own], 1.0, where=allowed, exclude=own)
    for query, (start, end) in enumerate(zip(near.start[:-1], near.start[1:], strict=True)):
        found = slice(left.start[query], left.start[query + 1])
        kept = allowed[near.row[start:end]] & (near.row[start:end] != query)
        np.testing.assert_array_equal(left.row[found], near.row[start:end][kept])
        np.testing.assert_array_equal(left.distance[found], near.distance[start:end][kept])
    nearest = index.query(rows[own], 3, where=np.flatnonzero(allowed), exclude=own)
    assert allowed[nearest.row].all()
    assert (nearest.row != own[:, None]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_an_option_that_searches_do_not_have_is_refused(kind):
    for search in (kind(np.eye(3)).query, kind(np.eye(3)).query_radius):
        with pytest.raises(TypeError, match="'thread'"):
            search(np.eye(3), 1, thread=2)


def test_more_numbers_than_32_bits_can_count_are_searched():
    rows = np.zeros((1100, 2_000_000), np.uint8)  # pages of zeros, which take no memory
    rows[-1] = 7
    result = ScanIndex(rows).query(rows[-1:], 2)
    assert result.row.tolist() == [[1099, 0]]
    assert result.distance.tolist() == [[0.0, 7 * np.sqrt(2_000_000)]]


@pytest.mark.parametrize("kind", [*KINDS, LSHIndex, ManhattanIndex], ids=lambda kind: kind.__name__)
def test_searches_while_rows_come_and_go_see_one_state_of_the_index(kind):
    rng = np.random.default_rng(0)
    rows, more = rng.normal(size=(400, 3)), rng.normal(size=(30, 3))
    index, queries = kind(rows), rng.normal(size=(20, 3))
    states = [kind(part).query(queries, 4).row.tobytes() for part in (rows, np.r_[rows, more])]
    stop, answers = threading.Event(), set()

    def read():
        while not stop.is_set():
            answers.add(index.query(queries, 4).row.tobytes())

    with ThreadPoolExecutor(8) as pool:
        readers = [pool.submit(read) for _ in range(8)]
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            index.add(more)
            index.remove(np.arange(400, 430))
        stop.set()
        assert [reader.result() for reader in readers] == [None] * 8
    assert answers <= set(states)


@pytest.mark.parametrize("kind", [*KINDS, LSHIndex, ManhattanIndex], ids=lambda kind: kind.__name__)
def test_a_change_in_the_midst_of_a_search_shows_wholly_or_not_at_all(kind):
    rng = np.random.default_rng(0)
    rows, more = rng.normal(size=(60, 3)), rng.normal(size=(30, 3))
    queries, gone = rng.normal(size=(5, 3)), np.arange(0, 60, 2)
    searches = {
        "query": lambda index: index.query(queries, 4).row.tobytes(),
        "query_radius": lambda index: index.query_radius(queries, 1.0).row.tobytes(),
    }
    changes = {
        "add": (lambda index: index.add(more), np.r_[rows, more]),
        "remove": (lambda index: index.remove(gone), np.delete(rows, gone, axis=0)),
    }
    for search in searches.values():
        n_places = count_places(lambda search=search: search(kind(rows)))
        for change, changed in changes.values():
            expected = [search(kind(rows)), search(kind(changed))]
            for place in range(0, n_places, n_places // 6 + 1):
                index = kind(rows)
                places = count_places(lambda index=index, search=search: search(index))
                answer = switch_at(
                    lambda index=index, search=search: search(index),
                    lambda index=index, change=change: change(index),
                    place % places,
                )
                assert answer in expected


@pytest.mark.parametrize("kind", [*KINDS, LSHIndex, ManhattanIndex], ids=lambda kind: kind.__name__)
def test_rows_that_two_threads_add_to_an_index_are_all_there(kind):
    rows = np.random.default_rng(0).normal(size=(40, 3))
    index = kind(rows)
    n_places = count_places(lambda: index.add(rows[:2]))
    for place in range(0, n_places, n_places // 6 + 1):
        index = kind(rows)
        switch_at(lambda i=index: i.add(rows[:2]), lambda i=index: i.add(rows[2:5]), place)
        assert index.n_rows == 45
