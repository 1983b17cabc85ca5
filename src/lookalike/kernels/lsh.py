"""Hash functions under which near rows collide, and search among the rows that do."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from lookalike import _core
from lookalike.kernels.radius import RadiusResult, no_neighbors
from lookalike.typing import AnyArray, Array, Rows

_NATIVE_FAMILY = {
    "gaussian": _core.HashFamily.STABLE,
    "cauchy": _core.HashFamily.STABLE,
    "sign": _core.HashFamily.SIGN,
    "minhash": _core.HashFamily.MINHASH,
    "sample": _core.HashFamily.SAMPLE,
}

Buckets = NDArray[np.uint64]
# For every table the buckets of all rows in order (tables, rows), the row of each, and where the
# buckets that begin with the same b bits start (tables, 2**b + 1).
Tables: TypeAlias = tuple[Buckets, Rows, Rows]
KeyForm = _core.KeyForm


class HashFunctions(NamedTuple):
    """`tables` times `hashes` functions drawn from one family."""

    family: str
    tables: int
    hashes: int
    width: float
    direction: Array  # (tables * hashes, d) of projections
    offset: Array  # of gaussian and cauchy
    center: Array  # (d,), or empty: taken from every row first
    seed: Buckets  # of minhash, or the columns of sample

    def native(self) -> dict[str, Any]:
        """Return the functions as the native core takes them."""
        arguments = self._asdict()
        arguments["family"] = _NATIVE_FAMILY[self.family]
        return arguments


class _HashedArrays(TypedDict):
    X: AnyArray
    bucket: Buckets
    bucket_row: Rows
    start: Rows
    form: KeyForm


class _QueriedArrays(_HashedArrays):
    Q: AnyArray
    query_bucket: Buckets
    exclude: Rows


class HashedRows:
    """Rows that are searched by the tables of their buckets.

    `form` says what candidates are compared by. In a search `exclude` is a row that is not a
    neighbor of each query, or empty.
    """

    def __init__(self, X: AnyArray, tables: Tables, form: KeyForm) -> None:
        bucket, row, start = tables
        self.tables = tables
        self._native: _HashedArrays = {
            "X": X, "bucket": bucket, "bucket_row": row, "start": start, "form": form
        }  # fmt: skip

    def nearest(
        self, Q: AnyArray, buckets: Buckets, k: int, exclude: Rows, *, threads: int, scan: bool
    ) -> tuple[Array, Rows, Rows]:
        """Return distances and rows of the `k` nearest that share a bucket, and the rows compared.

        Where they are too few, all rows are compared if `scan`, and nothing is returned if not: the
        number compared with such a query is -1.
        """
        count = len(Q)
        distance, row = np.empty((count, k)), np.empty((count, k), np.int64)
        compared = np.empty(count, np.int64)
        if count:
            _core.hash_nearest(
                **self._arguments(Q, buckets, exclude),
                scan=scan,
                threads=threads,
                distance=distance,
                row=row,
                candidates=compared,
            )
        return distance, row, compared

    def within(
        self, Q: AnyArray, buckets: Buckets, radius: Array, exclude: Rows, *, threads: int
    ) -> RadiusResult:
        """Return the candidates within the radius of each query."""
        if len(Q) == 0:
            return no_neighbors()
        given = self._arguments(Q, buckets, exclude)
        return RadiusResult(*_core.hash_within(**given, radius=radius, threads=threads))

    def _arguments(self, Q: AnyArray, buckets: Buckets, exclude: Rows) -> _QueriedArrays:
        Q = np.ascontiguousarray(Q, np.float64)
        return {**self._native, "Q": Q, "query_bucket": buckets, "exclude": exclude}


def draw_functions(
    family: str, tables: int, hashes: int, *, width: float, center: Array, d: int, seed: int
) -> HashFunctions:
    """Draw functions; the first tables are the same whatever the number of tables."""
    count, none = tables * hashes, np.empty(0)
    functions = HashFunctions(
        family, tables, hashes, width, np.empty((0, 0)), none, none, np.empty(0, np.uint64)
    )
    directions, others = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2])
    if family in ("gaussian", "cauchy"):
        draw = directions.standard_normal if family == "gaussian" else directions.standard_cauchy
        return functions._replace(
            direction=draw((count, d)), offset=others.random(count), center=center
        )
    if family == "sign":
        return functions._replace(direction=directions.standard_normal((count, d)))
    if family == "minhash":
        return functions._replace(seed=others.integers(0, 2**64, count, np.uint64))
    return functions._replace(seed=others.integers(0, d, count).astype(np.uint64))


def fit_together(kept: HashFunctions, drawn: HashFunctions, d: int) -> bool:
    """Return whether functions kept in a file are of the shape of those drawn for `d` columns."""
    alike = kept[:4] == drawn[:4] and all(
        isinstance(a, np.ndarray) and (a.shape, a.dtype) == (b.shape, b.dtype)
        for a, b in zip(kept[4:], drawn[4:], strict=True)
    )
    return alike and (kept.family != "sample" or bool((kept.seed < d).all()))


def bucket_rows(X: AnyArray, functions: HashFunctions, probes: int, threads: int) -> Buckets:
    """Return for every row its bucket in each table, and those of its `probes` easiest changes."""
    buckets = np.empty((len(X), functions.tables * (1 + probes)), np.uint64)
    if len(X):
        _core.hash_rows(X=X, **functions.native(), probes=probes, buckets=buckets, threads=threads)
    return buckets


def make_tables(buckets: Buckets, threads: int) -> Tables:
    """Return the tables of rows whose own buckets are given as (rows, tables)."""
    bucket = np.ascontiguousarray(buckets.T)
    tables, rows = bucket.shape
    row, start = (
        np.empty((tables, rows), np.int64),
        np.empty((tables, 2 ** (rows // 2).bit_length() + 1), np.int64),
    )
    _core.sort_tables(bucket=bucket, row=row, start=start, threads=threads)
    return bucket, row, start


def no_tables() -> Tables:
    """Return empty tables: a search by them compares every row."""
    none = np.empty((0, 0), np.int64)
    return none.astype(np.uint64), none, none
