"""Checks of parameters, each with an error that says what would do."""

from __future__ import annotations

import inspect
import math
import operator
import os
import re
import reprlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, SupportsFloat, TypeGuard, TypeVar

import numpy as np

from lookalike.errors import ParameterError, ParameterTypeError, ShapeError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

LARGEST_INTEGER = 2**63 - 1  # whole number that arrays and the native core hold
MAX_SHOWN_CHARACTERS = 60  # characters of a value that a message shows


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Raise unless `value` is one of `choices`."""
    for choice in choices:
        if isinstance(value, type(choice)) and not isinstance(value, bool) and value == choice:
            return
        if value is choice:
            return
    listed = ", ".join(map(repr, choices))
    raise ParameterError(f"{name}={shown(value)} is not known. Choose one of {listed}.")


def check_int(name: str, value: object, *, least: int, most: int = LARGEST_INTEGER) -> int:
    """Return `value` as an int, or raise unless it is a whole number from `least` to `most`."""
    if type(value) is int and least <= value <= most:
        return value
    if not is_int(value):
        raise ParameterTypeError(
            f"{name}={shown(value)} is not a whole number. Give one >= {least}."
        )
    number = operator.index(value)
    if not least <= number <= most:
        bounds = f">= {least}" if most == LARGEST_INTEGER >= number else f"from {least} to {most}"
        raise ParameterError(
            f"{name}={shown(number)} is out of range. Give a whole number {bounds}."
        )
    return number


def check_float(
    name: str, value: object, *, least: float, most: float = math.inf, infinite: bool = False
) -> float:
    """Return `value` as a float, or raise unless it is a number from `least` to `most`."""
    if not is_float(value):
        raise ParameterTypeError(f"{name}={shown(value)} is not a number. Give one >= {least:g}.")
    number = float(value)
    if not least <= number <= most or (math.isinf(number) and not infinite):
        bounds = f">= {least:g}" if math.isinf(most) else f"from {least:g} to {most:g}"
        raise ParameterError(
            f"{name}={shown(value)} is out of range. Give a finite number {bounds}."
        )
    return number


def check_random_state(random_state: object) -> np.random.RandomState:
    """Return the generator that `random_state` names, as scikit-learn does, or raise."""
    from sklearn.utils import check_random_state as generator_of

    try:
        if isinstance(random_state, bool):
            raise ValueError
        generator: np.random.RandomState = generator_of(random_state)
    except (ValueError, TypeError):
        raise ParameterError(
            f"random_state={shown(random_state)} cannot be a random seed. Give None, a whole "
            "number from 0 to 2**32 - 1, or a RandomState."
        ) from None
    return generator


def check_kind(name: str, value: object, *kinds: type[object]) -> None:
    """Raise unless `value` is an instance of one of the classes."""
    if not isinstance(value, kinds):
        wanted = " or ".join("None" if kind is type(None) else kind.__name__ for kind in kinds)
        raise ParameterTypeError(f"{name}={shown(value)} is no {wanted}. Give another {name}.")


def check_path(name: str, value: object) -> Path:
    """Return `value` as a path, or raise unless it is text or a path."""
    if not isinstance(value, (str, os.PathLike)) or isinstance(os.fspath(value), bytes):
        raise ParameterTypeError(f"{name}={shown(value)} is not a path. Give text or a Path.")
    return Path(value)


def finite_float(text: str) -> float:
    """Return the number that `text` is, or raise a ValueError where it is too large.

    Examples
    --------
    >>> finite_float("1e3")
    1000.0
    """
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text[:20]} is too large for a number")
    return value


def check_pair(name: str, value: object, wanted: str) -> tuple[Any, Any]:
    """Return the two parts of `value`, or raise unless it is a tuple or list of two."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ParameterTypeError(f"{name}={shown(value)} is not a pair. Give {wanted}.")
    return value[0], value[1]


def check_sequence(name: str, value: object, wanted: str) -> list[Any]:
    """Return the items of `value`, or raise unless it is a list, tuple or array of several."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise ParameterTypeError(f"{name}={shown(value)} is not a sequence. Give {wanted}.")
    try:
        return list(value)
    except TypeError:  # an array without axes
        raise ParameterTypeError(
            f"{name}={shown(value)} is not a sequence. Give {wanted}."
        ) from None


def is_function(value: object) -> TypeGuard[Callable[..., Any]]:
    """Return whether `value` can be called and is not a class."""
    return callable(value) and not isinstance(value, type)


def is_int(value: object) -> TypeGuard[int]:
    """Return whether `value` is a whole number: no bool, and no float such as 2.0."""
    if isinstance(value, (bool, np.bool_, type)):
        return False
    try:
        operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def is_float(value: object) -> TypeGuard[SupportsFloat]:
    """Return whether `value` is a number that float64 can hold, at least nearly: no bool.

    Fractions are not: NumPy computes nothing with them.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


