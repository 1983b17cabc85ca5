"""Training rows and targets of a fitted model by neighbors, also of scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.typing import AnyArray, Array


def training_rows(model: object) -> Any:
    """Return the rows that a model compares with queries; None where it keeps none in memory."""
    space = getattr(model, "space_", None)
    return getattr(model, "_fit_X", None) if space is None else space.rows


def training_weight(model: object) -> Array | None:
    """Return the weight of every training row; None where each counts once."""
    space = getattr(model, "space_", None)
    return None if space is None else space.weight


def training_targets(model: object) -> AnyArray | None:
    """Return the codes of classes or the numbers of the training rows; None where it has none."""
    for name in ("targets_", "_targets", "_y"):  # of neighbors, of trees, of scikit-learn
        held = getattr(model, name, None)
        if held is not None:
            return np.asarray(getattr(held, "codes", getattr(held, "values", held)))
    return None


def column_codes(model: object) -> object:
    """Return the codes of categories that a model compares as they are; None where it has none."""
    return getattr(getattr(model, "space_", None), "codes", None)


def compared_queries(model: object, X: object) -> object:
    """Return queries as a model compares them; those of a model without a space as they are."""
    space = getattr(model, "space_", None)
    return X if space is None else model._queries(X)[0]  # type: ignore[attr-defined]
