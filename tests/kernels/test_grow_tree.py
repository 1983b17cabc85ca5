"""A tree splits where a search over all thresholds does; its leaves are means of their rows."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.kernels.forest import LEAF_FEATURE
from lookalike.kernels.grow_tree import GrowthPlan, grow_tree

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4)).astype(np.float32)
COLUMNS = np.ascontiguousarray(X.T)
NUMBERS = np.column_stack([X[:, 1] > 0.3, X[:, 2]]).astype(np.float64)
CODES = ((X[:, 0] > 0).astype(float) + (X[:, 3] > 0.5))[:, None]


def impurity(targets, weight, n_classes):
    """Return the Gini impurity, or the mean variance of the outputs."""
    if n_classes:
        share = np.bincount(targets[:, 0].astype(int), weight, n_classes) / weight.sum()
        return 1.0 - (share**2).sum()
    mean = np.average(targets, axis=0, weights=weight)
    return np.average((targets - mean) ** 2, axis=0, weights=weight).mean()


def best_cut(targets, weight, n_classes, least):
    """Return feature and threshold of the split that leaves the least impurity."""
    cuts = []
    for feature, column in enumerate(COLUMNS):
        values = np.unique(column[weight > 0]).astype(np.float64)
        for threshold in (values[:-1] + values[1:]) / 2:
            sides = [side & (weight > 0) for side in (column <= threshold, column > threshold)]
            if min(map(np.count_nonzero, sides)) >= least:
                mixed = sum(
                    weight[side].sum() * impurity(targets[side], weight[side], n_classes)
                    for side in sides
                )
                cuts.append((mixed, feature, threshold))
    return min(cuts)[1:]


@pytest.mark.parametrize("least", [1, 8])
@pytest.mark.parametrize(("targets", "n_classes"), [(NUMBERS, 0), (CODES, 3)])
def test_a_stump_is_the_best_of_all_cuts(targets, n_classes, least):
    weight = rng.integers(0, 4, size=60).astype(np.float64)
    plan = GrowthPlan(random_thresholds=False, tried=4, min_rows=least, max_depth=1)
    tree = grow_tree(COLUMNS, targets, n_classes, weight=weight, plan=plan, seed=3)
    feature, threshold = best_cut(targets, weight, n_classes, least)
    assert tree.nodes[0, 0] % 2**30 == feature
    assert tree.nodes[0, 2:].view(np.float32)[0] == pytest.approx(threshold)


@pytest.mark.parametrize("random_thresholds", [True, False])
@pytest.mark.parametrize(("targets", "n_classes"), [(NUMBERS, 0), (CODES, 3)])
def test_values_of_leaves_are_means_of_their_rows(targets, n_classes, random_thresholds):
    plan = GrowthPlan(random_thresholds=random_thresholds, tried=2, min_rows=3, max_depth=5)
    tree = grow_tree(COLUMNS, targets, n_classes, weight=None, plan=plan, seed=123_456_789)
    rows = np.eye(3)[targets[:, 0].astype(int)] if n_classes else targets
    leaf = tree.leaves(X)
    assert len(tree.leaf_nodes()) == len(tree.value) > 3
    assert (tree.nodes[tree.leaf_nodes(), 0] == LEAF_FEATURE).all()
    for number, value in enumerate(tree.value):
        assert np.count_nonzero(leaf == number) >= 3
        np.testing.assert_allclose(rows[leaf == number].mean(axis=0), value)


def test_what_does_not_fit_together_is_refused():
    plan = GrowthPlan(random_thresholds=False, tried=1, min_rows=1, max_depth=1)
    with pytest.raises(ValueError, match="target"):
        grow_tree(COLUMNS, NUMBERS[:5], 0, weight=None, plan=plan, seed=0)
    with pytest.raises(ValueError, match="weight"):
        grow_tree(COLUMNS, NUMBERS, 0, weight=np.ones(5), plan=plan, seed=0)
    with pytest.raises(ValueError, match="class"):
        grow_tree(COLUMNS, CODES - 1, 3, weight=None, plan=plan, seed=0)
