"""Straight answers: a weighted sum of the columns, drawn towards zero as far as suits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV, RidgeCV
from sklearn.utils.validation import check_is_fitted, validate_data

from lookalike.decisions import Decisions
from lookalike.models.base import Model
from lookalike.models.parameters import one_of, real
from lookalike.typing import AnyArray, Array

ALPHAS = tuple(float(10.0**power) for power in range(-3, 6))
LOSSES = ("squares", "logistic")
ROUNDS = 200  # of the search for the logistic loss


class Linear(Model):
    """What both share: coefficients found by scikit-learn, kept as plain arrays."""

    alphas: Sequence[float]
    coef_: Array
    intercept_: Array

    def _scores(self, X: Any) -> Array:
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        scores: Array = rows @ self.coef_.T + self.intercept_
        return scores

    def _strengths(self) -> list[float]:
        return [real("alphas", alpha, least=0.0) for alpha in self.alphas]

    def _settle(self, found: Any) -> None:
        self.coef_, self.intercept_ = found.coef_, found.intercept_
        self.decisions_ = Decisions()


class LinearRegressor(RegressorMixin, Linear):  # type: ignore[misc]
    r"""Answer a weighted sum of the columns, by ridge regression.

    .. math:: \min_w \sum_n (y_n - w^\top x_n)^2 + \alpha \|w\|^2

    :math:`\alpha` is the one of least leave-one-out error, which has a closed form; the work is
    scikit-learn's ``RidgeCV``.

    Parameters
    ----------
    alphas : sequence of float
        The strengths tried.
    engine, n_jobs
        The rows are held in memory.

    Attributes
    ----------
    coef_, intercept_ : ndarray, float
        The weights.
    alpha_ : float
        The strength chosen.

    Examples
    --------
    >>> LinearRegressor().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).predict([[3.0]]).round(2)
    array([7.])
    """

    def __init__(
        self,
        *,
        alphas: Sequence[float] = ALPHAS,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.alphas = alphas
        self.engine = engine
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Find the weights."""
        one_of("engine", self.engine, ("auto", "memory"))
        rows, target = validate_data(self, X, y, dtype=[np.float64, np.float32], y_numeric=True)
        found = RidgeCV(self._strengths()).fit(rows, target)
        self._settle(found)
        self.alpha_ = float(found.alpha_)
        self.decisions_.add("alpha", f"{self.alpha_:g}", "least leave-one-out error")
        return self

    def predict(self, X: Any) -> Array:
        """Return the weighted sum of every row."""
        return self._scores(X)


class LinearClassifier(ClassifierMixin, Linear):  # type: ignore[misc]
    r"""Give a row the class whose weighted sum of the columns is largest.

    With ``loss="squares"`` each class against the others is fitted by ridge regression to -1 and
    1, with the strength of least leave-one-out error, which has a closed form (scikit-learn's
    ``RidgeClassifierCV``). With ``loss="logistic"``
    :math:`p(c | x) \propto e^{w_c^\top x}` is most probable, under a penalty of
    :math:`\frac12 \|w\|^2` times the first of `alphas` (scikit-learn's ``LogisticRegression``).

    Parameters
    ----------
    loss : {"squares", "logistic"}, default="squares"
        What is made small.
    alphas : sequence of float
        The strengths tried.
    engine, n_jobs
        The rows are held in memory.

    Attributes
    ----------
    classes_ : ndarray
        The labels in sorted order.
    coef_, intercept_ : ndarray
        The weights of every class, or of the second where there are two.
    alpha_ : float
        The strength used.

    Examples
    --------
    >>> LinearClassifier().fit([[0.0], [1.0], [4.0], [5.0]], list("aabb")).predict([[4.5]])
    array(['b'], dtype='<U1')
    """

    def __init__(
        self,
        loss: str = "squares",
        *,
        alphas: Sequence[float] = ALPHAS,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.alphas = alphas
        self.engine = engine
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Find the weights of every class."""
        one_of("loss", self.loss, LOSSES)
        one_of("engine", self.engine, ("auto", "memory"))
        strengths = self._strengths()
        rows, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        if self.loss == "squares":
            found = RidgeClassifierCV(strengths).fit(rows, labels)
            self.alpha_ = float(found.alpha_)
        else:
            self.alpha_ = strengths[0]
            found = LogisticRegression(C=1 / strengths[0], max_iter=ROUNDS).fit(rows, labels)
        self._settle(found)
        self.coef_ = np.atleast_2d(self.coef_)
        self.intercept_ = np.atleast_1d(self.intercept_)
        self.classes_ = found.classes_
        reason = "least leave-one-out error" if self.loss == "squares" else "the first given"
        self.decisions_.add("alpha", f"{self.alpha_:g}", reason)
        return self

    def decision_function(self, X: Any) -> Array:
        """Return the weighted sums, (rows,) for two classes."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> AnyArray:
        """Return the class of every row."""
        scores = self._scores(X)
        place = (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
        answer: AnyArray = self.classes_[place]
        return answer

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of every class: of ``"squares"`` only a guide."""
        scores = self._scores(X)
        if scores.shape[1] == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores[:, 0]])
        share: Array = softmax(scores, axis=1)
        return share
