"""Fourth moments around known centers."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.data.chunk import Chunk
from lookalike.errors import ShapeError
from lookalike.reductions.fourth_moments import FourthMoments


def test_the_sums_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), np.arange(30) % 2
    center, scale = rng.normal(size=(3, 3)), rng.uniform(1, 2, (3, 3))
    reduction = FourthMoments(np.array([0, 1]), center, scale)
    result = reduction.update(reduction.init(3), Chunk(X, y=y))
    for number, rows in enumerate((X[y == 0], X[y == 1], X)):
        length = (((rows - center[number]) / scale[number]) ** 2).sum(axis=1)
        assert result[number] == pytest.approx((length**2).sum())


def test_rows_without_labels_are_an_error():
    reduction = FourthMoments(np.array([0]), np.zeros((2, 1)), np.ones((2, 1)))
    with pytest.raises(ShapeError, match="Give y"):
        reduction.update(reduction.init(1), Chunk(np.ones((2, 1))))
