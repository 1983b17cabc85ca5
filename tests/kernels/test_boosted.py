"""Boosted trees as arrays: values of leaves from their rows, and what each row adds."""

import numpy as np
import pytest

from lookalike.errors import ModelFileError
from lookalike.kernels.boosted import BoostedTrees
from lookalike.kernels.forest import LEAF_FEATURE


def bits(value):
    return int(np.float32(value).view(np.int32))


def arrays():
    """Return two stumps: x0 <= 1 or not, and then x0 <= 0 or not."""
    nodes = [[0, 2, bits(1.0)], [LEAF_FEATURE, 0, 0], [LEAF_FEATURE, 1, 0]]
    nodes += [[0, 5, bits(0.0)], [LEAF_FEATURE, 2, 0], [LEAF_FEATURE, 3, 0]]
    return {
        "nodes": np.array(nodes, np.int32),
        "root": np.array([0, 3]),
        "value": np.empty((0, 1)),
        "X": np.array([[0.0], [1.0], [2.0], [3.0]], np.float32),
        "targets": np.array([0.0, 2.0, 4.0, 6.0]),
        "n_outputs": 1,
        "learning_rate": 0.5,
    }


def test_values_are_steps_towards_the_targets_one_tree_after_the_other():
    trees = BoostedTrees(**arrays())
    assert trees.base.tolist() == [3.0]
    # residuals -3, -1, 1, 3: half of their means -2 and 2; then -2, 0, 0, 2 without and with row 0
    np.testing.assert_allclose(trees.value[:, 0], [-1.0, 1.0, -1.0, 1 / 3])
    np.testing.assert_allclose(trees.sums(trees.X, 1)[:, 0], [1.0, 7 / 3, 13 / 3, 13 / 3])


def test_what_the_rows_add_makes_the_sum():
    trees = BoostedTrees(**arrays())
    leaf = trees.leaves(trees.X, 1)
    added = trees.contributions(leaf)[:, :, 0]
    np.testing.assert_allclose(added.sum(axis=1) + trees.base[0], trees.sums(trees.X, 1)[:, 0])
    np.testing.assert_allclose(added[0], [-1.75, -0.25, 0.0, 0.0])


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("nodes", (0, 1), 0),  # a cycle
        ("nodes", (0, 1), 4),  # a child in another tree
        ("nodes", (0, 1), 99),
        ("nodes", (0, 0), 1),  # a feature that rows do not have
        ("nodes", (0, 2), bits(np.nan)),
        ("nodes", (1, 1), 7),  # a leaf that does not exist
        ("root", 1, 9),
    ],
)
def test_arrays_that_are_no_trees_are_refused(name, place, value):
    given = arrays()
    given[name][place] = value
    with pytest.raises(ModelFileError, match="forest"):
        BoostedTrees(**given)


@pytest.mark.parametrize(
    "other",
    [
        {"value": np.zeros((3, 1))},
        {"value": np.full((4, 1), np.inf)},
        {"targets": np.zeros(3)},
        {"targets": np.array([0, 1, 2, 0])},
        {"n_outputs": 3},
    ],
)
def test_values_and_targets_fit_the_trees(other):
    with pytest.raises(ModelFileError, match="boosted"):
        BoostedTrees(**arrays() | other)
