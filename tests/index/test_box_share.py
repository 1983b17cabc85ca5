"""The share of boxes that a search opens: small in few dimensions, whatever the columns."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.index.box_share import box_share
from lookalike.index.plan import choose_index
from lookalike.kernels.metrics import metric_from


def surface(n, dimension, columns=20):
    rng = np.random.default_rng(0)
    return np.tanh(rng.uniform(size=(n, dimension)) @ rng.normal(size=(dimension, columns)))


def clusters(n, columns):
    rng = np.random.default_rng(0)
    centers = 4 * rng.normal(size=(50, columns))
    return centers[rng.integers(50, size=n)] + rng.normal(size=(n, columns))


def test_rows_on_a_surface_of_few_dimensions_open_few_boxes():
    shares = [box_share(surface(8000, dimension)) for dimension in (1, 2, 8)]
    assert shares[0] < shares[1] < 0.03 < shares[2]


def test_an_offset_does_not_change_it():
    rows = surface(5000, 2)
    assert box_share(rows + 1e8) == pytest.approx(box_share(rows), rel=0.05)


def test_of_few_rows_or_equal_ones_or_infinite_ones_nothing_is_said():
    assert box_share(surface(20, 2)) == 1.0
    assert box_share(np.ones((5000, 4))) == 1.0
    assert box_share(np.full((5000, 4), np.inf)) == 1.0
    assert box_share(np.full((5000, 4), 1e300)) == 1.0


@pytest.mark.parametrize(
    ("rows", "index"),
    [
        (surface(6000, 3), "kd_tree"),
        (clusters(1000, 64), "kd_tree"),
        (clusters(6000, 64), "kd_tree"),
        (np.random.default_rng(0).uniform(size=(10_000, 16)), "exact"),
        (np.random.default_rng(0).uniform(size=(100, 64)), "exact"),
    ],
)
def test_auto_chooses_boxes_where_few_are_opened(rows, index):
    assert choose_index(rows.astype(np.float32), metric_from("euclidean"), "auto")[0] == index
