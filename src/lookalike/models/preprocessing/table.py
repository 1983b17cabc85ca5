"""Mixed tables made numeric: missing values imputed, numbers scaled, categories encoded."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from typing import Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import TransformerMixin

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.frames import like
from lookalike.data.mixed_columns import MixedColumns
from lookalike.data.source import Source, is_source, open_source
from lookalike.decisions import Decisions
from lookalike.errors import ColumnError, ParameterTypeError, ShapeError
from lookalike.models.estimator import Model, check_is_fitted, joined, with_callbacks
from lookalike.models.inputs import require_dense
from lookalike.models.preprocessing.scaler import EPS
from lookalike.models.text.components import TextComponents, text_components
from lookalike.reductions.columns import ColumnSummary
from lookalike.reductions.table_columns import TableColumns
from lookalike.reductions.wrappers import Checked
from lookalike.typing import AnyArray, Array, Rows, TableLike
from lookalike.validation import check_choice, few, shown

KINDS = ("number", "date", "category", "text")
SCALES = ("zscore", "none")
ENCODINGS = ("onehot", "codes")
TEXTS = ("components", "terms")
MISSING = "(missing)"  # the category of missing values
ONE = np.sqrt(0.5)  # of a category that a row has


class TablePreprocessor(TransformerMixin, Model):  # type: ignore[misc]
    r"""Impute, scale and encode the columns of a table, from one pass over the rows of `fit`.

    Missing numbers are imputed with the mean of their column; a missing category is a category of
    its own. Numbers are standardized, :math:`(x_j - \bar x_j) / s_j` [LUMS], or stay as they are.
    With ``encoding="onehot"`` categories are one-hot encoded, divided by :math:`\sqrt 2` so that
    two categories are as far apart as numbers one standard deviation apart. With
    ``encoding="codes"`` categories are numbered and missing values stay NaN, as
    ``metric="gower"`` takes them: a category that was not seen in `fit` equals none that was.
    A column of text becomes the 50 leading components of its tf-idf weights (LSA), or these
    weights themselves, with the variance of all other columns together: it counts as they do.

    Parameters
    ----------
    columns : mapping from name to kind, optional
        The columns used, each "number", "date", "category" or "text"; all but text when None.
        Other columns may be present and are not read.
    scale : {"zscore", "none"}, default="zscore"
        Whether numbers are standardized.
    encoding : {"onehot", "codes"}, default="onehot"
        How categories are encoded.
    text : {"components", "terms"}, default="components"
        What columns of text become. With "terms" and such a column the result is sparse.
    engine, n_jobs
        As of :class:`lookalike.StandardScaler`.

    Attributes
    ----------
    columns_ : dict
        Kind of every column used.
    fill_, shift_, spread_ : ndarray
        Of the columns of numbers: what missing values are imputed with, what is subtracted, and
        what is divided by.
    categories_ : dict
        The categories of every column that has them, as text, in sorted order.
    texts_ : dict
        The terms of every column of text, and their components.
    categorical_ : tuple of int
        Which columns of the result are codes of categories.
    decisions_ : Decisions
        Choices made in `fit`, and why.

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

    _missing_values = True

    def __init__(
        self,
        columns: Mapping[str, str] | None = None,
        *,
        scale: str = "zscore",
        encoding: str = "onehot",
        text: str = "components",
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.columns = columns
        self.scale = scale
        self.encoding = encoding
        self.text = text
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Learn the scale of numbers and the categories of `X`, any table; `y` is ignored."""
        check_choice("scale", self.scale, SCALES)
        check_choice("encoding", self.encoding, ENCODINGS)
        check_choice("text", self.text, TEXTS)
        if sp.issparse(X):
            raise ParameterTypeError("X is sparse, and columns are needed. Give X.toarray().")
        source = self._open(X)
        used = self._used(source)
        decisions = Decisions()
        rows = _mixed(source, used)
        categories = [name for name, kind in used.items() if kind == "category"]
        texts = [name for name, kind in used.items() if kind == "text"]
        reduction = TableColumns(len(used) - len(categories) - len(texts), len(categories))
        n_rows, numbers, counted = self._engine(source, decisions).reduce(
            Checked(reduction, rows.columns, allow_nan=True), rows
        )
        self.columns_, self.decisions_ = used, decisions
        self.fill_, self.shift_, self.spread_ = self._scales(numbers, n_rows)
        self.categories_ = {
            name: self._categories(counts, n_rows)
            for name, counts in zip(categories, counted, strict=True)
        }
        codes = len(categories) if self.encoding == "codes" else 0
        self.categorical_ = tuple(range(len(self.fill_), len(self.fill_) + codes))
        others = max(len(used) - len(texts), 1)
        self.texts_ = {name: text_components(source, name, others) for name in texts}
        self._note(np.asarray(numbers.count < n_rows), source)
        self._of_source = is_source(X)
        return self

    def transform(self, X: object) -> TableLike:
        """Return the rows of `X` as numbers: columns of numbers first, then categories."""
        check_is_fitted(self)
        source = self._matched(X)
        rows = _mixed(source, self.columns_)
        encoder = TableEncoder(self, rows.columns)
        encoded = joined(list(self._engine(source).map(encoder, rows)))
        if self._texts and self.text == "terms":
            terms = [one.terms(source) for one in self._texts.values()]
            return sp.csr_array(sp.hstack([sp.csr_array(encoded), *terms], format="csr"))
        if self._texts:
            encoded = np.hstack([encoded, *(one(source) for one in self._texts.values())])
        if getattr(self, "_of_source", False):  # what follows was fitted on arrays
            return encoded
        return like(X, encoded, list(self.get_feature_names_out()))

    def get_feature_names_out(self, input_features: object = None) -> AnyArray:
        """Return the names of the columns of the result: of a category, ``column=category``."""
        check_is_fitted(self)
        names = self._numbers()
        for name, categories in self.categories_.items():
            several = self.encoding == "onehot"
            names.extend(f"{name}={one}" for one in categories) if several else names.append(name)
        for name, text in self._texts.items():
            parts = text.names if self.text == "components" else text.weights.terms_
            names.extend(f"{name}: {one}" for one in parts)
        return np.array(names, dtype=object)

    def origins(self) -> list[str]:
        """Return for every column of the result the column that it comes from."""
        check_is_fitted(self)
        names = self._numbers()
        for name, categories in self.categories_.items():
            names.extend([name] * (len(categories) if self.encoding == "onehot" else 1))
        for name, text in self._texts.items():
            terms = self.text == "terms"
            names.extend([name] * len(text.weights.terms_ if terms else text.directions))
        return names

    def _numbers(self) -> list[str]:
        """Return the columns of numbers and dates."""
        return [name for name, kind in self.columns_.items() if kind in ("number", "date")]

    @property
    def _texts(self) -> dict[str, TextComponents]:
        """The columns of text; models fitted before there were any have none."""
        return getattr(self, "texts_", {})

    def _used(self, source: Source) -> dict[str, str]:
        """Return the columns to use, by name, with the way in which each is read."""
        if self.columns is None:
            used = {
                column.name: column.kind if column.kind in ("category", "date") else "number"
                for column in source.columns
                if column.kind != "text"
            }
        else:
            used = dict(self.columns)
            named = {column.name for column in source.columns}
            lost = [name for name in used if name not in named]
            odd = [kind for kind in used.values() if kind not in KINDS]
            if lost or odd:
                raise ColumnError(
                    f"columns names {shown((lost or odd)[0])}, which is no "
                    f"{'column of X' if lost else 'kind'}. Give columns of X, each 'number', "
                    "'date', 'category' or 'text'."
                )
        if not used:
            raise ShapeError("No column is left to compare rows by. Give numbers or categories.")
        return used

    def _matched(self, X: object) -> Source:
        """Return the rows to transform, which must have all columns of fit."""
        require_dense(X, "columns are encoded one by one")
        source = open_source(X)
        if source.named and not hasattr(self, "feature_names_in_"):
            raise ColumnError(
                "X names its columns, and the rows of fit had no names. Give an array of the same "
                f"{self.n_features_in_} columns, or fit on a table with names."
            )
        if not source.named:
            return self._reopen(X)
        given = {column.name for column in source.columns}
        lost = [name for name in self.columns_ if name not in given]
        if lost:
            listed = few(lost)
            raise ColumnError(
                f"X lacks {len(lost)} of the {len(self.columns_)} columns of fit: {listed}. "
                "Give them under the same names."
            )
        return source

    def _scales(self, numbers: ColumnSummary, n_rows: int) -> tuple[Array, Array, Array]:
        """Return what missing numbers are imputed with, what is subtracted, and divided by."""
        count, mean, variance = numbers[:3]
        fill = np.where(count > 0, mean, 0.0)
        if self.scale == "none":
            return fill, np.zeros(len(fill)), np.ones(len(fill))
        scatter = np.where(count > 0, variance, 0.0) * count
        spread = np.sqrt(scatter / n_rows)  # of the column with its missing values imputed
        return fill, fill, np.where(spread > 10 * EPS * np.abs(fill), spread, 1.0)

    def _categories(self, counts: Mapping[str, float], n_rows: int) -> tuple[str, ...]:
        """Return the categories; where rows lack one, one-hot encoding has one for them."""
        missing = self.encoding == "onehot" and sum(counts.values()) < n_rows
        return (*counts, *((MISSING,) if missing else ()))

    def _note(self, lacking: AnyArray, source: Source) -> None:
        """Record what was imputed, encoded and left out."""
        numbers = self._numbers()
        onehot = self.encoding == "onehot"
        incomplete = [numbers[j] for j in np.flatnonzero(lacking)]
        if onehot and incomplete:
            reason = f"missing in {_columns(incomplete)}"
            self.decisions_.add("missing values", "imputed with the mean", reason)
        if self.categories_:
            how = "one-hot encoded" if onehot else "encoded as codes"
            self.decisions_.add("categories", how, _columns(list(self.categories_)))
        if self.texts_:
            self.decisions_.add("text", "tf-idf " + self.text, _columns(list(self.texts_)))
        text = [column.name for column in source.columns if column.kind == "text"]
        if self.columns is None and text:
            self.decisions_.add("text", "left out", _columns(text))


class TableEncoder:
    """The transform of a fitted preprocessor for one chunk; picklable, without any rows."""

    def __init__(self, model: TablePreprocessor, columns: tuple[Column, ...]) -> None:
        self.columns = columns
        self.onehot = model.encoding == "onehot"
        self.fill, self.shift, self.spread = model.fill_, model.shift_, model.spread_
        self.categories = list(model.categories_.values())

    def __call__(self, chunk: Chunk) -> AnyArray:
        """Return the encoded rows."""
        X: AnyArray = chunk.X
        require_finite(X, chunk.offset, self.columns, allow_nan=True)
        widths = [len(known) if self.onehot else 1 for known in self.categories]
        place = n_numbers = X.shape[1]
        encoded = np.empty((len(X), n_numbers + sum(widths)), X.dtype)
        encoded[:, n_numbers:] = 0.0
        self._scale(X, encoded[:, :n_numbers])
        for number, (known, width) in enumerate(zip(self.categories, widths, strict=True)):
            assert chunk.y is not None
            block = encoded[:, place : place + width]
            self._encode(chunk.y[:, number], known, block)
            place += width
        return encoded

    def _scale(self, X: AnyArray, numbers: AnyArray) -> None:
        """Write the numbers into their block of the result: missing ones imputed, scaled."""
        with np.errstate(over="ignore", invalid="ignore"):
            total = X.sum()
        if self.onehot and np.isnan(total):  # a value is missing, or infinite sums cancel
            row, column = np.nonzero(np.isnan(X))
            numbers[:] = X
            numbers[row, column] = self.fill[column]
            X = numbers
        np.subtract(X, self.shift.astype(X.dtype), out=numbers)
        if (self.spread != 1.0).any():
            numbers /= self.spread.astype(X.dtype)

    def _encode(self, cells: AnyArray, known: tuple[str, ...], block: AnyArray) -> None:
        """Write the categories of one column into its block of the result."""
        codes = _codes(cells, known)
        if self.onehot:
            rows = np.flatnonzero((codes >= 0) & (codes < len(known)))
            block[rows, codes[rows]] = ONE
        else:
            block[:, 0] = np.where(codes < 0, np.nan, codes)


def _mixed(source: Source, used: Mapping[str, str]) -> MixedColumns:
    categories = [name for name, kind in used.items() if kind == "category"]
    numbers = [name for name, kind in used.items() if kind in ("number", "date")]
    return MixedColumns(source, numbers, categories)


def _codes(cells: AnyArray, known: tuple[str, ...]) -> Rows:
    """Return the number of each category, one more for a new one; that of missing, or -1."""
    code: dict[str | None, int] = {category: number for number, category in enumerate(known)}
    code[None] = code.get(MISSING, -1)
    return np.fromiter(map(code.get, cells.tolist(), repeat(len(known))), np.int64, len(cells))


def _columns(names: list[str], most: int = 5) -> str:
    shown = ", ".join(names[:most]) + (", …" if len(names) > most else "")
    return f"{len(names)} {'column' if len(names) == 1 else 'columns'}: {shown}"
