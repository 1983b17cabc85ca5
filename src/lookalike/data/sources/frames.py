"""Rows of a data frame of any library, and results as a frame of the same kind."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

import narwhals
import narwhals.stable.v2 as nw
import numpy as np

from lookalike.data.chunk import Column, DateOrder, Home, Kind, RoleChoice
from lookalike.data.column_types import SAMPLE_ROWS, is_number, kind_of_values
from lookalike.data.sources.tensors import as_given
from lookalike.data.tables import (
    TableSource,
    check_column_types,
    given_date_orders,
    require_distinct,
    resolve_roles,
)
from lookalike.decisions import Decisions
from lookalike.errors import ColumnError, ShapeError
from lookalike.inexact import first_inexact, warn_inexact
from lookalike.missing import is_missing
from lookalike.typing import AnyArray, TableLike
from lookalike.validation import shown

OBJECT_TYPES = (nw.Object, nw.Unknown)
WIDE_INTEGERS = (nw.Int128, nw.UInt128)


class FrameSource(TableSource):
    """The rows of a pandas, polars or Arrow table, or of another that narwhals knows.

    A null and a NaN are both missing, and NaN in a number column. A categorical column is of kind
    category, with the categories that its type declares. The index of a pandas frame is not read;
    columns named on several levels, or two of one name, are an error.

    Examples
    --------
    >>> import pyarrow
    >>> table = pyarrow.table({"age": [30, None], "town": ["Graz", "Linz"], "ill": [True, False]})
    >>> source = FrameSource(table, target="ill")
    >>> [(column.name, column.kind) for column in source.columns]
    [('age', 'number'), ('town', 'category')]
    >>> next(source.tables()).values["age"].tolist()
    [30.0, nan]
    """

    repeatable = True
    home: Home = "memory"

    def __init__(
        self,
        data: object,
        y: object = None,
        *,
        types: Mapping[str, Kind] | None = None,
        **roles_given: Unpack[RoleChoice],
    ) -> None:
        frame = as_frame(data)
        self.n_rows: int | None = len(frame)
        if not self.n_rows:
            raise ShapeError("The frame has columns and no rows. Give at least one row.")
        names = [str(name) for name in frame.columns]
        roles = resolve_roles(names, y=y, n_rows=self.n_rows, **roles_given)
        needed = {*roles.needed}
        self._series = {
            n: s for n, s in zip(names, frame.iter_columns(), strict=True) if n in needed
        }
        given, orders = check_column_types(types, names), given_date_orders(types)
        self.decisions: Decisions = Decisions()
        known = [
            column_of(
                n,
                s,
                given.get(n),
                label=n in roles.target,
                decisions=self.decisions,
                order=orders.get(n),
            )
            for n, s in self._series.items()
        ]
        self._date_orders = {column.name: column.date_order for column in known}
        self._kinds = {column.name: column.kind for column in known}
        numbers = {n: s for n, s in self._series.items() if self._kinds[n] in ("number", "boolean")}
        # pandas gives its columns as views at once; others may copy, and are read part by part
        pandas = frame.implementation.is_pandas_like()
        self._arrays = {n: values_of(s, n, "number") for n, s in numbers.items()} if pandas else {}
        self._dtypes = {
            n: self._arrays[n].dtype if pandas else _dtype_of(s, n) for n, s in numbers.items()
        }
        super().__init__(known, self._dtypes, roles)
        for name in roles.features:
            if first := inexact(self._series[name]):
                warn_inexact(first[1], first[0], name)
                break

    def _read(self, rows: int) -> Iterator[dict[str, AnyArray]]:
        for start in range(0, self.n_rows or 0, rows):
            part = slice(start, start + rows)
            piece = {name: values[part] for name, values in self._arrays.items()}
            for name, series in self._series.items():
                if name not in piece:
                    order = self._date_orders[name]
                    values = values_of(series[part], name, self._kinds[name], start, order)
                    piece[name] = values.astype(self._dtypes.get(name, values.dtype), copy=False)
            yield piece


def like(original: object, values: AnyArray, columns: Sequence[str]) -> TableLike:
    """Return `values` as a frame of the kind of `original`: pandas keeps its index.

    Rows on a GPU give a tensor or an array there. Where `original` is neither, `values` itself
    is returned.

    Examples
    --------
    >>> import pandas
    >>> like(pandas.DataFrame({"a": [1, 2]}, index=["p", "q"]), np.eye(2), ["pc1", "pc2"])
       pc1  pc2
    p  1.0  0.0
    q  0.0  1.0
    """
    frame = nw.from_native(original, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return as_given(original, values)
    answer = nw.from_numpy(values, list(columns), backend=frame.implementation)
    index = nw.maybe_get_index(frame)
    native = nw.to_native(answer)
    if index is not None:
        native.index = index
    wrapped = nw.to_native(original, pass_through=True) is not original
    return narwhals.from_native(native) if wrapped else native


def as_frame(data: object) -> nw.DataFrame[Any]:
    """Return `data` as a narwhals frame whose columns have names of one level, all distinct."""
    native = nw.to_native(data, pass_through=True)
    labels: Any = getattr(native, "columns", None)
    if getattr(labels, "nlevels", 1) > 1:
        raise ColumnError(
            f"The frame names its columns on {labels.nlevels} levels, for example {labels[0]!r}. "
            "Give one name per column: df.columns = ['_'.join(map(str, c)) for c in df.columns]."
        )
    names = native.column_names if hasattr(native, "column_names") else list(labels)
    require_distinct([str(name) for name in names], "The frame")
    return nw.from_native(native, eager_only=True)


def column_of(
    name: str,
    series: narwhals.Series[Any],
    kind: Kind | None = None,
    *,
    label: bool = False,
    decisions: Decisions | None = None,
    order: DateOrder | None = None,
) -> Column:
    """Return name, kind and declared categories of a column; strings are typed by evidence.

    Strings under a `label` stay strings. What is not plain is recorded in `decisions`. Where
    strings are given as dates, `order` says how they are written, if it is known.
    """
    dtype = series.dtype
    if dtype == nw.String or dtype in OBJECT_TYPES:
        notes = Decisions() if decisions is None else decisions
        if kind == "date" and (texts := _are_texts(series)):
            return Column(name, kind, date_order=_text_date_order(name, texts, order, notes))
        kind = _kind_of_objects(name, series, kind, label, notes)
    if kind is not None:
        return Column(name, kind)
    if isinstance(dtype, nw.Enum):
        return Column(name, "category", tuple(dtype.categories))
    if dtype == nw.Categorical:
        # polars and Arrow grow their categories as rows come: only pandas declares them
        pandas_like = series.implementation.is_pandas_like()
        declared = tuple(series.cat.get_categories().to_list()) if pandas_like else None
        return Column(name, "category", declared)
    if dtype.is_numeric() or dtype in (nw.Boolean, nw.Date, nw.Datetime):
        number: Kind = "number" if dtype.is_numeric() else "date"
        return Column(name, "boolean" if dtype == nw.Boolean else number)
    raise ColumnError(
        f"column {name!r} is of type {dtype}, of which no distance is defined. Leave it out with "
        f"drop=[{name!r}], or write columns of numbers or text in its place."
    )


def values_of(
    series: narwhals.Series[Any],
    name: str,
    kind: Kind,
    offset: int = 0,
    order: DateOrder | None = None,
) -> AnyArray:
    """Return a column as an array of its kind; `offset` is the number of its first row.

    `order` says how dates are written that are strings; a string that is not a date is missing.
    """
    if kind in ("number", "boolean"):
        if series.dtype in WIDE_INTEGERS:  # which NumPy does not have
            return _numbers_of(series, name, offset)
        values = series.to_numpy()
        return values if values.dtype.kind in "biuf" else _numbers_of(series, name, offset)
    if kind == "date":
        return _dates_of(series, name, order)
    values = np.empty(len(series), object)
    values[:] = series.to_list()
    values[series.is_null().to_numpy()] = None
    if series.dtype in OBJECT_TYPES:
        values[[is_missing(value) for value in values]] = None
    return values


def inexact(series: narwhals.Series[Any]) -> tuple[int, int] | None:
    """Return place and value of the first whole number that float64 cannot represent."""
    if series.dtype in WIDE_INTEGERS:
        values = enumerate(series.fill_null(0).to_list())
        return next(((row, cell) for row, cell in values if int(float(cell)) != cell), None)
    if series.dtype not in (nw.Int64, nw.UInt64):
        return None
    return first_inexact(series.fill_null(0).to_numpy())


def _dtype_of(series: narwhals.Series[Any], name: str) -> np.dtype:
    dtype = values_of(series[:1], name, "number").dtype
    return dtype if dtype.kind == "f" or not series.null_count() else np.dtype(np.float64)


def _kind_of_objects(
    name: str, series: narwhals.Series[Any], kind: Kind | None, label: bool, decisions: Decisions
) -> Kind:
    if kind not in (None, "number"):
        return kind
    if series.dtype in OBJECT_TYPES and series.to_numpy().dtype.kind in "biuf":
        return "number"
    values = series[:SAMPLE_ROWS].to_list()
    if plain := kind_of_values(values):
        return kind or plain
    for index, value in enumerate(values):
        if not isinstance(value, (str, dt.date)) and not is_number(value) and not is_missing(value):
            raise ColumnError(
                f"column {name!r} holds {shown(value)} at row {index}, which is neither a text, a "
                f"number nor a date. Leave it out with drop=[{name!r}], or give "
                f"types={{{name!r}: 'category'}} to take each value as a category."
            )
    from lookalike.data.formats.parse_cells import ColumnForm
    from lookalike.data.formats.typed_values import kind_of_texts, record_odd_cells, text_cells

    form = ColumnForm(kind) if kind else kind_of_texts(name, values, label=label)
    cells = text_cells(values)
    array = parse_strings(values) if form.kind == "number" else np.empty(0)
    record_odd_cells(name, cells, array, form, decisions, given=kind is not None)
    return form.kind


def parse_strings(values: Sequence[object]) -> AnyArray:
    """Return strings and numbers as float64, NaN where one is not; else true and false as 1, 0."""
    from lookalike.data.formats.number_form import NumberForm, parse_numbers
    from lookalike.data.formats.parse_cells import parse_truths
    from lookalike.data.formats.typed_values import text_cells

    cells = text_cells(values)
    numbers = parse_numbers(cells, NumberForm())
    return parse_truths(cells) if np.isnan(numbers).all() else numbers


def _are_texts(series: narwhals.Series[Any]) -> list[object]:
    """Return the first values where one of them is a string, none where they are dates."""
    values = series[:SAMPLE_ROWS].to_list()
    return values if any(isinstance(value, str) for value in values) else []


def _text_date_order(
    name: str, values: Sequence[object], order: DateOrder | None, decisions: Decisions
) -> DateOrder:
    """Return how strings that are dates are written, and record what is not plain of them."""
    from lookalike.data.formats.date_form import recognize_dates
    from lookalike.data.formats.parse_cells import ColumnForm
    from lookalike.data.formats.parse_dates import parse_dates
    from lookalike.data.formats.typed_values import record_odd_cells, text_cells

    cells = text_cells(values)
    form = ColumnForm("date", date_order=order)
    if order is None and (dates_form := recognize_dates(cells, name, given=True)) is not None:
        form = ColumnForm(
            "date", reason=dates_form.reason, date_order=dates_form.order, words=dates_form.choice
        )
    order = form.date_order or "ymd"
    dates = parse_dates(cells, order)
    if np.isnat(dates).all():
        raise ColumnError(
            f"column {name!r} of type String holds no dates, for example {shown(values[0])}. Give "
            f"types={{{name!r}: 'category'}}, or leave it out with drop=[{name!r}]."
        )
    record_odd_cells(name, cells, dates, form, decisions)
    return order


def _dates_of(series: narwhals.Series[Any], name: str, order: DateOrder | None) -> AnyArray:
    if order is not None:
        from lookalike.data.formats.parse_dates import parse_dates
        from lookalike.data.formats.typed_values import text_cells

        return parse_dates(text_cells(series.to_list()), order)
    values = series.to_numpy()
    try:
        if values.dtype.kind in "OUM":
            return values.astype("datetime64[us]")
    except (TypeError, ValueError):
        pass
    raise ColumnError(f"column {name!r} of type {series.dtype} holds no dates. Give another kind.")


def _numbers_of(series: narwhals.Series[Any], name: str, offset: int) -> AnyArray:
    """Return a column of numbers or strings as float64; what is not a number is missing.

    The first rows were seen when the column was typed; what comes later is a warning.
    """
    values = series.to_list()
    if all(is_missing(value) or is_number(value) for value in values):
        return np.array([np.nan if is_missing(value) else float(value) for value in values])
    numbers = parse_strings(values)
    odd = [i for i in np.flatnonzero(np.isnan(numbers)) if not is_missing(values[i])]
    if later := [position for position in odd if offset + position >= SAMPLE_ROWS]:
        warnings.warn(
            f"column {name!r}: {len(later):,} cells are not numbers and become missing, the first "
            f"is {values[later[0]]!r} at row {offset + later[0]}.",
            stacklevel=4,
        )
    return numbers
