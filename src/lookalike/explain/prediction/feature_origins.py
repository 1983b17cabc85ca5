"""The column of a table that each feature of a pipeline was made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.models.preprocessing.table import TablePreprocessor

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def feature_columns(model: BaseEstimator, width: int) -> list[str] | None:
    """Return the column of every feature that the last step of a pipeline compares.

    Features of which that is not known, such as components, have their own names. None if the
    model is not a pipeline.
    """
    if not hasattr(model, "steps") or len(model.steps) < 2:
        return None
    return feature_origins(model[:-1], width)[1]


def feature_origins(steps: Any, width: int) -> tuple[list[str], list[str]]:
    """Return the names of the features that steps make, and of the column that each is of."""
    try:
        names = [str(name) for name in steps.get_feature_names_out()]
    except (AttributeError, ValueError):
        names = []
    if len(names) != width:
        names = [f"x{column}" for column in range(width)]
    first = steps.steps[0][1] if getattr(steps, "steps", None) else None
    if not isinstance(first, TablePreprocessor) or len(steps.steps) > 1:
        return names, names
    origins = first.origins()
    return names, origins if len(origins) == width else names
