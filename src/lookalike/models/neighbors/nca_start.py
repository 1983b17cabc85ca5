"""The map with which neighborhood components analysis begins."""

from __future__ import annotations

import warnings

import numpy as np

from lookalike.data.targets import as_finite
from lookalike.errors import ParameterError, ShapeError
from lookalike.models.discriminant.lda import LinearDiscriminantAnalysis
from lookalike.models.linalg.eigenvectors import principal_axes
from lookalike.typing import Array, Rows

NCA_STARTS = ("auto", "pca", "lda", "identity", "random")


def first_map(
    init: object,
    n_components: int | None,
    rows: Array,
    label: Rows | None,
    random: np.random.RandomState,
) -> Array:
    """Return the map that `init` stands for, of shape (n_components, n_features).

    `label` is the number of the class of each row, None where rows have none.
    """
    n_features = rows.shape[1]
    if not isinstance(init, str):
        return _given(init, n_components, n_features)
    size = n_features if n_components is None else n_components
    if size > n_features:
        raise ShapeError(
            f"The preferred dimensionality of the projected space `n_components` ({size}) cannot "
            f"be greater than the given data dimensionality ({n_features}). Give fewer."
        )
    if init == "auto":
        init = _choice(size, rows, label)
    if init == "identity":
        return np.eye(size, n_features)
    if init == "random":
        return np.asarray(random.standard_normal((size, n_features)))
    if init == "lda":
        return _discriminants(size, rows, label)
    return principal_axes(rows.T @ rows, size)[1]


def first_weights(init: object, n_features: int) -> Array:
    """Return the diagonal map that `init` stands for: ones, or given weights."""
    if isinstance(init, str):
        if init not in ("auto", "identity"):
            raise ParameterError(
                f"init={init!r} is not a vector of weights, as diagonal=True learns. "
                "Give 'identity'."
            )
        return np.eye(n_features)
    weights = as_finite(init, "init", "Give finite weights.", error=ParameterError)
    if weights.shape != (n_features,):
        raise ShapeError(
            f"init has shape {weights.shape}, and X has {n_features} features. Give one weight a "
            "feature."
        )
    return np.diag(weights)


def _choice(size: int, rows: Array, label: Rows | None) -> str:
    n_rows, n_features = rows.shape
    n_classes = 0 if label is None else int(label.max()) + 1
    if size <= min(n_features, n_classes - 1) and n_rows > n_classes:
        return "lda"
    return "pca" if size < min(n_features, n_rows) else "identity"


def _discriminants(size: int, rows: Array, label: Rows | None) -> Array:
    if label is None or len(np.unique(label)) < 2:
        raise ParameterError("init='lda' needs classes, at least two. Give init='pca'.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of columns that depend on each other: it is a start
        model = LinearDiscriminantAnalysis(n_components=None).fit(rows, label)
    found = np.asarray(model.scalings_).T[:size]
    n_directions = min(len(np.unique(label)) - 1, rows.shape[1])
    if size > n_directions:
        raise ParameterError(
            f"init='lda' has {n_directions} directions, and n_components is {size}. Give "
            "init='pca', or fewer components."
        )
    if len(found) < size:  # the class means lie in fewer: the rest is where rows vary most
        inside = np.linalg.qr(found.T)[0]
        rest = rows - rows @ inside @ inside.T
        found = np.concatenate([found, principal_axes(rest.T @ rest, size - len(found))[1]])
    return np.ascontiguousarray(found)


def _given(init: object, n_components: int | None, n_features: int) -> Array:
    start = as_finite(init, "init", "Give a finite transformation.", error=ParameterError)
    if start.ndim != 2 or start.shape[1] != n_features:
        raise ShapeError(
            f"The input dimensionality ({n_features}) of the given linear transformation `init` "
            f"must match that of X, and init has shape {start.shape}. Give one row per component."
        )
    if start.shape[0] > start.shape[1]:
        raise ShapeError(
            f"The output dimensionality ({start.shape[0]}) of the given linear transformation "
            f"`init` cannot be greater than its input dimensionality ({start.shape[1]})."
        )
    if n_components is not None and n_components != start.shape[0]:
        raise ShapeError(
            f"The preferred dimensionality of the projected space `n_components` ({n_components}) "
            f"does not match the output dimensionality of the given linear transformation `init` "
            f"({start.shape[0]})."
        )
    return start
