"""Weight and mean of every class, and the scatter within all."""

from __future__ import annotations

import numpy as np
import pytest
from laws import gather

from lookalike.data.chunk import Chunk
from lookalike.errors import ParameterError, ShapeError
from lookalike.reductions.by_class import ClassCovariance
from lookalike.reductions.within_class_scatter import WithinClassScatter

rng = np.random.default_rng(0)
X, y = rng.normal(size=(90, 4)), rng.choice(["b", "a", "c"], 90)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_the_scatter_is_the_sum_of_those_of_the_classes(offset):
    rows = X + offset
    chunks = [Chunk(rows[:50], y[:50]), Chunk(rows[50:], y[50:])]
    result = WithinClassScatter().finalize(gather(WithinClassScatter(), chunks, 4))
    each = ClassCovariance().finalize(gather(ClassCovariance(), [Chunk(rows - offset, y)], 4))
    assert result.classes.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(result.mean - offset, each.mean, atol=2e-8 if offset else 1e-15)
    np.testing.assert_allclose(
        result.scatter, each.scatter.sum(axis=0), rtol=1e-6 if offset else 1e-12
    )


def test_float32_rows_keep_their_scatter_beside_an_offset():
    rows = (X + 1000).astype(np.float32)
    result = WithinClassScatter().finalize(gather(WithinClassScatter(), [Chunk(rows, y)], 4))
    exact = ClassCovariance().finalize(gather(ClassCovariance(), [Chunk(rows.astype(float), y)], 4))
    np.testing.assert_allclose(result.scatter, exact.scatter.sum(axis=0), rtol=1e-5, atol=1e-4)


def test_rows_without_labels_are_an_error():
    with pytest.raises(ShapeError, match="Give y"):
        WithinClassScatter().update(WithinClassScatter().init(1), Chunk(np.ones((2, 1))))


def test_too_many_classes_are_an_error_that_asks_for_numbers():
    reduction = WithinClassScatter(limit=3)
    with pytest.raises(ParameterError, match="more than 3 distinct labels"):
        reduction.update(reduction.init(1), Chunk(np.ones((5, 1)), np.arange(5)))
