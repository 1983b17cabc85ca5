"""Mixed tables made numeric: missing values imputed, numbers scaled, categories encoded."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import DateOrder
from lookalike.data.select import RenamedColumns
from lookalike.data.source import Source, is_source, open_features
from lookalike.data.sources.absent_columns import AbsentColumns
from lookalike.data.sources.frames import like
from lookalike.data.sources.mixed_columns import MixedColumns
from lookalike.decisions import Decisions
from lookalike.errors import ColumnError, InputWarning, ParameterTypeError, ShapeError
from lookalike.models.estimator import Model, check_is_fitted, join_outputs, with_callbacks
from lookalike.models.inputs import require_dense
from lookalike.models.linalg.magnitude import column_deviations, require_span
from lookalike.models.preprocessing.date_features import (
    DATE_PARTS,
    calendar_names,
    date_orders,
    recurring_parts,
    tried_parts,
)
from lookalike.models.preprocessing.scaler import FLOAT64_EPSILON
from lookalike.models.preprocessing.table_encoder import (
    MISSING_CATEGORY,
    ONEHOT_VALUE,
    TableEncoder,
    require_encoded,
)
from lookalike.models.preprocessing.unknown_categories import CountingEncoder, warn_of_unknown
from lookalike.models.sklearn_bases import TransformerMixin
from lookalike.models.text.components import TextComponents, text_components
from lookalike.reductions.columns import ColumnSummary
from lookalike.reductions.table_columns import TableColumns
from lookalike.reductions.wrappers import Checked
from lookalike.typing import AnyArray, Array, TableLike
from lookalike.validation import check_choice, check_sequence, few, shown

COLUMN_KINDS = ("number", "date", "category", "text")
SCALING_METHODS = ("zscore", "none")
CATEGORY_ENCODINGS = ("onehot", "codes")
TEXT_ENCODINGS = ("components", "terms")
ABSENT_COLUMNS = ("error", "impute")
HANDLE_UNKNOWN = ("ignore", "warn")


class TablePreprocessor(TransformerMixin, Model):
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
        The columns used, each "number", "date", "category" or "text"; all but text and identifiers
        when None. Other columns may be present and are not read.
    scale : {"zscore", "none"}, default="zscore"
        Whether numbers are standardized.
    encoding : {"onehot", "codes"}, default="onehot"
        How categories are encoded.
    text : {"components", "terms"}, default="components"
        What columns of text become. With "terms" and such a column the result is sparse.
    date_parts : sequence of {"month", "weekday", "hour"}, default=("month", "weekday", "hour")
        What a date becomes besides its position in time, in days: of these, the ones that come
        back in the rows of `fit`. Month and hour are points on a circle, so that December is next
        to January; the weekday is a category.
    absent_columns : {"error", "impute"}, default="error"
        What `transform` does with rows that lack columns of `fit`: an error, or all cells of these
        columns count as missing, with an :class:`lookalike.errors.InputWarning`.
    handle_unknown : {"ignore", "warn"}, default="ignore"
        Categories that rows of `fit` had not equal none that they had. With "warn" they are named
        in an :class:`lookalike.errors.InputWarning`.
    engine, n_jobs
        As in :class:`lookalike.StandardScaler`.

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
    date_parts_ : dict
        The parts of every column of dates that are features.
    date_orders_ : dict
        How the dates of a column were written, where they came as text.
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

    columns_: dict[str, str]
    date_parts_: dict[str, tuple[str, ...]]
    fill_: Array
    texts_: dict[str, TextComponents]

    _missing_values = True

    def __init__(
        self,
        columns: Mapping[str, str] | None = None,
        *,
        scale: str = "zscore",
        encoding: str = "onehot",
        text: str = "components",
        date_parts: Sequence[str] = DATE_PARTS,
        absent_columns: str = "error",
        handle_unknown: str = "ignore",
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.columns = columns
        self.scale = scale
        self.encoding = encoding
        self.text = text
        self.date_parts = date_parts
        self.absent_columns = absent_columns
        self.handle_unknown = handle_unknown
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Learn the scale of numbers and the categories of `X`, any table; `y` is ignored."""
        check_choice("scale", self.scale, SCALING_METHODS)
        check_choice("encoding", self.encoding, CATEGORY_ENCODINGS)
        check_choice("text", self.text, TEXT_ENCODINGS)
        for part in check_sequence("date_parts", self.date_parts, "some of their names"):
            check_choice("date_parts", part, DATE_PARTS)
        check_choice("absent_columns", self.absent_columns, ABSENT_COLUMNS)
        check_choice("handle_unknown", self.handle_unknown, HANDLE_UNKNOWN)
        if sp.issparse(X):
            raise ParameterTypeError("X is sparse, and columns are needed. Give X.toarray().")
        source = self._open(X)
        used = self._used(source)
        decisions = Decisions()
        dates = [name for name, kind in used.items() if kind == "date"]
        self.date_orders_: dict[str, DateOrder] = date_orders(source, dates)
        tried = tried_parts(dates, self.date_parts, source)
        rows = _mix(source, used, tried, self.date_orders_)
        texts = [name for name, kind in used.items() if kind == "text"]
        categories = _category_names(used, tried)
        reduction = TableColumns(len(rows.columns), len(categories))
        engine = self._engine(source, decisions)
        n_rows, numbers, counted = engine.reduce(
            Checked(reduction, rows.columns, allow_nan=True), rows
        )
        self.columns_, self.decisions_ = used, decisions
        kept, self.date_parts_ = recurring_parts(rows.columns, numbers, tried)
        require_span(numbers.least, numbers.most, rows)
        deviation = column_deviations(numbers, rows, engine)[kept]
        numbers = ColumnSummary(*(field[kept] for field in numbers))
        self.fill_, self.shift_, self.spread_ = self._scales(numbers, deviation, n_rows)
        names = _category_names(used, self.date_parts_)
        self.categories_: dict[str, tuple[str, ...]] = {
            name: self._categories(counts, n_rows)
            for name, counts in zip(categories, counted, strict=True)
            if name in names
        }
        codes = len(names) if self.encoding == "codes" else 0
        self.categorical_: tuple[int, ...] = tuple(range(len(self.fill_), len(self.fill_) + codes))
        others = max(len(used) - len(texts), 1)
        self.texts_ = {name: text_components(source, name, others) for name in texts}
        self._note(np.asarray(numbers.count < n_rows), source)
        self._of_source = is_source(X)
        return self

    def transform(self, X: object) -> TableLike:
        """Return the rows of `X` as numbers: columns of numbers first, then categories."""
        check_is_fitted(self)
        source = self._match(X)
        orders = getattr(self, "date_orders_", {})
        rows = _mix(source, self.columns_, self._date_parts, orders)
        encoder = TableEncoder(
            rows.columns,
            (self.fill_, self.shift_, self.spread_),
            list(self.categories_.values()),
            onehot=self.encoding == "onehot",
        )
        known = self.categories_ if self.handle_unknown == "warn" else {}
        parts = list(self._engine(source).map(CountingEncoder(encoder, known), rows))
        encoded = join_outputs([part for part, _ in parts])
        warn_of_unknown(counts for _, counts in parts)
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
        names = [*self._numbers(), *(label for _, label in calendar_names(self._date_parts))]
        for name, categories in self.categories_.items():
            several = self.encoding == "onehot"
            names.extend(f"{name}={part}" for part in categories) if several else names.append(name)
        for name, text in self._texts.items():
            parts = text.names if self.text == "components" else text.weights.terms_
            names.extend(f"{name}: {part}" for part in parts)
        return np.array(names, dtype=object)

    def table_units(self, Z: AnyArray) -> Array:
        """Return encoded rows, or means of them, in the units of the table.

        Numbers are what they were; a column ``column=category`` is the share of rows that have the
        category, from 0 to 1; components of text stay as they are.

        Examples
        --------
        >>> import pyarrow
        >>> table = pyarrow.table({"age": [30.0, 50.0], "town": ["Graz", "Graz"]})
        >>> model = TablePreprocessor().fit(table)
        >>> model.table_units(model.transform(table).to_pandas().to_numpy().mean(axis=0)).tolist()
        [40.0, 1.0]
        """
        check_is_fitted(self)
        require_encoded(Z, len(self.get_feature_names_out()))
        units: Array = Z.astype(np.float64)
        n_numbers = len(self.fill_)
        units[..., :n_numbers] = units[..., :n_numbers] * self.spread_ + self.shift_
        if self.encoding == "onehot":
            start = n_numbers + len(list(calendar_names(self._date_parts)))
            width = sum(map(len, self.categories_.values()))
            units[..., start : start + width] /= ONEHOT_VALUE
        return units

    def origins(self) -> list[str]:
        """Return for every column of the result the column that it comes from."""
        check_is_fitted(self)
        names = [*self._numbers(), *(name for name, _ in calendar_names(self._date_parts))]
        weekday = {f"{name}: weekday": name for name in self._date_parts}
        for feature, categories in self.categories_.items():
            name = weekday.get(feature, feature)
            names.extend([name] * (len(categories) if self.encoding == "onehot" else 1))
        for name, text in self._texts.items():
            terms = self.text == "terms"
            names.extend([name] * len(text.weights.terms_ if terms else text.directions))
        return names

    def _numbers(self) -> list[str]:
        """Return the columns of numbers and dates."""
        return [name for name, kind in self.columns_.items() if kind in ("number", "date")]

    @property
    def _date_parts(self) -> dict[str, tuple[str, ...]]:
        """The parts of dates; models fitted before there were any have none."""
        return getattr(self, "date_parts_", {})

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
                if column.kind not in ("text", "id")
            }
        else:
            used = dict(self.columns)
            named = {column.name for column in source.columns}
            lost = [name for name in used if name not in named]
            odd = [kind for kind in used.values() if kind not in COLUMN_KINDS]
            if lost or odd:
                raise ColumnError(
                    f"columns names {shown((lost or odd)[0])}, which is no "
                    f"{'column of X' if lost else 'kind'}. Give columns of X, each 'number', "
                    "'date', 'category' or 'text'."
                )
        if not used:
            raise ShapeError("No column is left to compare rows by. Give numbers or categories.")
        return used

    def _match(self, X: object) -> Source:
        """Return the rows to transform, which must have all columns of fit."""
        require_dense(X, "columns are encoded one by one")
        source = open_features(
            X, categories=[n for n, k in self.columns_.items() if k == "category"]
        )
        if source.named and not hasattr(self, "feature_names_in_"):
            raise ColumnError(
                "X names its columns, and the rows of fit had no names. Give an array of the same "
                f"{self.n_features_in_} columns, or fit on a table with names."
            )
        if not source.named:
            source = self._reopen(X)
            names = getattr(self, "feature_names_in_", None)
            return source if names is None else RenamedColumns(source, names)
        given = {column.name for column in source.columns}
        lost = [name for name in self.columns_ if name not in given]
        if lost and self.absent_columns == "impute" and len(lost) < len(self.columns_):
            absent = f"X lacks {len(lost)} of the {len(self.columns_)} columns of fit: {few(lost)}."
            warnings.warn(f"{absent} Their cells count as missing.", InputWarning, stacklevel=3)
            return AbsentColumns(source, {name: self.columns_[name] for name in lost})
        if lost:
            listed = few(lost)
            raise ColumnError(
                f"X lacks {len(lost)} of the {len(self.columns_)} columns of fit: {listed}. "
                "Give them under the same names."
            )
        return source

    def _scales(
        self, numbers: ColumnSummary, deviation: Array, n_rows: int
    ) -> tuple[Array, Array, Array]:
        """Return what missing numbers are imputed with, what is subtracted, and divided by."""
        count, mean, variance = numbers[:3]
        fill = np.where(count > 0, mean, 0.0)
        if self.scale == "none":
            return fill, np.zeros(len(fill)), np.ones(len(fill))
        scatter = np.where(count > 0, variance, 0.0) * count
        spread = np.sqrt(scatter / n_rows)  # of the column with its missing values imputed
        large = deviation != np.sqrt(variance)  # squares of these leave the range of float64
        spread[large] = deviation[large] * np.sqrt(count[large] / n_rows)
        spread = np.where(spread > 10 * FLOAT64_EPSILON * np.abs(fill), spread, 1.0)
        spread[len(self._numbers()) :] *= np.sqrt(2.0)  # both numbers of a circle count as one
        return fill, fill, spread

    def _categories(self, counts: Mapping[str, float], n_rows: int) -> tuple[str, ...]:
        """Return the categories; where rows lack one, one-hot encoding has one for them."""
        missing = self.encoding == "onehot" and sum(counts.values()) < n_rows
        return (*counts, *((MISSING_CATEGORY,) if missing else ()))

    def _note(self, lacking: AnyArray, source: Source) -> None:
        """Record what was imputed, encoded and left out."""
        numbers = self._numbers()
        onehot = self.encoding == "onehot"
        incomplete = [numbers[j] for j in np.flatnonzero(lacking[: len(numbers)])]
        if onehot and incomplete:
            reason = f"missing in {_columns(incomplete)}"
            self.decisions_.add("missing values", "imputed with the mean", reason)
        if self.categories_:
            how = "one-hot encoded" if onehot else "encoded as codes"
            self.decisions_.add("categories", how, _columns(list(self.categories_)))
        for name, parts in self.date_parts_.items():
            choice = ", ".join(("position in time", *parts))
            self.decisions_.add(f"date {name}", choice, "these come back in the rows")
        if self.texts_:
            self.decisions_.add("text", "tf-idf " + self.text, _columns(list(self.texts_)))
        for kind, about in (("text", "text"), ("id", "identifiers")):
            names = [column.name for column in source.columns if column.kind == kind]
            if self.columns is None and names:
                self.decisions_.add(about, "left out", _columns(names))


def _mix(
    source: Source,
    used: Mapping[str, str],
    date_parts: Mapping[str, Sequence[str]],
    orders: Mapping[str, DateOrder],
) -> MixedColumns:
    categories = [name for name, kind in used.items() if kind == "category"]
    numbers = [name for name, kind in used.items() if kind in ("number", "date")]
    return MixedColumns(source, numbers, categories, date_parts, orders)


def _category_names(used: Mapping[str, str], parts: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the columns of categories, then the weekdays of dates."""
    weekdays = [f"{name}: weekday" for name, kept in parts.items() if "weekday" in kept]
    return [name for name, kind in used.items() if kind == "category"] + weekdays


def _columns(names: list[str], most: int = 5) -> str:
    shown = ", ".join(names[:most]) + (", …" if len(names) > most else "")
    return f"{len(names)} {'column' if len(names) == 1 else 'columns'}: {shown}"
