"""Columns of any kind become numbers that can be compared: filled, scaled, encoded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Column
from lookalike.data.column_types import is_missing
from lookalike.data.frames import like
from lookalike.data.source import Source, open_source
from lookalike.decisions import Decisions
from lookalike.errors import ColumnError, ParameterTypeError, ShapeError
from lookalike.models.estimator import Model
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice

SCALES = ("zscore", "none")
ENCODINGS = ("onehot", "codes")
DAY = np.timedelta64(1, "D")


class TablePreprocessor(TransformerMixin, Model):  # type: ignore[misc]
    r"""Fill, scale and encode the columns of a table, as they were in the rows of `fit`.

    A missing number becomes the mean of its column; a missing category is a category of its own.
    Numbers become z-scores :math:`(x_j - \bar x_j) / s_j` [LUMS], or stay as they are. With
    ``encoding="onehot"`` each category has a column that is 0 or 1, divided by :math:`\sqrt 2` so
    that two categories are as far apart as numbers one deviation apart. With ``encoding="codes"``
    categories are numbered and missing values stay NaN, as ``metric="gower"`` takes them: a
    category that was not met in `fit` equals none of those met.

    Parameters
    ----------
    columns : mapping from name to kind, optional
        The columns used, each "number", "date" or "category"; all but text when None. Others may
        be there and are not read.
    scale : {"zscore", "none"}, default="zscore"
        What becomes of numbers.
    encoding : {"onehot", "codes"}, default="onehot"
        What becomes of categories.
    engine : {"auto", "memory"}, default="auto"
        The rows are held in memory.
    n_jobs : int, optional
        Not more than one thread is used.

    Attributes
    ----------
    columns_ : dict
        Kind of every column used.
    fill_, shift_, spread_ : ndarray
        Of the columns of numbers: what missing ones become, what is subtracted and divided by.
    categories_ : dict
        The categories of every column that has them, as text, in sorted order.
    categorical_ : tuple of int
        Which columns of the answer are codes of categories.
    decisions_ : Decisions
        What was settled on the way, and why.

    Examples
    --------
    >>> import pyarrow
    >>> table = pyarrow.table({"age": [30.0, 50.0, None], "town": ["Graz", "Linz", "Graz"]})
    >>> TablePreprocessor().fit_transform(table).to_pandas().round(2)
        age  town=Graz  town=Linz
    0 -1.22       0.71       0.00
    1  1.22       0.00       0.71
    2  0.00       0.71       0.00
    """

    def __init__(
        self,
        columns: Mapping[str, str] | None = None,
        *,
        scale: str = "zscore",
        encoding: str = "onehot",
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.columns = columns
        self.scale = scale
        self.encoding = encoding
        self.engine = engine
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn what is usual in every column.

        Parameters
        ----------
        X : table
            Anything that :func:`lookalike.data.open_source` takes.
        y : ignored
            There for scikit-learn's pipelines.
        """
        check_choice("scale", self.scale, SCALES)
        check_choice("encoding", self.encoding, ENCODINGS)
        check_choice("engine", self.engine, ("auto", "memory"))
        if sp.issparse(X):
            raise ParameterTypeError("X is sparse, and columns are needed. Give X.toarray().")
        source = self._open(X)
        used = self._used(source)
        numbers, cells = _read(source, used)
        decisions = Decisions()
        fill, shift, spread = self._usual(numbers)
        if self.encoding == "onehot" and (gaps := int(np.isnan(numbers).any(axis=0).sum())):
            decisions.add("missing", "mean", f"{gaps} columns of numbers have gaps")
        self.categories_ = {
            name: _categories(values, gaps=self.encoding == "onehot")
            for name, values in cells.items()
        }
        self.fill_, self.shift_, self.spread_ = fill, shift, spread
        self.columns_, self.decisions_ = used, decisions
        codes = len(cells) if self.encoding == "codes" else 0
        self.categorical_ = tuple(range(len(fill), len(fill) + codes))
        return self

    def transform(self, X: Any) -> Any:
        """Return the numbers that describe the rows of `X`: numbers first, then categories."""
        check_is_fitted(self)
        source = self._found(X)
        numbers, cells = _read(source, self.columns_)
        names = self.get_feature_names_out()
        out = np.empty((len(numbers), len(names)), numbers.dtype)
        place = numbers.shape[1]
        out[:, :place] = numbers
        if self.encoding == "onehot":
            row, column = np.nonzero(np.isnan(numbers))
            out[row, column] = self.fill_[column]
        out[:, :place] -= self.shift_.astype(out.dtype)
        out[:, :place] /= self.spread_.astype(out.dtype)
        for name, values in cells.items():
            block = self._encoded(name, values)
            out[:, place : place + block.shape[1]] = block
            place += block.shape[1]
        return like(X, out, list(names))

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Return the names of the numbers: of one category, ``column=category``."""
        check_is_fitted(self)
        names = [name for name, kind in self.columns_.items() if kind != "category"]
        for name, categories in self.categories_.items():
            several = self.encoding == "onehot"
            names.extend(f"{name}={one}" for one in categories) if several else names.append(name)
        return np.array(names, dtype=object)

    def origins(self) -> list[str]:
        """Return for every number of the answer the column that it comes from."""
        check_is_fitted(self)
        found = [name for name, kind in self.columns_.items() if kind != "category"]
        for name, categories in self.categories_.items():
            found.extend([name] * (len(categories) if self.encoding == "onehot" else 1))
        return found

    def _used(self, source: Source) -> dict[str, str]:
        """Return the columns to use, by name, with the way in which each is read."""
        if self.columns is None:
            found = {
                column.name: column.kind if column.kind in ("category", "date") else "number"
                for column in source.columns
                if column.kind != "text"
            }
        else:
            found = dict(self.columns)
        if not found:
            raise ShapeError("No column is left to compare rows by. Give numbers or categories.")
        return found

    def _found(self, X: Any) -> Source:
        """Return the rows to answer for, in which all columns of fit must be."""
        source = open_source(X)
        if not source.named or not hasattr(self, "feature_names_in_"):
            return self._reopen(X)
        there = {column.name for column in source.columns}
        lost = [name for name in self.columns_ if name not in there]
        if lost:
            listed = ", ".join(map(repr, lost[:10]))
            raise ColumnError(
                f"X lacks {len(lost)} of the {len(self.columns_)} columns of fit: {listed}. "
                "Give them under the same names."
            )
        return source

    def _usual(self, numbers: AnyArray) -> tuple[Array, Array, Array]:
        """Return what missing numbers become, what is subtracted, and what is divided by."""
        known = ~np.isnan(numbers)
        count = np.maximum(known.sum(axis=0), 1)
        fill = np.where(known, numbers, 0).sum(axis=0, dtype=np.float64) / count
        if self.scale == "none":
            return fill, np.zeros(len(fill)), np.ones(len(fill))
        square = np.where(known, (numbers - fill) ** 2, 0).sum(axis=0, dtype=np.float64)
        spread = np.sqrt(square / len(numbers))  # of the column with its gaps filled
        return fill, fill, np.where(spread > 0, spread, 1.0)

    def _encoded(self, name: str, values: AnyArray) -> AnyArray:
        known = {category: code for code, category in enumerate(self.categories_[name])}
        if self.encoding == "codes":
            codes = [
                np.nan if is_missing(value) else known.get(str(value), len(known))
                for value in values.tolist()
            ]
            return np.array(codes, np.float64)[:, None]
        block = np.zeros((len(values), len(known)))
        for row, value in enumerate(values.tolist()):
            code = known.get("(missing)" if is_missing(value) else str(value))
            if code is not None:
                block[row, code] = np.sqrt(0.5)
        return block

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _read(source: Source, used: Mapping[str, str]) -> tuple[AnyArray, dict[str, AnyArray]]:
    """Return the columns of numbers as a matrix with NaN, and those of categories one by one."""
    numeric = [name for name, kind in used.items() if kind != "category"]
    if all(column.kind in ("number", "boolean") for column in source.columns):
        place = {column.name: number for number, column in enumerate(source.columns)}
        chosen = [place[name] for name in numeric]
        whole = chosen == list(range(source.n_features))
        parts = [chunk.X if whole else chunk.X[:, chosen] for chunk in source.chunks()]
        matrix = np.concatenate(parts)
        if len(numeric) < len(used):
            raise ParameterTypeError(
                f"X holds numbers alone, and {len(used) - len(numeric)} columns of fit held "
                "categories. Give a table with the columns of fit."
            )
        return _checked(matrix, numeric), {}
    tables = list(source.tables())
    columns = {name: np.concatenate([table.values[name] for table in tables]) for name in used}
    n_rows = len(next(iter(columns.values())))
    parts = [_numbers(columns[name], name) for name in numeric]
    matrix = np.column_stack(parts) if parts else np.empty((n_rows, 0))
    return _checked(matrix, numeric), {n: columns[n] for n in used if n not in set(numeric)}


def _numbers(values: AnyArray, name: str) -> AnyArray:
    """Return a column as floats, dates as days."""
    if values.dtype.kind == "M":
        return np.where(np.isnat(values), np.nan, (values - np.datetime64(0, "D")) / DAY)
    if values.dtype.kind not in "fiub":
        raise ParameterTypeError(
            f"column {name!r} holds {values.dtype} where numbers were in fit. Convert it."
        )
    return values.astype(np.float64)


def _checked(matrix: AnyArray, names: list[str]) -> AnyArray:
    """Return floats, none infinite: float32 where it holds every number exactly, else float64."""
    small = matrix.dtype.itemsize <= 2 and matrix.dtype.kind in "uib"
    matrix = matrix.astype(np.float32 if small or matrix.dtype == np.float32 else np.float64)
    require_finite(matrix, 0, [Column(name) for name in names], allow_nan=True)
    return matrix


def _categories(values: AnyArray, *, gaps: bool) -> tuple[str, ...]:
    """Return the categories met as text; with `gaps`, a missing value is one."""
    met = {str(value) for value in values.tolist() if not is_missing(value)}
    absent = gaps and any(is_missing(value) for value in values.tolist())
    return (*sorted(met), *(("(missing)",) if absent else ()))
