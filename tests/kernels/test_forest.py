"""The arrays of a forest: those that are not trees are refused before a native loop reads them."""

import numpy as np
import pytest

from lookalike.errors import ModelFileError
from lookalike.kernels.forest import LEAF_FEATURE, Forest, float32_below


def bits(value):
    return int(np.float32(value).view(np.int32))


def arrays():
    """Return x0 <= 1 to a leaf of rows 0 and 1, else to one of row 2; and a tree of one leaf."""
    return {
        "nodes": np.array(
            [[0, 2, bits(1.0)], [LEAF_FEATURE, 0, 0], [LEAF_FEATURE, 1, 0], [LEAF_FEATURE, 2, 0]],
            np.int32,
        ),
        "root": np.array([0, 3]),
        "start": np.array([0, 2, 3, 6]),
        "row": np.array([0, 1, 2, 0, 1, 2], np.int32),
        "drawn": np.array([1, 2, 0, 1, 1, 1], np.uint16),
        "weight": np.empty(0),
        "targets": np.array([[3.0], [0.0], [6.0]]),
        "n_outputs": 1,
        "n_features": 1,
    }


def test_leaves_hold_the_weighted_means_of_their_rows():
    given = arrays() | {"drawn": np.array([1, 2, 1, 1, 1, 1], np.uint16)}
    forest = Forest(**given)
    np.testing.assert_allclose(forest.value[:, 0], [1.0, 6.0, 3.0])
    X = np.array([[1.0], [1.5]], np.float32)
    np.testing.assert_allclose(forest.means(X, 1)[:, 0], [2.0, 4.5])


def test_rows_that_every_tree_drew_have_no_out_of_bag_prediction():
    forest = Forest(**arrays() | {"drawn": np.array([1, 2, 1, 1, 0, 1], np.uint16)})
    np.testing.assert_allclose(forest.out_of_bag()[:, 0], [np.nan, 4.5, np.nan])


def test_with_groups_no_tree_answers_that_drew_a_row_of_the_group():
    forest = Forest(**arrays() | {"drawn": np.array([1, 2, 1, 1, 0, 0], np.uint16)})
    np.testing.assert_allclose(forest.out_of_bag()[:, 0], [np.nan, 3.0, 3.0])
    grouped = forest.out_of_bag(np.array([0, 0, 1]))
    np.testing.assert_allclose(grouped[:, 0], [np.nan, np.nan, 3.0])


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("nodes", (0, 1), 0),  # a cycle
        ("nodes", (0, 1), 1),  # the right child is the left one
        ("nodes", (0, 1), 3),  # a child in another tree
        ("nodes", (0, 1), 99),
        ("nodes", (0, 0), 1),  # a feature that rows do not have
        ("nodes", (0, 0), -2),
        ("nodes", (0, 2), bits(np.nan)),
        ("nodes", (1, 1), 7),  # a leaf that does not exist
        ("nodes", (2, 0), 0),  # no leaf at the end of a tree
        ("root", 1, 9),
        ("root", 0, 1),
        ("start", 1, 5),
        ("start", 3, 5),
        ("row", 0, 3),
        ("row", 0, -1),
        ("drawn", 2, 0),  # a leaf without a drawn row
    ],
)
def test_arrays_that_are_no_trees_are_refused(name, place, value):
    given = arrays() | {"drawn": np.array([1, 2, 1, 1, 1, 1], np.uint16)}
    given[name][place] = value
    with pytest.raises(ModelFileError, match="forest"):
        Forest(**given)


@pytest.mark.parametrize(
    "other", [{"targets": np.array([0, 1, 2])}, {"weight": np.ones(2)}, {"n_outputs": 2}]
)
def test_targets_and_weights_fit_the_rows(other):
    given = arrays() | {"drawn": np.array([1, 2, 1, 1, 1, 1], np.uint16)} | other
    with pytest.raises(ModelFileError, match="forest"):
        Forest(**given)


def test_thresholds_become_float32_without_moving_a_row():
    rng = np.random.default_rng(0)
    threshold = np.concatenate([rng.normal(size=500), [0.1, -0.1, 1e300, -1e300, 1e-300, 0.0]])
    below = float32_below(threshold)
    with np.errstate(over="ignore"):
        near = np.concatenate([np.nextafter(below, np.float32(s)) for s in (-np.inf, np.inf)])
    for value in np.concatenate([below, near]):
        np.testing.assert_array_equal(value <= threshold, value <= below)
