"""Near duplicates agree in their categories, and are nearer than chance would put them."""

from __future__ import annotations

import numpy as np

from lookalike import NearestNeighbors, audit
from lookalike.explain.audit.audit import RowContents
from lookalike.explain.audit.near_duplicates import local_dimension
from lookalike.neighbors import self_search


def towns(n=1500, seed=0):
    """Three numbers and one of 61 towns, one-hot, most of them rare."""
    rng = np.random.default_rng(seed)
    town = np.minimum(rng.geometric(0.08, size=n) - 1, 60)
    return np.column_stack([rng.normal(size=(n, 3)), np.eye(61)[town]])


def answers(n=600, columns=40, seed=0):
    """Answers to questions, four to choose from, by three kinds of people, as codes."""
    rng = np.random.default_rng(seed)
    share = rng.dirichlet(np.ones(4), size=(3, columns)).cumsum(axis=2)
    drawn = (rng.random((n, columns, 1)) > share[rng.integers(3, size=n)]).sum(axis=2)
    return np.minimum(drawn, 3)


def one_hot(codes):
    return np.eye(4)[codes].reshape(len(codes), -1)


def test_rows_of_one_rare_town_are_no_near_duplicates():
    X = towns()
    assert len(audit(X).rows("near_duplicate")) == 0
    X[7] = X[100] + np.where(np.arange(64) < 3, 1e-6, 0.0)
    assert audit(X).rows("near_duplicate").tolist() == [7, 100]
    X[7, 3:] = np.roll(X[7, 3:], 1)
    assert len(audit(X).rows("near_duplicate")) == 0


def test_rows_of_other_categories_are_no_near_duplicates():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    X[7], X[8] = X[100] + 1e-7, X[200] + 1e-7
    town = rng.integers(5, size=(500, 1))
    town[7], town[8] = town[100], town[200] + 1
    found = audit(X, contents=RowContents(categories=town))
    assert set(found.rows("near_duplicate")) == {7, 100}


def test_one_hot_rows_with_one_number_are_near_by_chance_and_no_duplicates():
    rng = np.random.default_rng(13)
    number = rng.normal(size=(1500, 1))
    codes = rng.geometric(0.3, size=(1500, 10)).clip(1, 3) - 1
    X = np.column_stack([number, *(np.eye(3)[column] for column in codes.T)])
    assert len(audit(X).rows("near_duplicate")) == 0


def test_of_categories_alone_rows_that_differ_in_few_are_near_where_others_differ_in_many():
    codes = answers()
    assert len(audit(one_hot(codes)).rows("near_duplicate")) == 0
    codes[7] = codes[100]
    codes[7, 5] = (codes[7, 5] + 1) % 4
    assert audit(one_hot(codes)).rows("near_duplicate").tolist() == [7, 100]
    contents = RowContents(categories=codes)
    gower = NearestNeighbors(metric="gower", metric_params={"categorical": list(range(40))})
    found = audit(codes.astype(float), search=gower, contents=contents)
    assert found.rows("near_duplicate").tolist() == [7, 100]
    few = answers(columns=8)
    few[7] = few[100]
    few[7, 5] = (few[7, 5] + 1) % 4
    assert len(audit(one_hot(few)).rows("near_duplicate")) == 0


def test_test_rows_of_another_category_are_no_leaks():
    X = towns()
    test = X[:2] + np.where(np.arange(64) < 3, 1e-5, 0.0)
    test[1, 3:] = np.roll(test[1, 3:], 1)
    assert audit(X, test=test).rows("leak").tolist() == [0]


def test_rows_that_lack_a_number_are_no_near_duplicates_of_rows_that_have_it():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(400, 4)), rng.integers(3, size=400)])
    X[7], X[8] = X[100], X[200]
    X[7:9, 0] += 1e-6
    X[8, 1] = np.nan
    search = NearestNeighbors(metric="gower", metric_params={"categorical": [4]}, missing="present")
    contents = RowContents(np.arange(400), X[:, 4:])
    assert audit(X, search=search, contents=contents).rows("near_duplicate").tolist() == [7, 100]


def test_rows_that_vary_in_one_column_have_dimension_one():
    rng = np.random.default_rng(0)
    line = np.column_stack([rng.random(400), np.zeros((400, 4))])
    cloud = 10 + rng.random((400, 5))
    search = self_search(np.concatenate([line, cloud]), 10)
    local = local_dimension(search.distance, 5.0)
    assert np.median(local[:400]) < 1.6
    assert np.median(local[400:]) > 3
