"""A grammar of bad arguments: values of every type, tables, targets and weights, by parameter."""

# ruff: noqa: E501 - tables of values
from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

import lookalike

N_ROWS = 24
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N_ROWS, 3)) + np.arange(N_ROWS)[:, None] % 3 * 4
Y = np.arange(N_ROWS) % 3
TEXTS = ["the cat sat", "a dog ate the cat", "the mat lay", "big dog, big house"] * 6
OF_TEXTS = ("LSA", "TermWeights", "NgramWeights")
GIVEN = {
    "AutoEncoder": {"max_iter": 3},
    "BoostedNeighborsClassifier": {"max_iter": 3},
    "BoostedNeighborsRegressor": {"max_iter": 3},
    "ForestNeighborsClassifier": {"n_estimators": 3},
    "ForestNeighborsRegressor": {"n_estimators": 3},
    "NeighborhoodComponentsAnalysis": {"max_iter": 5},
    "LSA": {"n_components": 2},
    "NeighborMap": {"n_iter": 3},
    "WeightedEnsembleClassifier": {
        "estimators": [(f"k{k}", lookalike.KNeighborsClassifier(k)) for k in (1, 3)],
        "cv": 2,
    },
    "WeightedEnsembleRegressor": {
        "estimators": [(f"k{k}", lookalike.KNeighborsRegressor(k)) for k in (1, 3)],
        "cv": 2,
    },
}


class OwnError(Exception):
    """The user's own: what their function raises reaches them as it is."""


def failing(*_: object, **__: object) -> Any:
    """Raise the user's own error."""
    raise OwnError


def failing_rows() -> Iterator[Any]:
    """Give some rows, then raise the user's own error."""
    yield X[:5]
    raise OwnError


