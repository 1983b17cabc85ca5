"""Plain data as objects: only what `lookalike.store.encode` writes, only known classes, no code.

The first key of a dictionary names its kind: `tuple`, `set`, `frozenset`, `dict`, `slice`,
`float`, `dtype`, `type`, `array`, `scalar`, `values`, `sparse`, `frame` or `object`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lookalike.errors import ModelFileError
from lookalike.store.checks import checked_state
from lookalike.store.known import KNOWN_CLASSES, MAX_OBJECT_DEPTH, RAW_DTYPES, Known
from lookalike.store.older_scaler import OLDER_SCALER, present_scaler
from lookalike.store.renamed import (
    DICTIONARY_RECORDS,
    TUPLE_RECORDS,
    present_attributes,
    present_name,
    present_state,
)
from lookalike.store.tables import decode_frame, decode_sparse
from lookalike.typing import AnyArray

Inner = Callable[[Any], Any]
MOST_LETTER = 0x10FFFF


class Decoder:
    """Turns plain data into objects; refuses what `Encoder` does not write."""

    def __init__(self, arrays: Mapping[str, AnyArray]) -> None:
        self._arrays = arrays

    def decode(self, stored: object, depth: int = 0) -> object:
        """Return the object that `stored` describes."""
        if depth > MAX_OBJECT_DEPTH:
            raise ModelFileError("objects lie too deep")
        if isinstance(stored, list):
            return [self.decode(part, depth + 1) for part in stored]
        if not isinstance(stored, dict):
            return stored
        what = next(iter(stored), "nothing")
        read = getattr(self, f"_{what}", None) if what in _VALUE_TAGS else None
        if read is None:
            raise ModelFileError(f"it holds {what!r}, which is not known")
        return read(stored, lambda part: self.decode(part, depth + 1))

    def _tuple(self, stored: Any, inner: Inner) -> tuple[object, ...]:
        return tuple(inner(_list(stored["tuple"])))

    def _set(self, stored: Any, inner: Inner) -> set[object]:
        return set(inner(_list(stored["set"])))

    def _frozenset(self, stored: Any, inner: Inner) -> frozenset[object]:
        return frozenset(inner(_list(stored["frozenset"])))

    def _dict(self, stored: Any, inner: Inner) -> dict[object, object]:
        pairs = _list(stored["dict"])
        made = {inner(key): inner(value) for key, value in pairs}
        if len(made) != len(pairs):
            raise ModelFileError("a key of a dictionary comes twice")
        return made

    def _slice(self, stored: Any, inner: Inner) -> slice:
        return slice(*inner(_list(stored["slice"])))

    def _float(self, stored: Any, _: Inner) -> float:
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[stored["float"]]

    def _dtype(self, stored: Any, _: Inner) -> np.dtype:
        return _dtype(stored["dtype"])

    def _type(self, stored: Any, _: Inner) -> type[np.generic]:
        return _dtype(stored["type"]).type

    def _scalar(self, stored: Any, inner: Inner) -> object:
        return inner(stored["scalar"])[()]

    def _array(self, stored: Any, _: Inner) -> AnyArray:
        array = self._arrays[stored["array"]]
        if "dtype" in stored:
            array = _from_raw(array, _dtype(stored["dtype"]))
        return array.T if stored.get("transposed") else array

    def _values(self, stored: Any, inner: Inner) -> AnyArray:
        array = np.empty(len(_list(stored["values"])), object)
        for i, part in enumerate(stored["values"]):
            array[i] = inner(part)
        return array.reshape(stored["shape"])

    def _sparse(self, stored: object, inner: Inner) -> object:
        return decode_sparse(stored, inner)

    def _frame(self, stored: object, inner: Inner) -> object:
        return decode_frame(stored, inner)

    def _object(self, stored: Any, inner: Inner) -> object:
        name = present_name(stored["object"])
        if name in DICTIONARY_RECORDS:
            return {key: inner(part) for key, part in stored["state"].items()}
        if name in TUPLE_RECORDS:
            return tuple(inner(stored["state"][key]) for key in TUPLE_RECORDS[name])
        if name == OLDER_SCALER:
            fields = {**stored.get("parameters", {}), **stored["state"]}
            name, state = present_scaler({key: inner(part) for key, part in fields.items()})
            return _restore(KNOWN_CLASSES[name], checked_state(name, state))
        known = KNOWN_CLASSES.get(name)
        if known is None:
            raise ModelFileError(f"it holds an object of {name!r}, which is not known")
        parameters, rest = stored.get("parameters", {}), stored["state"]
        if twice := [key for key in parameters if key in rest]:
            raise ModelFileError(f"the attribute {twice[0]!r} of {name} comes twice")
        state = present_attributes(name, {**parameters, **rest})
        decoded = {key: inner(part) for key, part in state.items()}
        return _restore(known, present_state(known.load(), checked_state(name, decoded)))


_VALUE_TAGS = {name[1:] for name in vars(Decoder) if name[0] == "_" and name[1] != "_"}


def _restore(known: Known, state: Mapping[str, object]) -> object:
    """Return an object of a known class; nothing but its own attributes is set."""
    kind = known.load()
    if known.made_of is not None or issubclass(kind, tuple):
        made = kind(**state)
        getattr(made, "check", list)()  # a record that native loops trust has a `check`
        return made
    names: Any = getattr(kind, "_get_param_names", tuple)()
    fields = {*names, *getattr(kind, "__dataclass_fields__", ()), *(known.holds or ())}
    odd = [key for key in state if key not in fields and (known.holds or hasattr(kind, key))]
    odd += [key for key in known.unset if state.get(key) is not None]
    if odd:
        raise ModelFileError(f"{kind.__name__} has no attribute {odd[0]!r} of its own")
    thing: Any = object.__new__(kind)
    if hasattr(kind, "__setstate__"):
        thing.__setstate__(state)
    else:
        thing.__dict__.update(state)
    return thing


def _from_raw(array: AnyArray, kind: np.dtype) -> AnyArray:
    """Return numbers as the texts or dates that they encode."""
    if kind.kind not in RAW_DTYPES or array.dtype != np.dtype(RAW_DTYPES[kind.kind]):
        raise ModelFileError(f"{array.dtype} cannot encode {kind}")
    if kind.kind in "Mm":
        return array.view(kind)
    if array.shape[-1:] != (kind.itemsize // array.itemsize,) or not array.shape[-1]:
        raise ModelFileError(f"an array of shape {array.shape} cannot hold {kind}")
    if kind.kind == "U" and array.size and array.max() > MOST_LETTER:
        raise ModelFileError("a text holds a letter that does not exist")
    return array.view(kind)[..., 0]


def _dtype(text: object) -> np.dtype:
    kind = np.dtype(str(text))
    if kind.kind not in "biufOUSMm" or kind.subdtype is not None:
        raise ModelFileError(f"dtype {text!r} is not known")
    return kind


def _list(stored: object) -> list[Any]:
    if not isinstance(stored, list):
        raise ModelFileError(f"a list is missing where {stored!r:.40} stands")
    return stored
