"""Results as dicts, lists, text, numbers and None: what JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def to_jsonable(value: object) -> Any:  # noqa: PLR0911 - a line for every kind
    """Return `value` without dataclasses, tuples and arrays; what is not finite becomes None.

    Fields of dataclasses whose metadata say ``json=False`` are left out.

    Examples
    --------
    >>> to_jsonable({"share": np.float64(0.5), "rows": np.arange(2), "end": (1, float("inf"))})
    {'share': 0.5, 'rows': [0, 1], 'end': [1, None]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        shown = [one for one in fields(value) if one.metadata.get("json", True)]
        return {one.name: to_jsonable(getattr(value, one.name)) for one in shown}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return to_jsonable(value._asdict())
    if isinstance(value, Mapping):
        return {_key(name): to_jsonable(entry) for name, entry in value.items()}
    if isinstance(value, np.ndarray):
        return to_jsonable(value.tolist())
    if isinstance(value, (list, tuple)):
        return [to_jsonable(entry) for entry in value]
    if isinstance(value, np.generic):
        return to_jsonable(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def _key(name: object) -> str:
    """Return a key as text; the parts of a tuple are separated by a blank."""
    return " ".join(map(str, name)) if isinstance(name, tuple) else str(name)