# Functions make what is used up or changed by one call.
SCALARS: dict[str, Any] = {
    "None": None, "True": True, "0": 0, "-1": -1, "1": 1, "3": 3, "2.5": 2.5, "nan": float("nan"),
    "inf": float("inf"), "-inf": float("-inf"), "1e30": 10**30, "10**400": 10**400, "1j": 1j, "''": "",
    "'x'": "x", "'1'": "1", "'auto'": "auto", "'loo'": "loo", "bytes": b"x", "NUL": "a\0b",
    "[]": [], "[1]": [1], "[[1.0]]": [[1.0]], "ragged": [[1.0], [1.0, 2.0]], "{}": {}, "dict": {"a": 1},
    "dict of labels": {0: 1.0, 1: 2.0, 2: -1.0}, "set": {1, 2}, "object": object(), "failing": failing,
    "None function": lambda *_, **__: None, "text function": lambda *_, **__: "text", "int": int,
    "nan array": np.array([1.0, np.nan]), "0-d text": np.array("x"), "3-d": np.ones((2, 2, 2)),
    "eye": np.eye(3), "negative": -np.eye(3), "objects": np.array([None, "a"], object), "NA": pd.NA,
    "Decimal": Decimal(1), "Fraction": Fraction(1, 2), "NaT": np.datetime64("NaT"), "masked": np.ma.masked,
    "slice": slice(None), "...": ..., "range": range(3), "iterator": lambda: iter([1]), "np.int64": np.int64(2),
    "np.float32": np.float32(0.5), "np.str_": np.str_("auto"), "np.bool_": np.True_, "frame": pd.DataFrame({"a": [1]}),
    "sparse": sp.csr_matrix(np.eye(3)), "model": lambda: lookalike.PCA(1), "class": lookalike.PCA,
}  # fmt: skip
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
TABLES: dict[str, Any] = {
    "None": None, "3": 3, "True": True, "nan": float("nan"), "1j": 1j, "'x'": "x", "no file": "no.csv", "''": "",
    "NUL": "a\0.csv", "Path": Path("no/such"), "bytes": b"x", "[]": [], "[[]]": [[]], "[1, 2]": [1, 2], "ragged": [[1, 2], [3]],
    "text": [["a", "b", "c"]], "None cell": [[None, 1, 2]], "dicts": [{"a": 1}], "mixed": [[1, "b", None]], "dict": {"a": [1]},
    "set": {1, 2}, "object": object(), "range": range(3), "function": lambda *_: None, "failing": failing,
    "int": int, "no rows": np.empty((0, 3)), "no columns": np.empty((3, 0)), "3-d": np.ones((4, 3, 2)),
    "0-d": np.array(1.0), "complex": X + 1j, "NaN": np.where(X > 3, np.nan, X), "inf": np.where(X > 3, np.inf, X),
    "masked": np.ma.masked_greater(X, 3), "dates": np.zeros((4, 3), "M8[s]"), "records": np.zeros(4, [("a", float)]),
    "objects": np.array([[object()] * 3] * 4), "text array": np.array([["a"] * 3] * 4), "bytes array": np.array([[b"a"] * 3] * 4),
    "wide": np.ones((4, 9)), "narrow": np.ones((4, 1)), "one row": X[:1], "constant": np.ones((N_ROWS, 3)),
    "float16": X.astype(np.float16), "bools": X > 1, "long": X.astype(np.longdouble), "ints": X.astype(int),
    "big ints": np.full((N_ROWS, 3), 2**62) + np.arange(N_ROWS)[:, None], "sparse": sp.csr_matrix(X), "coo": sp.coo_array(X),
    "sparse NaN": sp.csr_matrix(np.where(X > 3, np.nan, X)), "sparse complex": sp.csr_matrix(X + 1j), "1-d sparse": sp.coo_array(X[0]),
    "iterator": lambda: iter([X]), "no chunks": lambda: iter([]), "chunks of text": lambda: iter(["a"]), "failing chunks": failing_rows,
    "chunks": lambda: iter([X[:5], X[5:, :2]]), "stream": lambda: io.BytesIO(b""), "text stream": lambda: io.StringIO("a\n1\n"),
    "csv stream": lambda: io.BytesIO(b"a,b,c\n1,2,x\n"), "frame": FRAME, "reordered": FRAME[["c", "a", "b"]], "missing column": FRAME[["a"]],
    "extra column": FRAME.assign(d=1.0), "text column": FRAME.assign(a="x"), "date column": FRAME.assign(a=pd.Timestamp(0)),
    "NA column": FRAME.assign(a=pd.array([pd.NA] * N_ROWS, "Int64")), "two of a name": FRAME.set_axis(["a", "a", "b"], axis=1),
    "levels": FRAME.set_axis(pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]), axis=1), "int names": FRAME.set_axis([0, 1, 2], axis=1),
    "mixed names": FRAME.set_axis(["a", 1, 2.0], axis=1), "no rows frame": FRAME[:0], "series": FRAME["a"], "lists": FRAME.assign(a=[[1]] * N_ROWS),
    "category": FRAME.assign(a=pd.Categorical(["x", "y"] * 12)), "polars": pl.DataFrame(dict(zip("abc", X.T, strict=True))),
    "Int128": pl.DataFrame({name: pl.Series(range(N_ROWS), dtype=pl.Int128) for name in "abc"}), "lazy": pl.LazyFrame({"a": [1.0]}),
    "nulls": pl.DataFrame({"a": [None, 1.0], "b": [1, None], "c": [1, 2]}), "structs": pl.DataFrame({"a": [{"b": 1}]}),
    "arrow": pa.table(dict(zip("abc", X.T, strict=True))), "arrow lists": pa.table({"a": [[1], [2]]}), "class": lookalike.PCA,
}  # fmt: skip
TARGETS: dict[str, Any] = {
    "None": None, "3": 3, "'x'": "x", "[]": [], "short": Y[:3], "long": np.append(Y, 1), "ragged": [[0], [0, 1]] * 12, "dict": {"a": 1},
    "set": {1, 2}, "object": object(), "objects": np.array([object()] * N_ROWS), "2-d": np.column_stack([Y, Y]), "column": Y[:, None], "3-d": np.ones((N_ROWS, 1, 1)),
    "nan": np.where(Y == 1, np.nan, Y), "inf": np.where(Y == 1, np.inf, Y), "1j": Y + 1j, "None cell": [None, *Y[1:].tolist()],
    "NA": pd.array([pd.NA, *Y[1:].tolist()], "Int64"), "NA objects": pd.Series([pd.NA, *Y[1:].tolist()], dtype=object), "NaT": np.array(["NaT"] * N_ROWS, "M8[s]"),
    "masked": np.ma.array(Y, mask=Y == 1), "masked floats": np.ma.array(Y * 1.0, mask=Y == 1), "text": np.array(list("abc"))[Y], "numbers as text": Y.astype(str), "bytes": Y.astype("S"),
    "mixed": [1, "a", None, 2.5] * 6, "int and text": [1, "a"] * 12, "NUL": ["a\0", "a"] * 12, "NUL objects": np.array(["a\0", "a"] * 12, object),
    "bools": Y > 1, "one class": np.zeros(N_ROWS, int), "each its own": np.arange(N_ROWS), "fractions": X[:, 0], "sparse": sp.csr_matrix(Y[:, None]),
    "frame": pd.DataFrame({"y": Y}), "dates": np.array(Y, "M8[D]"), "records": np.zeros(N_ROWS, [("a", float)]), "lists": np.array([[[1]]] * N_ROWS, object),
    "iterator": lambda: iter(Y), "failing": failing, "Decimal": [Decimal(int(v)) for v in Y], "polars": pl.Series(Y), "polars nulls": pl.Series([None, *Y[1:].tolist()]),
    "arrow": pa.array(Y), "categorical": pd.Categorical(list("abc" * 8)), "series": pd.Series(Y, index=np.arange(N_ROWS)[::-1]), "float16": Y.astype(np.float16),
    "big ints": [10**30, 0, 1] * 8, "0-d": np.array(1),
}  # fmt: skip
WEIGHTS: dict[str, Any] = {
    "None": None, "1": 1.0, "'x'": "x", "[]": [], "short": [1.0, 2.0], "zeros": np.zeros(N_ROWS), "negative": -np.ones(N_ROWS), "nan": np.full(N_ROWS, np.nan),
    "inf": np.full(N_ROWS, np.inf), "text": ["heavy"] * N_ROWS, "numbers as text": ["1"] * N_ROWS, "1j": np.ones(N_ROWS) * 1j, "2-d": np.ones((N_ROWS, 1)),
    "masked": np.ma.array(np.ones(N_ROWS), mask=Y == 1), "NA": pd.array([pd.NA, *[1] * (N_ROWS - 1)], "Int64"), "None cell": [None, *[1.0] * (N_ROWS - 1)],
    "ragged": [[1.0], [1.0, 2.0]] * 12, "dict": {"a": 1.0}, "object": object(),
    "ints": np.arange(N_ROWS), "bools": Y > 0, "one row": np.eye(N_ROWS)[0], "series": pd.Series(np.ones(N_ROWS)), "sparse": sp.csr_matrix(np.ones(N_ROWS)),
    "dates": np.array(Y, "M8[D]"), "iterator": lambda: iter(Y),
}  # fmt: skip
OF_TABLES = (
    "X",
    "Q",
    "x",
    "query",
    "queries",
    "raw_documents",
    "documents",
    "Z",
    "data",
    "H",
    "test",
    "calibration",
)
MADE = {
    "iterator",
    "no chunks",
    "chunks of text",
    "failing chunks",
    "chunks",
    "stream",
    "text stream",
    "csv stream",
    "model",
}


def bad_values(parameter: str) -> dict[str, Any]:
    """Return the values that a parameter of that name is given."""
    if parameter in OF_TABLES:
        return TABLES
    if parameter in ("y", "labels", "classes", "groups"):
        return TARGETS
    return WEIGHTS if parameter in ("sample_weight", "weight") else SCALARS


def made(name: str, value: Any) -> Any:
    """Return the value, made now where it is used up by one call."""
    return value() if name in MADE else value


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters of a function that have names of their own."""
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [one for one in inspect.signature(function).parameters.values() if one.kind in named]
