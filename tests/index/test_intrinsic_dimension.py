"""The dimension of rows near each other, by which a search chooses between boxes and codes."""

import re

import numpy as np
import pytest

from lookalike.index.intrinsic_dimension import sampled_dimension
from lookalike.index.plan import MANY_ROWS, choose_index
from lookalike.kernels.metrics import metric_from

rng = np.random.default_rng(0)


def surface(n, dimension, columns=30):
    inner = rng.uniform(size=(n, dimension))
    return np.tanh(inner @ rng.normal(size=(dimension, columns)))


@pytest.mark.parametrize("dimension", [1, 2, 4, 8])
def test_surfaces_in_many_columns_have_their_own_dimension(dimension):
    assert sampled_dimension(surface(8000, dimension)) == pytest.approx(dimension, rel=0.25)


def test_an_offset_does_not_change_it():
    rows = surface(5000, 3)
    assert sampled_dimension(rows + 1e8) == pytest.approx(sampled_dimension(rows), rel=1e-3)


def test_rows_that_are_too_few_or_the_same_tell_nothing():
    assert sampled_dimension(surface(20, 2)) == np.inf
    assert sampled_dimension(np.ones((5000, 4))) == np.inf


def test_many_rows_of_few_dimensions_are_searched_by_a_tree_whatever_their_columns():
    metric = metric_from("euclidean")
    name, reason = choose_index(surface(MANY_ROWS, 2), metric, "auto")
    assert name == "kd_tree"
    assert re.match(r"30 columns of dimension (1\.[89]|2\.[0-2]): ", reason)
    assert choose_index(surface(MANY_ROWS, 12), metric, "auto")[0] == "exact"
    assert choose_index(surface(1000, 2), metric, "auto")[0] == "exact"
