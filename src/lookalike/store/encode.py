"""Objects as plain data: numbers, texts, arrays, and objects of known classes.

What JSON has is written as it is. All else is a dictionary whose first key names its kind: see
`lookalike.store.decode`. Objects give their state as they do to `copy` and `pickle`, by
`__getstate__`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from lookalike.errors import ModelFileError, ParameterTypeError
from lookalike.store.checks import checked_state
from lookalike.store.container import DTYPE_NAMES, bytes_of
from lookalike.store.known import KNOWN_CLASSES, MAX_OBJECT_DEPTH, RAW_DTYPES, Known, name_of
from lookalike.store.tables import encode_frame, encode_sparse
from lookalike.typing import AnyArray

Inner = Callable[[Any, str], Any]
_WHOLE_NUMBERS = range(-(2**63), 2**64)


class Encoder:
    """Turns objects into plain data, and gathers their arrays, each content once."""

    def __init__(self) -> None:
        self.arrays: list[AnyArray] = []
        self._in_memory: dict[tuple[str, tuple[int, ...], int], int] = {}  # by address
        self._of_kind: dict[tuple[str, tuple[int, ...]], dict[bytes | None, int]] = {}

    def encode(self, value: Any, path: str, depth: int = 0) -> object:
        """Return `value` as plain data; `path` names it where it cannot be."""
        kind = type(value)
        if value is None or kind in (bool, str) or (kind is int and value in _WHOLE_NUMBERS):
            return value
        if depth > MAX_OBJECT_DEPTH:
            raise _unstorable(path, value, "it lies too deep, or holds itself")

        def inner(part: object, name: str) -> object:
            return self.encode(part, f"{path}{name}", depth + 1)

        if kind in _SIMPLE_ENCODERS:
            return _SIMPLE_ENCODERS[kind](value, inner)
        if kind is np.ndarray:
            return self._array(value, path, inner)
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value), path, inner)}
        return (
            _type(value)
            or encode_sparse(value, inner)
            or encode_frame(value, inner)
            or self._object(value, path, inner)
        )

    def _array(self, array: AnyArray, path: str, inner: Inner) -> dict[str, object]:
        if array.dtype.kind == "O":
            values = _parts(array.ravel().tolist(), inner)
            return {"values": values, "shape": list(array.shape)}
        plain = array.astype(array.dtype.newbyteorder("<"), copy=False)
        how: dict[str, object] = {}
        if plain.dtype.kind in RAW_DTYPES:
            how["dtype"], plain = plain.dtype.str, _raw(plain)
        if plain.dtype not in DTYPE_NAMES:
            raise _unstorable(path, array, f"arrays of {array.dtype} have no place in a file")
        if plain.flags.f_contiguous and not plain.flags.c_contiguous:
            how["transposed"] = True  # the last bit of a product depends on the order
            plain = plain.T
        return {"array": self._put(plain if plain.flags.c_contiguous else plain.copy("C")), **how}

    def _put(self, array: AnyArray) -> str:
        """Return the number of an array; its content is read where another has its shape."""
        kind = array.dtype.str, array.shape
        address = (*kind, array.__array_interface__["data"][0])
        if address in self._in_memory:
            return str(self._in_memory[address])
        alike = self._of_kind.setdefault(kind, {})
        if None in alike:
            first = alike.pop(None)
            alike[_digest(self.arrays[first])] = first
        new = len(self.arrays)
        number = alike.setdefault(_digest(array) if alike else None, new)
        if number == new:
            self.arrays.append(array)  # and so its memory stays its own
            self._in_memory[address] = number
        return str(number)

    def _object(self, value: object, path: str, inner: Inner) -> dict[str, object]:
        kind = type(value)
        name = name_of(kind)
        if name is None:
            raise _unstorable(path, value, _why(value))
        state = _state_of(value, KNOWN_CLASSES[name])
        try:
            checked_state(name, state)
        except ModelFileError as error:
            raise _unstorable(path, value, str(error)) from None
        parameters = kind._get_param_names() if hasattr(kind, "_get_param_names") else ()
        given = {key: inner(state.pop(key), f".{key}") for key in parameters if key in state}
        stored = {key: inner(part, f".{key}") for key, part in state.items()}
        return {"object": name, **({"parameters": given} if parameters else {}), "state": stored}


def _digest(array: AnyArray) -> bytes:
    return hashlib.sha256(bytes_of(array)).digest()


def _raw(array: AnyArray) -> AnyArray:
    """Return texts and dates as the numbers that they are made of, a text along a new axis."""
    number = np.dtype(RAW_DTYPES[array.dtype.kind])
    if array.dtype.kind in "Mm":
        return array.view(number)
    width = array.dtype.itemsize // number.itemsize
    return array.reshape(-1).view(number).reshape(*array.shape, width)


def _float(value: float, _: Inner) -> float | dict[str, str]:
    return value if math.isfinite(value) else {"float": repr(value)}


def _parts(value: Any, inner: Inner) -> list[object]:
    return [inner(part, f"[{i}]") for i, part in enumerate(value)]


def _pairs(value: dict[object, object], inner: Inner) -> dict[str, list[list[object]]]:
    return {"dict": [[inner(key, ".keys"), inner(v, f"[{key!r}]")] for key, v in value.items()]}


_SIMPLE_ENCODERS: dict[type[Any], Callable[[Any, Inner], object]] = {
    float: _float,
    list: _parts,
    tuple: lambda value, inner: {"tuple": _parts(value, inner)},
    set: lambda value, inner: {"set": _parts(sorted(value), inner)},
    frozenset: lambda value, inner: {"frozenset": _parts(sorted(value), inner)},
    dict: _pairs,
    slice: lambda value, inner: {"slice": _parts((value.start, value.stop, value.step), inner)},
}


def _type(value: object) -> dict[str, str] | None:
    """Return a type of numbers as plain data; None for anything else."""
    if isinstance(value, np.dtype):
        return {"dtype": value.str}
    if isinstance(value, type) and issubclass(value, np.generic):
        return {"type": np.dtype(value).str}
    return None


def _state_of(value: Any, known: Known) -> dict[str, object]:
    """Return the attributes that make an object."""
    if isinstance(value, tuple):
        return value._asdict()  # type: ignore[attr-defined,no-any-return]
    set_names = [name for name in known.unset if getattr(value, name) is not None]
    if set_names:
        raise _unstorable(
            f"{known.name}.{set_names[0]}", getattr(value, set_names[0]), "set it to None"
        )
    names = known.made_of if known.made_of is not None else known.holds
    if names is not None:
        return {name: getattr(value, name) for name in names}
    state = value.__getstate__() or {}
    return {name: part for name, part in state.items() if name not in known.forgets}


def _why(value: object) -> str:
    if callable(value):
        return "it is a function, and model files hold no code; choose one by its name"
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        return "it is a random generator in some state; give an integer as the seed"
    if type(value).__name__ in ("ChunkedIndex", "ClusterIndex"):
        return "its rows stay in their source; fit with engine='memory'"
    return "model files hold numbers, texts, arrays and the models of this library"


def _unstorable(path: str, value: object, why: str) -> ParameterTypeError:
    return ParameterTypeError(
        f"{path} is a {type(value).__qualname__} and cannot be stored: {why}."
    )
