"""Classification by a linear function of each class: scores, and what probabilities they mean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import log_softmax, softmax

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.kernels.native_arrays import as_dense
from lookalike.kernels.transform import map_rows
from lookalike.models.estimator import Model
from lookalike.typing import AnyArray, Array

OVERFLOW_SCALE = 2.0**-600  # brings rows whose scores leave the range of float64 back into it
OVERFLOW_SCORE = 2.0**1000  # scores of such rows: no two that differ come near each other


class LinearScores(Model):
    r"""Predicts from :math:`w_c^\top (x - \bar x) + b_c`; a row gives the same bits in any batch.

    Subclasses set the functions (`_coef`, `_intercept`), of two classes that of the second.
    """

    classes_: AnyArray
    xbar_: Array
    _coef: Array
    _intercept: Array

    def decision_function(self, X: object) -> AnyArray:
        """Return the linear function of every class; with two classes, that of the second."""
        return self._map_scores(lambda scores: scores, X)

    def predict(self, X: object) -> AnyArray:
        """Return the most probable class of every row."""
        return self._map_scores(self._most_probable, X)

    def predict_proba(self, X: object) -> AnyArray:
        """Return the probability of every class, in the order of `classes_`."""
        return self._map_scores(lambda scores: softmax(_both(scores), axis=1), X)

    def predict_log_proba(self, X: object) -> AnyArray:
        """Return the logarithm of the probabilities."""
        return self._map_scores(lambda scores: log_softmax(_both(scores), axis=1), X)

    def _map_scores(self, function: Callable[[Array], AnyArray], X: object) -> AnyArray:
        """Return `function` of the scores of the rows of `X`, chunk by chunk."""

        def of_chunk(columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
            scores = self._products(columns, chunk, self._coef.T) + self._intercept
            beyond = np.flatnonzero(~np.isfinite(scores).all(axis=1) & self._possible(scores))
            if len(beyond):
                scores[beyond] = self._scores_beyond(chunk.X[beyond])
            return function(scores[:, 0] if len(self.classes_) == 2 else scores)

        return self._map_chunks(of_chunk, X)

    def _possible(self, scores: Array) -> AnyArray:
        """Return which rows have a score that overflowed: one of -inf may be a prior of zero."""
        overflowed = ~np.isfinite(scores) & np.isfinite(self._intercept)
        return np.asarray(overflowed.any(axis=1))

    def _scores_beyond(self, X: AnyArray) -> Array:
        """Return finite scores, in order, of rows so far off that float64 cannot hold theirs."""
        rows = as_dense(X)
        scores = map_rows(rows * OVERFLOW_SCALE, self._coef, self.xbar_ * OVERFLOW_SCALE)
        return scores_in_range(scores, self._intercept)

    def _products(self, columns: tuple[Column, ...], chunk: Chunk, directions: Array) -> Array:
        """Return the products of the rows, less the overall mean, with the directions."""
        require_finite(chunk.X, chunk.offset, columns)
        if isinstance(chunk.X, np.ndarray):
            return map_rows(chunk.X, directions.T, self.xbar_, threads=1)
        return np.asarray(chunk.X @ directions - self.xbar_ @ directions)

    def _most_probable(self, scores: Array) -> AnyArray:
        return np.asarray(self.classes_[_both(scores).argmax(axis=1)])


def linear_function(model: LinearScores) -> tuple[Array, Array, Array]:
    """Return coefficients, constants and center of the functions of a fitted model, in float64."""
    return model._coef, model._intercept, model.xbar_


def scores_in_range(scores: Array, constant: Array) -> Array:
    """Return scores, known but for a factor, of rows so far off that float64 cannot hold theirs.

    They are finite and in order; a class whose `constant` is infinite has no probability.
    """
    largest = np.abs(scores).max(axis=1, keepdims=True)
    scores = scores / np.where(largest > 0, largest, 1.0) * OVERFLOW_SCORE
    scores[:, ~np.isfinite(constant)] = -np.inf
    return scores


def _both(scores: Array) -> Array:
    """Return a score for each class, where two classes have but one."""
    return np.column_stack([np.zeros_like(scores), scores]) if scores.ndim == 1 else scores