# Words of annotations: which values they allow, and how an error describes them.
_TYPE_CHECKS: dict[str, tuple[Callable[[object], bool], str]] = {
    "None": (lambda value: value is None, "None"),
    "bool": (lambda value: isinstance(value, (bool, np.bool_)), "True or False"),
    "int": (is_int, "a whole number"),
    "float": (is_float, "a number"),
    "str": (lambda value: isinstance(value, str), "text"),
    "Mapping": (lambda value: isinstance(value, Mapping), "a mapping"),
}


def check_types(function: Callable[..., object], values: Mapping[str, object]) -> None:
    """Raise unless `values` are of the types that the signature of `function` gives them.

    Parameters of other types than numbers, text, booleans, mappings and None are not looked at,
    nor numbers in the place of text: whoever reads it lists what it may be.
    """
    for name, words in _annotate(function).items():
        if {*words} <= {"str", "None"} and isinstance(values.get(name), (int, float, type(None))):
            continue
        if name in values and not any(_TYPE_CHECKS[word][0](values[name]) for word in words):
            described = [word for word in words if word != "int" or "float" not in words]
            wanted = " or ".join(_TYPE_CHECKS[word][1] for word in described)
            raise ParameterTypeError(
                f"{name}={shown(values[name])} is not {wanted}. Give another {name}."
            )


def has_checked_types(function: Callable[..., object]) -> bool:
    """Return whether :func:`check_types` looks at any parameter of `function`."""
    return bool(_annotate(function))


def typed(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Return `function`, which then checks its arguments by :func:`check_types`."""
    parameters = inspect.signature(function).parameters.values()
    names = [
        parameter.name
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]

    @wraps(function)
    def checked(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        check_types(function, {**dict(zip(names, args, strict=False)), **kwargs})
        return function(*args, **kwargs)

    return checked


@lru_cache(maxsize=256)
def _annotate(function: Callable[..., object]) -> dict[str, list[str]]:
    """Return the words of each annotation that has none but those of `_TYPES`."""
    known = {}
    for name, parameter in inspect.signature(function).parameters.items():
        words = _words(str(parameter.annotation))
        if all(word in _TYPE_CHECKS for word in words):
            known[name] = words
    return known


def _words(annotation: str) -> list[str]:
    """Return the types of a union, without what is in brackets.

    >>> _words("Mapping[str, int | None] | None")
    ['Mapping', 'None']
    """
    while "[" in annotation and (shorter := re.sub(r"\[[^\[\]]*\]", "", annotation)) != annotation:
        annotation = shorter
    return [word.strip() for word in annotation.split("|")]


def few(values: Iterable[object], most: int = 10, text: Callable[[object], str] = repr) -> str:
    """Return the first values as a message lists them, and how many others there are.

    >>> few(["age", "town", "ill"], 2), few([1, 2])
    ("'age', 'town' … and 1 more", '1, 2')
    """
    shown_values = list(values)
    first = ", ".join(map(text, shown_values[:most]))
    return first if len(shown_values) <= most else f"{first} … and {len(shown_values) - most} more"


def once_each(pairs: Sequence[tuple[str, Result]]) -> dict[str, Result]:
    """Return the entries of a JSON object, or raise a ValueError where a key comes twice."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise ValueError(f"{shown(twice)} comes twice")
    return entries


def shown(value: object) -> str:
    """Return `value` as a message shows it: in one line, and not too long.

    >>> shown("a" * 100)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaaaaaaaaaaaaa'"
    """
    value = value.item() if isinstance(value, np.generic) else value
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = MAX_SHOWN_CHARACTERS
    return " ".join(short.repr(value).split())


def require_sparse_places(X: Any, name: str = "X") -> None:
    """Raise where row or column numbers of a sparse matrix lead out of it.

    SciPy trusts them: a matrix whose arrays were changed by hand would end the process.
    """
    shape = tuple(X.shape)
    if len(shape) != 2:
        raise ShapeError(f"{name} is a sparse array of shape {shape}. Give rows and columns.")
    numbers = []  # and of how many rows or columns they are
    if X.format in ("csr", "csc", "bsr"):
        n_starts, n_places = shape if X.format != "csc" else shape[::-1]
        if X.format == "bsr":
            n_starts, n_places = n_starts // X.blocksize[0], n_places // X.blocksize[1]
        start, numbers = X.indptr, [(X.indices, n_places)]
        fits = (
            len(start) == n_starts + 1 and start[0] == 0 and bool((start[1:] >= start[:-1]).all())
        )
        fits = fits and start[-1] <= len(X.indices) == len(X.data)
    elif X.format == "coo":
        numbers = [(X.row, shape[0]), (X.col, shape[1])]
        fits = len(X.row) == len(X.col) == len(X.data)
    else:
        return
    if not fits or any(len(at) and not 0 <= at.min() <= at.max() < n for at, n in numbers):
        raise ShapeError(
            f"{name} is a sparse matrix with row or column numbers outside of its "
            f"{shape[0]:,} x {shape[1]:,} cells. Build it again from its values."
        )
