"""The intrinsic dimension of a study, compared with that of independent columns."""

from __future__ import annotations

import numpy as np

from lookalike.decisions import Decisions
from lookalike.studies.analyze.structure import estimate_dimension


def test_the_dimension_of_many_independent_columns_is_that_of_shuffled_ones():
    rng = np.random.default_rng(0)
    found = estimate_dimension(rng.normal(size=(500, 30)), 0, Decisions())
    assert found.interval[1] < 30  # too low, as every estimate from so few rows is
    assert found.shuffled[0] < found.interval[1]
    line = rng.normal(size=(500, 1)) + 0.01 * rng.normal(size=(500, 30))
    found = estimate_dimension(line, 0, Decisions())
    assert found.interval[1] < found.shuffled[0]
