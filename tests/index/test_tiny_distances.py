"""Rows whose squared distances vanish in float64 are ordered by their distances all the same."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import KNeighborsClassifier, NearestNeighbors

ROWS = np.array([[2e-170], [1e-170], [1.0], [0.0], [-5e-171], [3e-170]])
ORDER = [3, 4, 1, 0, 5, 2]
DISTANCE = np.array([0.0, 5e-171, 1e-170, 2e-170, 3e-170, 1.0])


def wide(rows, columns):
    return np.hstack([rows, np.zeros((len(rows), columns - 1))])


@pytest.mark.parametrize("algorithm", ["auto", "exact", "brute", "kd_tree"])
@pytest.mark.parametrize("columns", [1, 3, 40])
def test_rows_of_vanishing_squares_are_in_order(algorithm, columns):
    model = NearestNeighbors(algorithm=algorithm).fit(wide(ROWS, columns))
    for k in range(1, 7):
        distance, row = model.kneighbors(np.zeros((2, columns)), k)
        np.testing.assert_array_equal(row, [ORDER[:k]] * 2)
        np.testing.assert_allclose(distance, [DISTANCE[:k]] * 2, rtol=1e-14)
    distance, row = model.kneighbors(n_neighbors=2)  # each row without itself
    assert row[1].tolist() == [0, 3]
    np.testing.assert_allclose(distance[1], [1e-170, 1e-170], rtol=1e-14)


def test_votes_by_distance_are_weighted_rightly():
    model = KNeighborsClassifier(2, weights="distance").fit(ROWS[:2], ["far", "near"])
    share = model.predict_proba([[0.0]])
    np.testing.assert_allclose(share, [[1 / 3, 2 / 3]], rtol=1e-12)


def test_equal_rows_are_at_no_distance_and_in_their_order():
    rows = np.repeat([[1e-170, 1.0], [3.0, 4.0]], 3, axis=0)
    distance, row = NearestNeighbors().fit(rows).kneighbors(rows[:1], 3)
    assert row.tolist() == [[0, 1, 2]]
    assert distance.tolist() == [[0.0, 0.0, 0.0]]
