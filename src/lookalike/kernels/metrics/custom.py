"""Dissimilarities that the user brings: a compiled function, a Python function, or a matrix."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from lookalike import _core
from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.kernels.metrics.base import Metric, MetricForm, dense_or_sparse
from lookalike.kernels.metrics.rows import MetricRows, SparseRows
from lookalike.kernels.native_arrays import RowsLike, native_rows
from lookalike.validation import is_float, shown

_CTYPES_FUNCTION: Any = type(ctypes.CFUNCTYPE(None)()).__mro__[1]  # of all ctypes functions
_NATIVE_SIGNATURE = "double(double*,double*,size_t)"


class CompiledFunction(Metric):
    """A function ``double f(double const *x, double const *y, size_t d)`` in machine code.

    Called from many threads at once and without the interpreter lock, so it must be pure. Which
    axioms it satisfies is not known, hence none is stated and no index but the scan may use it.

    Parameters
    ----------
    function : int, ctypes function, numba cfunc or scipy.LowLevelCallable
        An int is the address of the function.
    """

    form = MetricForm.FUNCTION
    axioms: frozenset[str] = frozenset()
    signed = True

    def __init__(self, function: object) -> None:
        self.name = "function"
        self.function = function  # keeps the machine code alive
        address = function if isinstance(function, int) else address_of(function)
        if not address or isinstance(function, bool):
            raise ParameterTypeError(
                f"{function!r} is not a compiled function. Give a ctypes function, a numba cfunc, "
                f"a scipy.LowLevelCallable or an address, of signature {_NATIVE_SIGNATURE}."
            )
        self.address = address


class PythonFunction(Metric):
    """A Python function of two float64 rows: called once a pair, so slow; no axiom is assumed."""

    axioms: frozenset[str] = frozenset()
    signed = True
    most_queries: ClassVar[int | None] = 16

    def __init__(self, function: Callable[..., float], params: Mapping[str, object]) -> None:
        self.name: str = getattr(function, "__name__", "function")
        self.function = function
        self.params: dict[str, object] = dict(params)

    def rows(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return the rows; those that are sparse stay so, and come to the function one by one."""
        return dense_or_sparse(X, what=what)

    def pairs(self, Q: MetricRows, X: MetricRows, _scale: float = 1.0) -> _core.Pairs:
        """Return pairs whose keys are all computed here."""
        left, right = (_one_by_one(rows) for rows in (Q, X))
        keys = np.array([[self._key(q, x) for x in right] for q in left]).reshape(len(left), -1)
        return _core.given_pairs(keys=keys)

    def try_on(self, x: object) -> None:
        """Raise where the function cannot be called with two rows, or returns no number."""
        try:
            value = self.function(x, x, **self.params)
        except TypeError as error:
            raise ParameterTypeError(
                f"The metric function {self.name!r} cannot be called with two rows: {error}. "
                "Give a function of two rows."
            ) from error
        if not is_float(value):
            raise ParameterTypeError(
                "Custom distance function must accept two vectors and return a float. "
                f"{self.name!r} returned {shown(value)}. Let it return a number."
            )

    def _key(self, q: object, x: object) -> float:
        value = self.function(q, x, **self.params)
        try:
            key = float(value)
        except (TypeError, ValueError):
            raise ParameterTypeError(
                f"The metric function {self.name!r} returned {shown(value)}. "
                "Let it return a number."
            ) from None
        if np.isnan(key):
            raise ParameterError(
                f"The metric function {self.name!r} returned NaN for {q} and {x}. "
                "Let it return a number."
            )
        return key


def _one_by_one(rows: MetricRows) -> Any:
    """Return rows as a function is given them: vectors, or sparse matrices of one row."""
    if not isinstance(rows, SparseRows):
        return np.asarray(rows, np.float64)
    matrix = sp.csr_matrix((rows.value, rows.column, rows.start), shape=rows.shape)
    return [matrix[row] for row in range(rows.shape[0])]


class Precomputed(Metric):
    """Distances that are known already: row i holds those of query i to every training row."""

    name = "precomputed"
    axioms: frozenset[str] = frozenset()

    def rows(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return the distances, none of which may be negative."""
        rows = native_rows(X, what).values
        if rows.size and rows.min() < 0:
            row, column = np.argwhere(rows < 0)[0]
            raise ParameterError(
                f"{what} is {rows[row, column]} at row {row}, column {column}. "
                "Precomputed distances are >= 0."
            )
        return rows

    def pairs(self, Q: MetricRows, _X: MetricRows, _scale: float = 1.0) -> _core.Pairs:
        """Return pairs with the keys that `Q` holds."""
        return _core.given_pairs(keys=np.ascontiguousarray(Q, np.float64))


def address_of(function: Any) -> int | None:
    """Return where the machine code of `function` lies; None for other functions."""
    if type(function).__name__ == "LowLevelCallable":
        if function.user_data is not None:
            raise ParameterError(
                "The LowLevelCallable carries user_data, which a metric is not given. "
                "Compile the data in, or use a closure of numba."
            )
        inner = function.function
        return _of_capsule(inner) if type(inner).__name__ == "PyCapsule" else address_of(inner)
    native = getattr(function, "ctypes", function)  # numba's cfunc shows itself as ctypes
    if not isinstance(native, _CTYPES_FUNCTION):
        return None
    types = native.argtypes
    if native.restype is not ctypes.c_double or (types is not None and len(types) != 3):
        raise ParameterError(
            f"The function returns {native.restype} of {types}. "
            f"Its signature must be {_NATIVE_SIGNATURE}; a function of a ctypes library "
            "needs restype = ctypes.c_double."
        )
    return ctypes.cast(native, ctypes.c_void_p).value


def _of_capsule(capsule: object) -> int:
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    name = api.PyCapsule_GetName(capsule)
    signature = (name or b"").decode().replace("const", "").replace(" ", "")
    if signature != _NATIVE_SIGNATURE:
        raise ParameterError(
            f"The function is {name!r}. Its signature must be {_NATIVE_SIGNATURE}."
        )
    return int(api.PyCapsule_GetPointer(capsule, name))
