"""The confidence interval of a share holds the equation of the source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.confidence import wilson
from lookalike.errors import ParameterError


@given(st.integers(1, 10_000), st.floats(0.0, 1.0), st.floats(0.01, 0.99))
def test_the_interval_contains_the_share_and_lies_between_0_and_1(n, share, confidence):
    low, high = wilson(share, n, confidence)
    assert 0.0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1.0


def test_the_ends_are_where_the_score_test_rejects():
    low, high = wilson(0.3, 50)
    for end in (low, high):  # |p - end| = z sqrt(end (1 - end) / n)
        assert abs(0.3 - end) == pytest.approx(1.959964 * (end * (1 - end) / 50) ** 0.5, rel=1e-6)


@pytest.mark.parametrize("confidence", [0.0, 1.0])
def test_a_certainty_is_no_interval(confidence):
    with pytest.raises(ParameterError, match="not an interval"):
        wilson(0.5, 10, confidence)
