"""Codes are planned from a sample: what is chosen, and that directions are what they claim."""

from __future__ import annotations

import numpy as np

from lookalike.index.filter_plan import draw_sample, plan_filter, rotated_directions
from lookalike.kernels.native_arrays import value_range


def plan_of(X, kind="auto"):
    return plan_filter(X, kind, value_range(X, 1))


def surface(rng, n, d):
    return rng.standard_normal((n, 5)) @ rng.standard_normal((5, d)) + 0.05 * rng.random((n, d))


def test_leading_directions_are_chosen_where_rows_lie_near_a_surface():
    X = surface(np.random.default_rng(0), 9000, 200).astype(np.float32)
    (code_map, _, _), reason = plan_of(X)
    assert code_map.blocks > 0
    assert "prefix" in reason


def test_all_columns_are_coded_where_no_direction_stands_out():
    (code_map, _, _), _ = plan_of(np.random.default_rng(1).standard_normal((9000, 128)))
    assert code_map.blocks == 0


def test_few_rows_need_no_codes():
    assert plan_of(np.zeros((100, 50))) == (None, "100 rows of 50 are too few for auto")


def test_no_codes_are_built_where_they_would_rule_out_too_little():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((9000, 64)) * 10 ** rng.uniform(-4, 4, (9000, 1))
    plan, reason = plan_of(X)
    assert plan is None
    assert "none 42.0" in reason
    assert plan_of(X, "full")[1] == "filter='full'"


def test_whole_numbers_of_a_small_range_are_coded_without_loss():
    X = np.random.default_rng(2).integers(3, 7, (1000, 20)).astype(np.float32)
    (code_map, mean, _), _ = plan_of(X, "full")
    codes = (X - mean) / code_map.step
    assert np.array_equal(codes, np.rint(codes))
    assert np.abs(codes).max() <= 127


def test_directions_are_orthonormal_and_span_what_varies_most():
    rng = np.random.default_rng(3)
    S = surface(rng, 2000, 150).astype(np.float32)
    P = rotated_directions(S - S.mean(axis=0), 127, rng)
    assert np.abs(P @ P.T - np.eye(127)).max() < 1e-5
    kept = np.square((S - S.mean(axis=0)) @ P[:63].T).sum() / np.square(S - S.mean(axis=0)).sum()
    assert kept > 0.99


def test_an_outlier_moves_neither_center_nor_scale():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((3000, 30))
    X[5] = 1e12
    _, mean, scale = draw_sample(X, rng)
    assert np.abs(mean).max() < 1
    assert 0.25 <= scale <= 2


def test_plans_do_not_depend_on_the_order_in_which_classes_come():
    rng = np.random.default_rng(5)
    X = np.repeat(np.eye(8, 100) * 50, 1200, axis=0) + rng.standard_normal((9600, 100))
    plans = [plan_of(rows)[0] for rows in (X, rng.permutation(X))]
    assert len({code_map.blocks > 0 for code_map, _, _ in plans}) == 1
