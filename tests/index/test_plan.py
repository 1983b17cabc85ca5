"""The plan of a search: which queries it tries to measure what all of them cost."""

import numpy as np
import pytest

from lookalike.index import plan
from lookalike.index.plan import build_index
from lookalike.kernels.metrics import metric_from


def test_a_plan_tries_queries_as_near_to_each_other_as_all_are():
    X = np.random.default_rng(0).uniform(size=(4000, 2))
    tree = build_index("kd_tree", X, metric_from("euclidean"))
    place = np.argsort(tree.leaf_order())  # of every row among the leaves
    rows = plan._query_rows(tree, len(X), 0.5, 320)
    steps = np.diff(place[rows])
    assert len(rows) == 320
    assert np.median(steps) == 2  # every other row of a part of the leaves
    assert (steps > 2).sum() == plan.PLAN_QUERY_BLOCKS - 1
    every = plan._query_rows(tree, len(X), 1.0, 10**6)
    np.testing.assert_array_equal(np.sort(every), np.arange(len(X)))
    exact = build_index("exact", X, metric_from("euclidean"))
    assert len(plan._query_rows(exact, len(X), 3.0, 320)) == 320


@pytest.mark.parametrize(
    ("seconds", "taken"), [([0.11, 0.06, 0.05, 9.0], 0.06), ([0.3, 9.0], 0.3), ([0.01] * 9, 0.01)]
)
def test_a_single_measurement_counts_only_where_it_is_long(seconds, taken, monkeypatch):
    clock, left = [0.0], list(seconds)

    def work():
        clock[0] += left.pop(0)

    monkeypatch.setattr(plan.time, "perf_counter", lambda: clock[0])
    assert plan._time(work)[0] == pytest.approx(taken)
