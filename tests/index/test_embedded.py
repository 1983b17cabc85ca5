"""Metrics that embed rows get from the exact index what a scan gives them, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import squared_distances

from lookalike.index.embedded import EmbeddedIndex
from lookalike.index.scan import ScanIndex
from lookalike.kernels.metrics import metric_from
from lookalike.kernels.pair_keys import pair_keys

RNG = np.random.default_rng(5)
ROWS = RNG.normal(size=(1500, 20)) + 3
QUERIES = RNG.normal(size=(30, 20)) + 3
METRICS = ["euclidean", "sqeuclidean", "seuclidean", "mahalanobis", "cosine", "correlation"]


def both(metric, **params):
    measure = metric_from(metric, metric_params=params, X=ROWS)
    return EmbeddedIndex(ROWS, measure), ScanIndex(ROWS, metric=measure)


def assert_same(mine, theirs):
    for left, right in zip(mine, theirs, strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("metric", METRICS)
def test_neighbors_equal_those_of_a_scan(metric):
    embedded, scan = both(metric)
    assert_same(embedded.query(QUERIES, 9), scan.query(QUERIES, 9))
    own = np.arange(40)
    assert_same(embedded.query(ROWS[:40], 3, exclude=own), scan.query(ROWS[:40], 3, exclude=own))


@pytest.mark.parametrize("metric", METRICS)
def test_neighborhoods_equal_those_of_a_scan_with_the_boundary(metric):
    embedded, scan = both(metric)
    radius = float(scan.query(QUERIES, 5).distance[3, 4])  # one row lies at the boundary
    assert_same(embedded.query_radius(QUERIES, radius), scan.query_radius(QUERIES, radius))


def test_weights_of_columns_count():
    embedded, scan = both("euclidean", w=np.arange(20.0))
    assert_same(embedded.query(QUERIES, 4), scan.query(QUERIES, 4))


def test_places_on_the_globe_are_found_by_their_angle():
    places = np.column_stack([RNG.uniform(-1.5, 1.5, 500), RNG.uniform(-3.1, 3.1, 500)])
    measure = metric_from("haversine")
    mine = EmbeddedIndex(places, measure).query(places[:20], 4)
    assert_same(mine, ScanIndex(places, metric=measure).query(places[:20], 4))


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_rows_can_be_added_and_removed(metric):
    embedded, scan = both(metric)
    for index in (embedded, scan):
        index.add(QUERIES)
        index.remove(np.array([0, 1501]))
    assert embedded.n_rows == 1528
    assert_same(embedded.query(QUERIES, 3), scan.query(QUERIES, 3))


@pytest.mark.parametrize("threads", [1, 3])
def test_keys_of_chosen_pairs_are_the_reference(threads):
    chosen = RNG.integers(0, 1500, size=(30, 7))
    expected = np.take_along_axis(squared_distances(QUERIES, ROWS), chosen, axis=1)
    np.testing.assert_array_equal(pair_keys(QUERIES, ROWS, chosen, threads=threads), expected)
