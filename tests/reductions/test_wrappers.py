"""Reductions built from another one."""

from __future__ import annotations

import numpy as np
import pytest
from laws import assert_close, gather

from lookalike.data.chunk import Chunk, Column
from lookalike.errors import MissingValueError, ShapeError
from lookalike.reductions.columns import Columns
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.wrappers import (
    AgainstColumn,
    Checked,
    Grouped,
    OfTarget,
    StateOf,
    WithRowCount,
)

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(20, 3)), rng.normal(size=20)


def result(reduction, chunk):
    return reduction.finalize(gather(reduction, [chunk], chunk.X.shape[1]))


def test_a_value_that_is_not_finite_is_named_with_its_row_and_column():
    bad = X.copy()
    bad[4, 1] = np.nan
    columns = [Column("a"), Column("b"), Column("c")]
    with pytest.raises(MissingValueError, match="NaN at row 104, column 'b'"):
        result(Checked(Columns(), columns), Chunk(bad, offset=100))
    assert_close(
        result(Checked(Columns(), allow_nan=True), Chunk(bad)), result(Columns(), Chunk(bad))
    )


def test_a_state_that_is_the_result_takes_more_rows_later():
    first, rest = (result(StateOf(Covariance()), Chunk(part)) for part in (X[:8], X[8:]))
    joined = Covariance().finalize(Covariance().merge(first, rest))
    assert_close(joined, result(Covariance(), Chunk(X)))


def test_rows_with_a_weight_above_zero_are_counted():
    weight = np.array([0.5] * 15 + [0.0] * 5)
    assert result(WithRowCount(Columns()), Chunk(X, weight=weight)).rows == 15


def test_groups_are_taken_by_row_number_wherever_a_chunk_starts():
    groups = result(Grouped(Covariance(), 3), Chunk(X, offset=7))
    for group, state in enumerate(groups):
        own = X[(np.arange(20) + 7) % 3 == group]
        assert state.count == len(own)
        np.testing.assert_allclose(state.mean, own.mean(axis=0))


def test_rows_without_a_target_are_an_error():
    with pytest.raises(ShapeError, match="The rows have no target"):
        result(OfTarget(Columns()), Chunk(X))
    assert result(OfTarget(Columns()), Chunk(X, y=Y)).mean[0] == pytest.approx(Y.mean())


def test_rows_that_lack_the_column_are_left_out():
    gaps = X.copy()
    gaps[:5, 1] = np.nan
    assert result(AgainstColumn(Columns(), 1), Chunk(gaps)).count.tolist() == [15, 15, 15]
