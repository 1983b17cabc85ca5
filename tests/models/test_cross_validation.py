"""Folds: rows of one group are in one fold, classes in proportion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike import (
    KernelClassifier,
    KernelDensityClassifier,
    KernelRegressor,
    KNeighborsClassifier,
    KNeighborsRegressor,
)
from lookalike.errors import ShapeError
from lookalike.models.cross_validation import deal_folds


@given(st.lists(st.integers(0, 12), min_size=5, max_size=60), st.integers(2, 5), st.booleans())
def test_rows_of_one_group_are_in_one_fold(groups, n_folds, stratify):
    groups = np.unique(groups, return_inverse=True)[1]
    y = np.arange(len(groups)) % 3
    rng = np.random.default_rng(0)
    fold = deal_folds(y, n_folds, stratify=stratify, rng=rng, groups=groups)
    assert set(fold) <= set(range(n_folds))
    for group in np.unique(groups):
        assert len(np.unique(fold[groups == group])) == 1


def test_with_a_few_groups_folds_are_equal_in_size_and_in_classes():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [900, 100])
    groups = np.arange(1000)
    groups[100:130], groups[905:910] = 100, 905
    fold = deal_folds(
        y, 5, stratify=True, rng=rng, groups=np.unique(groups, return_inverse=True)[1]
    )
    assert np.bincount(fold).tolist() == [200] * 5
    assert np.bincount(fold[y == 1]).tolist() == [20] * 5


def test_groups_of_single_rows_are_dealt_as_rows_are():
    y = np.arange(50) % 2
    plain = deal_folds(y, 5, stratify=True, rng=np.random.default_rng(1))
    single = deal_folds(y, 5, stratify=True, rng=np.random.default_rng(1), groups=np.arange(50))
    np.testing.assert_array_equal(plain, single)


@pytest.mark.parametrize("n_rows", [2, 3, 4])
@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier("cv"),
        KNeighborsRegressor("cv"),
        KernelClassifier("cv"),
        KernelRegressor("cv"),
        KernelDensityClassifier("cv"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_fewer_rows_than_folds_are_an_error_with_both_numbers(model, n_rows):
    X = np.arange(2.0 * n_rows).reshape(n_rows, 2)
    with pytest.raises(ShapeError, match=f"5 folds need 5 rows at least, and n_samples = {n_rows}"):
        model.fit(X, np.arange(n_rows) % 2)


def test_fewer_groups_than_folds_are_an_error_with_both_numbers():
    X = np.arange(40.0).reshape(20, 2)
    with pytest.raises(ShapeError, match="5 folds need 5 groups at least, and n_groups = 2"):
        KNeighborsClassifier("cv").fit(X, np.arange(20) % 2, groups=np.arange(20) // 10)
