"""Prior probabilities and costs of classes: in the order of the classes, or mappings by label."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from lookalike.data.targets import as_finite
from lookalike.errors import ParameterError, ShapeError
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice, shown


def as_priors(priors: object, classes: AnyArray, count: AnyArray, name: str = "priors") -> Array:
    """Return the prior of each class, which add up to one.

    Parameters
    ----------
    priors : None, "balanced", mapping or array
        None is the share of the rows, "balanced" the same for each class.
    classes, count : arrays of shape (n_classes,)
        The classes in sorted order, and the rows of each.
    name : str
        What errors call them.

    Examples
    --------
    >>> as_priors({"b": 3, "a": 1}, np.array(["a", "b"]), np.ones(2))
    array([0.25, 0.75])
    """
    if priors is None:
        return np.asarray(count / count.sum())
    if isinstance(priors, str):
        check_choice(name, priors, ("balanced",))
        return np.full(len(classes), 1 / len(classes))
    by_label = isinstance(priors, Mapping)
    values = _by_label(priors, classes.tolist(), name) if isinstance(priors, Mapping) else priors
    given = as_finite(values, name, "Give a number >= 0 for each class.", error=ParameterError)
    if given.shape != classes.shape:
        raise ShapeError(f"{name}={shown(priors)} for {len(classes)} classes. Give one for each.")
    if not np.all(given >= 0):
        raise ParameterError(f"{name} must be non-negative, and are {given.tolist()}.")
    total = given.sum()
    if total == 0:
        raise ParameterError(f"{name} are all zero. Give one class a probability.")
    if abs(total - 1) > 1e-5 and not by_label:
        warnings.warn(f"The {name} do not sum to 1. Renormalizing", UserWarning, stacklevel=4)
    return np.asarray(given / total)


def as_costs(cost: object, classes: AnyArray) -> Array | None:
    """Return the cost of predicting class j where i is true, (classes, classes).

    A mapping holds ``{(true, predicted): cost}`` or ``{true: {predicted: cost}}``; pairs that it
    does not name cost 1, and right predictions 0.

    Examples
    --------
    >>> as_costs({("ill", "well"): 10}, np.array(["ill", "well"]))
    array([[ 0., 10.],
           [ 1.,  0.]])
    """
    if cost is None:
        return None
    labels: list[object] = classes.tolist()
    if not isinstance(cost, Mapping):
        table = as_finite(cost, "cost", "Give finite costs.", error=ParameterError)
        if table.shape != (len(labels), len(labels)):
            raise ShapeError(
                f"cost has shape {table.shape}, there are {len(labels)} classes. "
                "Give a square table, or a mapping {(true, predicted): cost}."
            )
        return table
    table = 1.0 - np.eye(len(labels))
    for true, predicted, value in _pairs(cost):
        unknown = [label for label in (true, predicted) if label not in labels]
        if unknown:
            raise ParameterError(
                f"cost names {shown(unknown[0])}, which is not a class. The classes are {labels}."
            )
        table[labels.index(true), labels.index(predicted)] = as_finite(
            [value], "cost", "Give finite costs.", error=ParameterError
        )[0]
    return table


def _by_label(given: Mapping[object, object], labels: Sequence[object], name: str) -> list[object]:
    missing = [label for label in labels if label not in given]
    unknown = [label for label in given if label not in labels]
    if missing or unknown:
        raise ParameterError(
            f"{name} lacks the classes {missing} and has {unknown}, which are none. "
            f"Give a number for each of {list(labels)}."
        )
    return [given[label] for label in labels]


def _pairs(cost: Mapping[object, object]) -> Iterator[tuple[object, object, object]]:
    for key, value in cost.items():
        if isinstance(value, Mapping):
            for predicted, inner in value.items():
                yield key, predicted, inner
        elif isinstance(key, tuple) and len(key) == 2:
            yield *key, value
        else:
            raise ParameterError(
                f"cost holds {shown(key)}: {shown(value)}, which names no pair of classes. "
                "Give {(true, predicted): cost}."
            )
