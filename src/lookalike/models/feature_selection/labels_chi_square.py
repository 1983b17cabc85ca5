"""The chi-square of columns and several labels a row, each label a column of 0 and 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import special

from lookalike.data.checks import require_finite
from lookalike.data.source import open_features
from lookalike.errors import ParameterError, ShapeError
from lookalike.models.feature_selection.univariate_formulas import FilterScores
from lookalike.typing import AnyArray, Array


def indicator_of_labels(y: Any) -> AnyArray | None:
    """Return a target of several columns of 0 and 1 as an array; None for any other target."""
    if sp.issparse(y):
        y = y.toarray()
    if not isinstance(y, (list, tuple)) and not hasattr(y, "shape"):
        return None
    try:
        labels = np.asarray(y)
    except ValueError:  # rows of unequal length
        return None
    several = labels.ndim == 2 and labels.shape[1] > 1 and labels.dtype.kind in "biuf"
    return labels if several and np.isin(labels, (0, 1)).all() else None


def chi_square_of_labels(
    X: object, labels: AnyArray, task: str, options: Mapping[str, object]
) -> FilterScores:
    r"""Return the chi-square of each column and the labels, and its p-value, as scikit-learn does.

    The column is expected to be shared among the labels as the rows are.

    Examples
    --------
    >>> labels = np.array([[1, 0], [1, 1], [0, 1]])
    >>> chi_square_of_labels([[9.0, 1.0], [0.0, 1.0], [0.0, 1.0]], labels, "classification", {})[0]
    array([7.5, 0. ])
    """
    if options or task != "classification":
        raise ParameterError(
            "y has a column for each label, and chi2 then takes no other parameter. Leave them "
            "out, or give one label for each row."
        )
    source = open_features(X)
    if source.n_rows not in (None, len(labels)):
        raise ShapeError(
            f"y holds {len(labels)} rows, X has {source.n_rows}. Give one row of labels for each."
        )
    observed: Array = np.zeros((labels.shape[1], source.n_features))
    total, n_rows = np.zeros(source.n_features), 0
    for chunk in source.chunks():
        require_finite(chunk.X, chunk.offset, source.columns)
        size = chunk.X.shape[0]
        if chunk.X.min() < 0:
            raise ParameterError("Negative values in data passed to chi2. Shift the column.")
        here = labels[n_rows : n_rows + size].astype(np.float64)
        observed += np.asarray((chunk.X.T @ here).T)
        total += np.asarray(chunk.X.sum(axis=0)).ravel()
        n_rows += size
    expected = np.outer(labels.mean(axis=0), total)
    share = np.divide(
        (observed - expected) ** 2, expected, out=np.zeros_like(observed), where=expected > 0
    )
    scores = share.sum(axis=0)
    return scores, special.chdtrc(labels.shape[1] - 1, scores)
