"""Routines of LAPACK that SciPy calls with the lock of the interpreter held, here without it.

They are SciPy's own, found by the addresses that it publishes for Cython, with the arguments that
its wrappers give them: results are the same bits. A thread that waits for one of them hears
Ctrl-C, see `lookalike.interrupt`.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import cython_lapack, lapack

from lookalike.errors import ConvergenceError
from lookalike.typing import AnyArray, Array

_name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
    ("PyCapsule_GetName", ctypes.pythonapi)
)
_address_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def tridiagonal(matrix: Array) -> tuple[Array, Array, Array, Array]:
    """Return the reflectors, diagonal, off-diagonal and their factors of a symmetric matrix."""
    a, n = np.array(matrix, order="F"), len(matrix)
    d, e, tau = np.empty(n), np.empty(max(n - 1, 0)), np.empty(max(n - 1, 0))
    size, _ = lapack.dsytrd_lwork(n, lower=1)
    work = np.empty(max(int(size), 1))
    _call("dsytrd", b"L", n, a, n, d, e, tau, work, len(work))
    return a, d, e, tau


def tridiagonal_values(diagonal: Array, off_diagonal: Array) -> Array:
    """Return all eigenvalues of a symmetric matrix of three diagonals, rising."""
    d, e = diagonal.copy(), off_diagonal.copy()
    _call("dsterf", len(d), d, e)
    return d


def tridiagonal_vectors(diagonal: Array, off_diagonal: Array, first: int, last: int) -> Array:
    """Return the eigenvectors of the eigenvalues from number `first` to `last`, rising, as columns.

    Numbers begin at 0.
    """
    n, wanted = len(diagonal), last - first + 1
    d, e = diagonal.copy(), np.append(off_diagonal, 0.0)
    values, vectors = np.empty(n), np.empty((n, wanted), order="F")
    n_found, accurate = _integers(0), _integers(1)
    support, work, places = _integers(*[0] * 2 * n), np.empty(18 * n), _integers(*[0] * 10 * n)
    bounds = (0.0, 0.0, first + 1, last + 1)
    result = (n_found, values, vectors, n, wanted, support, accurate)
    _call("dstemr", b"V", b"I", n, d, e, *bounds, *result, work, len(work), places, len(places))
    if n_found[0] != wanted:
        raise ConvergenceError(f"{n_found[0]} of {wanted} eigenvectors were found.")
    return vectors


def symmetric_pairs(
    matrix: Array, first: int, last: int, *, overwrite: bool = False
) -> tuple[Array, Array]:
    """Return some eigenvalues, rising, and their vectors, as `scipy.linalg.eigh` does."""
    a, n, wanted = _take(matrix, overwrite), len(matrix), last - first + 1
    values, vectors, n_found = np.empty(n), np.empty((n, wanted), order="F"), _integers(0)
    sizes = lapack.dsyevr_lwork(n, lower=1)
    work, places = np.empty(int(sizes[0])), _integers(*[0] * int(sizes[1]))
    support = _integers(*[0] * 2 * wanted)
    bounds = (0.0, 0.0, first + 1, last + 1, 0.0)
    result = (n_found, values, vectors, n, support)
    rest = (*bounds, *result, work, len(work), places, len(places))
    _call("dsyevr", b"V", b"I", b"L", n, a, n, *rest)
    return values[:wanted], vectors


def all_symmetric_pairs(matrix: Array, *, overwrite: bool = False) -> tuple[Array, Array]:
    """Return all eigenvalues, rising, and their vectors, by divide and conquer."""
    a, n = _take(matrix, overwrite), len(matrix)
    sizes = lapack.dsyevd_lwork(n, compute_v=1, lower=1)
    values, work = np.empty(n), np.empty(int(sizes[0]))
    places = _integers(*[0] * int(sizes[1]))
    _call("dsyevd", b"V", b"L", n, a, n, values, work, len(work), places, len(places))
    return values, a


def _take(matrix: Array, overwrite: bool) -> Array:
    """Return a matrix as Fortran reads it: itself where it may be overwritten, else a copy."""
    return np.asfortranarray(matrix) if overwrite else np.array(matrix, order="F")


def _call(name: str, *arguments: object) -> None:
    """Call a routine, whose last argument says whether it failed."""
    failed = _integers(0)
    held = [_pointed_at(argument) for argument in (*arguments, failed)]
    _routine(name)(*[part.ctypes.data for part in held])
    if failed[0] != 0:
        raise ConvergenceError(f"{name} of LAPACK gave up with code {failed[0]}.")


def _pointed_at(argument: object) -> AnyArray:
    """Return the memory of an argument: Fortran takes the address of everything."""
    if isinstance(argument, np.ndarray):
        return argument
    if isinstance(argument, bytes):
        return np.frombuffer(argument, np.uint8)
    return _integers(argument) if isinstance(argument, int) else np.array([argument])


def _integers(*values: int) -> AnyArray:
    return np.array(values, _integer())


@functools.cache
def _integer() -> type[np.signedinteger[Any]]:
    """Return the type of whole numbers that SciPy's LAPACK takes."""
    signature: bytes = _name_of(cython_lapack.__pyx_capi__["dsterf"])
    return np.int32 if b"(int *" in signature else np.int64


@functools.cache
def _routine(name: str) -> Callable[..., None]:
    """Return a routine by its address, which is published under the types of its arguments."""
    capsule = cython_lapack.__pyx_capi__[name]
    signature: bytes = _name_of(capsule)
    pointers = [ctypes.c_void_p] * (signature.count(b",") + 1)
    return ctypes.CFUNCTYPE(None, *pointers)(_address_of(capsule, signature))
