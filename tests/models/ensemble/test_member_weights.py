"""Weights of members: chosen on some rows, judged on others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.models.ensemble.member_weights import (
    MemberTable,
    choose_weights,
    cross_fitted_weights,
    greedy_weights,
    near_best_weights,
    without_small,
)


def regression(seed, n_members=4, n_rows=60):
    """Return members that are right but for noise, each of another size."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n_rows)
    noise = rng.normal(size=(n_members, n_rows)) * rng.uniform(0.1, 2.0, size=(n_members, 1))
    return MemberTable(y + noise, noise**2, y)


@given(st.integers(0, 1000))
def test_greedy_weights_sum_to_one_and_are_no_worse_than_any_member(seed):
    table = regression(seed)
    weights = greedy_weights(table)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1.0)
    loss = table.loss(weights @ table.values).mean()
    assert loss <= table.error.mean(axis=1).min() + 1e-12


def test_members_whose_errors_cancel_share_the_weight_and_a_useless_one_has_none():
    rng = np.random.default_rng(0)
    y, noise = rng.normal(size=500), rng.normal(size=500)
    values = np.stack([y + noise, y - noise, y + 20 * rng.normal(size=500)])
    weights = greedy_weights(MemberTable(values, (values - y) ** 2, y))
    np.testing.assert_allclose(weights, [0.5, 0.5, 0.0])


def test_the_mean_of_the_near_best_leaves_out_who_errs_a_quarter_more():
    error = np.repeat([[1.0], [1.2**2], [1.3**2]], 10, axis=1)
    weights = near_best_weights(MemberTable(np.zeros((3, 10)), error, np.zeros(10)))
    assert weights.tolist() == [0.5, 0.5, 0.0]


def test_probabilities_that_exclude_a_row_of_each_member_are_mixed():
    own = np.array([[0.0] + [0.9] * 19, [0.9] * 19 + [0.0]])
    weights = greedy_weights(MemberTable(own, (own < 0.5).astype(float)))
    assert weights.min() > 0.3


def test_weights_for_a_part_do_not_depend_on_its_rows():
    table, part = regression(1, n_rows=90), np.arange(90) % 3
    weights = cross_fitted_weights(table, part)
    values = table.values.copy()
    values[:, part == 0] = 1e3
    other = MemberTable(values, (values - table.y) ** 2, table.y)
    np.testing.assert_array_equal(cross_fitted_weights(other, part)[0], weights[0])
    assert weights.shape == (3, 4)


@given(st.integers(0, 100))
def test_chosen_weights_are_those_of_one_of_the_two_rules(seed):
    table = regression(seed)
    chosen = choose_weights(table, np.arange(60) % 2 == 0)
    rules = [without_small(rule(table)) for rule in (near_best_weights, greedy_weights)]
    assert any(np.array_equal(chosen, one) for one in rules)
