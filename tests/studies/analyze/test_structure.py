"""The intrinsic dimension of a study, compared with that of independent columns."""

from __future__ import annotations

import numpy as np

from lookalike.decisions import Decisions
from lookalike.studies.analyze.structure import estimate_dimension, spectrum_of


def test_the_dimension_of_many_independent_columns_is_that_of_shuffled_ones():
    rng = np.random.default_rng(0)
    found = estimate_dimension(rng.normal(size=(500, 30)), 0, Decisions())
    assert found.interval[1] < 30  # too low, as every estimate from so few rows is
    assert found.shuffled[0] < found.interval[1]
    line = rng.normal(size=(500, 1)) + 0.01 * rng.normal(size=(500, 30))
    found = estimate_dimension(line, 0, Decisions())
    assert found.interval[1] < found.shuffled[0]


def test_every_rule_chooses_components_of_few_columns_and_of_many_those_that_draw_nothing():
    rng = np.random.default_rng(0)
    few, many = (spectrum_of(rng.normal(size=(150, width)), 0)[0] for width in (8, 101))
    quick = {"0.8", "0.9", "0.95", "0.99", "knee"}
    assert set(few.n_components_by_rule) >= {*quick, "parallel", "mle"}
    assert set(many.n_components_by_rule) == quick
