"""Checks of parameters, each with an error that says what would do."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from numbers import Real
from pathlib import Path
from typing import Any

from lookalike.errors import ParameterError, ParameterTypeError


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Raise unless `value` is one of `choices`."""
    if not any(value == choice and type(value) is type(choice) for choice in choices):
        listed = ", ".join(map(repr, choices))
        raise ParameterError(f"{name}={value!r} is not known. Choose one of {listed}.")


def check_path(name: str, value: object) -> Path:
    """Return `value` as a path, or raise unless it is a text or a path."""
    if not isinstance(value, (str, os.PathLike)):
        raise ParameterTypeError(f"{name}={value!r:.80} is no path. Give a text or a Path.")
    return Path(os.fsdecode(value))


def check_int(name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """Return `value` as an int, or raise unless it is a whole number from `least` to `most`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise ParameterTypeError(f"{name}={value!r} is not a whole number. Give one >= {least}.")
    if value < least or (most is not None and value > most):
        bounds = f">= {least}" if most is None else f"from {least} to {most}"
        raise ParameterError(f"{name}={value} is out of range. Give a whole number {bounds}.")
    return int(value)


def check_float(
    name: str, value: object, *, least: float, most: float = math.inf, infinite: bool = False
) -> float:
    """Return `value` as a float, or raise unless it is a number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ParameterTypeError(f"{name}={value!r} is not a number. Give one >= {least:g}.")
    number = float(value)
    if not least <= number <= most or (math.isinf(number) and not infinite):
        bounds = f">= {least:g}" if math.isinf(most) else f"from {least:g} to {most:g}"
        raise ParameterError(f"{name}={value} is out of range. Give a finite number {bounds}.")
    return number
