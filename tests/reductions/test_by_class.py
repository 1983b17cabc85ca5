"""Weight, mean and scatter of the rows of every class."""

from __future__ import annotations

import numpy as np
import pytest
from laws import gather

from lookalike.data.chunk import Chunk
from lookalike.errors import ParameterError, ShapeError
from lookalike.reductions.by_class import ClassCovariance


def test_each_class_has_the_moments_of_its_own_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 4)), rng.choice(["b", "a", "c"], 90)
    reduction = ClassCovariance()
    result = reduction.finalize(
        gather(reduction, [Chunk(X[:50], y[:50]), Chunk(X[50:], y[50:])], 4)
    )
    assert result.classes.tolist() == ["a", "b", "c"]
    for number, label in enumerate(result.classes):
        own = X[y == label]
        assert result.count[number] == len(own)
        np.testing.assert_allclose(result.mean[number], own.mean(axis=0))
        np.testing.assert_allclose(result.scatter[number], np.cov(own.T, ddof=0) * len(own))


def test_a_class_that_appears_in_the_last_chunk_counts_as_any_other():
    reduction = ClassCovariance()
    chunks = [Chunk(np.ones((3, 1)), np.array([0, 0, 0])), Chunk(np.zeros((1, 1)), np.array([-5]))]
    result = reduction.finalize(gather(reduction, chunks, 1))
    assert result.classes.tolist() == [-5, 0]
    assert result.count.tolist() == [1.0, 3.0]


def test_rows_without_labels_are_an_error():
    with pytest.raises(ShapeError, match="Give y"):
        ClassCovariance().update({}, Chunk(np.ones((2, 1))))


def test_too_many_classes_are_an_error_that_asks_for_numbers():
    with pytest.raises(ParameterError, match="more than 3 distinct labels"):
        ClassCovariance(limit=3).update({}, Chunk(np.ones((5, 1)), np.arange(5)))
