"""The answer that looks at no column: the most frequent class, or the mean."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from lookalike.decisions import Decisions
from lookalike.models.base import Model
from lookalike.typing import AnyArray, Array


class Constant(Model):
    """What both share: the columns are counted and otherwise not looked at."""

    def __init__(self, *, engine: str = "auto", n_jobs: int | None = None) -> None:
        self.engine = engine
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        for told in (tags.classifier_tags, tags.regressor_tags):
            if told is not None:
                told.poor_score = True
        return tags

    def _n_rows(self, X: Any) -> int:
        check_is_fitted(self)
        return len(validate_data(self, X, reset=False, ensure_all_finite=False))


class ConstantClassifier(ClassifierMixin, Constant):  # type: ignore[misc]
    """Give every row the most frequent class, of several the first in sorted order.

    Examples
    --------
    >>> ConstantClassifier().fit([[0.0], [1.0], [2.0]], ["a", "b", "b"]).predict([[5.0]])
    array(['b'], dtype='<U1')
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Count the classes."""
        _, labels = validate_data(self, X, y, ensure_all_finite=False)
        check_classification_targets(labels)
        self.classes_, counts = np.unique(labels, return_counts=True)
        self.share_ = counts / counts.sum()
        self.decisions_ = Decisions()
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the most frequent class for every row."""
        n_rows = self._n_rows(X)
        answer: AnyArray = np.repeat(self.classes_[[self.share_.argmax()]], n_rows)
        return answer

    def predict_proba(self, X: Any) -> Array:
        """Return the shares of the classes for every row."""
        n_rows = self._n_rows(X)
        return np.tile(self.share_, (n_rows, 1))


class ConstantRegressor(RegressorMixin, Constant):  # type: ignore[misc]
    """Give every row the mean target.

    Examples
    --------
    >>> ConstantRegressor().fit([[0.0], [1.0]], [1.0, 3.0]).predict([[5.0]])
    array([2.])
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Take the mean."""
        _, target = validate_data(self, X, y, ensure_all_finite=False, y_numeric=True)
        self.mean_ = float(np.mean(target))
        self.decisions_ = Decisions()
        return self

    def predict(self, X: Any) -> Array:
        """Return the mean for every row."""
        n_rows = self._n_rows(X)
        return np.full(n_rows, self.mean_)
