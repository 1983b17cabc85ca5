"""Outliers are rows of low local density, and not all rows of rare categories."""

from __future__ import annotations

import numpy as np

from lookalike import audit


def test_rows_of_rare_towns_are_no_outliers_by_their_number():
    rng = np.random.default_rng(0)
    town = np.minimum(rng.geometric(0.08, size=1500) - 1, 60)
    X = np.column_stack([rng.normal(size=(1500, 3)), np.eye(61)[town] * 3])
    assert len(audit(X).rows("outlier")) <= 0.02 * 1500


def test_injected_outliers_are_found_among_them():
    rng = np.random.default_rng(0)
    town = rng.integers(4, size=800)
    X = np.column_stack([rng.normal(size=(800, 3)), np.eye(4)[town] * np.sqrt(0.5)])
    X[:10, :3] += 25 * np.sign(X[:10, :3])
    found = audit(X).rows("outlier")
    assert set(range(10)) <= set(found)
    assert len(found) <= 12


def test_a_row_of_its_category_beside_a_dense_group_of_another_is_no_outlier():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(600, 2)), np.eye(3)[np.arange(600) % 2]])
    X[:300, :2] *= 0.01
    X[5] = [0.0, 0.0, 0.0, 0.0, 1.0]
    assert 5 not in audit(X).rows("outlier")
    X[5, 0] = 60.0
    assert audit(X).rows("outlier")[0] == 5


def test_equal_distances_make_no_outliers():
    rng = np.random.default_rng(0)
    X = (rng.random((400, 16)) < 0.5).astype(float)
    assert len(audit(X).rows("outlier")) <= 8
    assert not audit(np.tile([0.0, 1.0], (30, 1)), k=3).outlier.any()
