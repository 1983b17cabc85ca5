"""The number of components, chosen by the cross-validated score of the model that follows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.base import is_classifier

from lookalike.errors import ParameterError
from lookalike.models.cross_validation import checked_folds, checked_scorer
from lookalike.models.decomposition.pca import PCA
from lookalike.models.estimator import cloned
from lookalike.models.inputs import as_rows
from lookalike.models.labels import as_labels
from lookalike.models.targets import read_numbers
from lookalike.progress import progress
from lookalike.typing import Array, Rows
from lookalike.validation import check_int, typed


class ComponentScores(NamedTuple):
    """Cross-validated scores with 1, 2, … components, and what other rules keep."""

    components: Rows  # (ms,), from 1
    score: Array  # (ms,), mean over the folds
    standard_error: Array  # (ms,)
    choices: dict[str, int]  # PCA.choices_ of all rows, and "downstream"

    @property
    def best(self) -> int:
        """The number of the largest score, of equal ones the fewest."""
        return int(self.components[self.score.argmax()])

    @property
    def simplest(self) -> int:
        """The fewest that score within one standard error of the best."""
        top = int(self.score.argmax())
        return int(self.components[(self.score >= self.score[top] - self.standard_error[top])][0])


@typed
def choose_components(
    X: object,
    y: object,
    model: object,
    *,
    max_components: int = 50,
    cv: object = 5,
    scoring: object = None,
) -> ComponentScores:
    """Cross-validate `model` behind a PCA of every number of components.

    "Choose the number by the validation error of what follows" [Barber, 15.2.4; LUMS]: the
    variance kept says nothing of what is target. Each fold is decomposed once, and its scores in
    M components are the first M columns of those in all.

    Parameters
    ----------
    X : table of numbers
        The rows.
    y : array of shape (n_rows,)
        What `model` predicts.
    model : estimator
        A classifier or regressor of scikit-learn's kind. It is cloned, never fitted itself.
    max_components : int, default=50
        Largest number tried; at most the columns, and the rows of a fold less one.
    cv, scoring
        As in scikit-learn's ``cross_val_score``.

    Examples
    --------
    >>> from lookalike import KNeighborsClassifier
    >>> from sklearn.datasets import load_iris
    >>> scores = choose_components(*load_iris(return_X_y=True), KNeighborsClassifier(5))
    >>> scores.best, scores.choices["knee"], scores.choices["downstream"]
    (3, 1, 3)
    """
    check_int("max_components", max_components, least=1)
    cloned(model, "model")
    rows = as_rows(X)
    target = as_labels(y) if is_classifier(model) else read_numbers(y)[0].squeeze()
    if len(rows) != len(target):
        raise ParameterError(f"X has {len(rows)} rows, y {len(target)}. Give one y per row.")
    folds, score = checked_folds(cv, rows, target, model), checked_scorer(model, scoring)
    most = min(max_components, rows.shape[1], min(len(train) for train, _ in folds) - 1)
    scores = np.empty((len(folds), most))
    with progress("models", scores.size) as advance:
        for fold, (train, test) in enumerate(folds):
            pca = PCA(most).fit(rows[train])
            Z_train, Z_test = pca.transform(rows[train]), pca.transform(rows[test])
            for m in range(1, most + 1):
                fitted = cloned(model, "model").fit(Z_train[:, :m], target[train])
                scores[fold, m - 1] = score(fitted, Z_test[:, :m], target[test])
                advance(1)
    mean = scores.mean(axis=0)
    spread = scores.std(axis=0, ddof=1) / np.sqrt(len(folds))
    choices = {**PCA().fit(rows).choices_, "downstream": int(mean.argmax()) + 1}
    return ComponentScores(np.arange(1, most + 1), mean, spread, choices)
