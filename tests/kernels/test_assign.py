"""Rows are assigned to the nearest center; what does not fit is refused, not read."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.kernels.assign import Assigner
from lookalike.kernels.distance import squared_distances

ROWS = np.random.default_rng(0).normal(size=(40, 3))


def test_a_row_is_assigned_to_its_nearest_center():
    rows = Assigner(ROWS, 1.0, 2)
    labels = rows.no_labels()
    rows.assign(ROWS[:5].copy(), labels)
    np.testing.assert_array_equal(labels, squared_distances(ROWS, ROWS[:5]).argmin(axis=1))


@pytest.mark.parametrize("centers", [np.empty((0, 3)), np.zeros((2, 4))], ids=["none", "wider"])
def test_centers_that_do_not_fit_are_refused(centers):
    rows = Assigner(ROWS, 1.0, 2)
    for method in (rows.assign, rows.keys):
        with pytest.raises(ValueError, match="centers"):
            method(centers, rows.no_labels())
