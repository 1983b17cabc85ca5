"""What frames and files share: columns by name and kind, of which some are features."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, get_args

import numpy as np

from lookalike.data.batches import rebatch
from lookalike.data.chunk import Chunk, Column, DateOrder, Home, Kind, Table, chunk_rows
from lookalike.data.column_types import SAMPLE_ROWS, first_not_numeric, looks_like_number
from lookalike.data.targets import as_target, as_weight
from lookalike.decisions import Decision
from lookalike.errors import ColumnError, ParameterError, ParameterTypeError, ShapeError
from lookalike.typing import AnyArray, Array
from lookalike.validation import few, is_int, shown

TRANSPOSED_ROWS = 4096  # rows of columns that become rows of a matrix at a time
TYPE_PLURALS = {"category": "text", "text": "text", "date": "dates", "id": "identifiers"}


class ColumnRoles(NamedTuple):
    """Which columns are features, target and weight, and y and weight that were given as arrays."""

    features: tuple[str, ...]
    target: tuple[str, ...] = ()
    weight: str | None = None
    given_y: AnyArray | None = None
    given_weight: Array | None = None

    @property
    def needed(self) -> tuple[str, ...]:
        """All columns that must be read."""
        return (*self.features, *self.target, *((self.weight,) if self.weight else ()))


class TableSource(ABC):
    """Rows with named columns of several kinds. A subclass reads them, in pieces of any size.

    Parameters
    ----------
    columns : sequence of Column
        All columns that the rows have.
    dtypes : mapping
        For each number and boolean column, the type of its array.
    roles : ColumnRoles
        Which of the columns are features, target and weight.
    """

    n_rows: int | None
    repeatable: bool
    home: Home = "stream"
    named = True
    decisions: Sequence[Decision] = ()  # how the rows are read
    given_types: Collection[str] = ()  # columns whose type the user gave
    odd_cells: Mapping[str, str] = MappingProxyType({})  # by column: what is missing therefore

    def __init__(
        self, columns: Sequence[Column], dtypes: Mapping[str, np.dtype], roles: ColumnRoles
    ) -> None:
        by_name = {column.name: column for column in columns}
        self._roles = roles
        target = [by_name[name].kind for name in roles.target if name in by_name]
        self._target_is_boolean = target == ["boolean"]
        self.columns: tuple[Column, ...] = tuple(by_name[name] for name in roles.features)
        self.n_features: int = len(self.columns)
        numbers = [dtypes[name] for name in roles.features if name in dtypes]
        self.dtype: np.dtype = np.result_type(*numbers) if numbers else np.dtype(np.float64)

    @abstractmethod
    def _read(self, rows: int) -> Iterator[dict[str, AnyArray]]:
        """Give the needed columns, in pieces of about `rows` rows."""

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the rows column by column, of whatever kind the columns are."""
        rows = chunk_rows(rows, self.n_features, self.dtype.itemsize)
        return rebatch(self._with_roles(self._read(rows)), rows)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows as matrices; a column that is not numeric is an error."""
        rows = chunk_rows(rows, self.n_features, self.dtype.itemsize)
        if any(column.kind not in ("number", "boolean") for column in self.columns):
            raise self._not_numeric(rows)
        return (matrix_of(table, self.dtype) for table in self.tables(rows))

    def _with_roles(self, pieces: Iterator[dict[str, AnyArray]]) -> Iterator[Table]:
        roles, offset = self._roles, 0
        for piece in pieces:
            length = len(next(iter(piece.values())))
            part = slice(offset, offset + length)
            y = None if roles.given_y is None else roles.given_y[part]
            if len(roles.target) == 1:
                y = piece[roles.target[0]]
                y = truth_values(y) if self._target_is_boolean else y
            elif roles.target:
                y = _columns([piece[name] for name in roles.target])
            weight = None if roles.given_weight is None else roles.given_weight[part]
            if roles.weight:
                weight = as_weight(piece[roles.weight], length, offset=offset)
            self._check_given(offset + length, exact=False)
            yield Table({name: piece[name] for name in roles.features}, y, weight, offset)
            offset += length
        if not offset:
            raise ShapeError("The table has columns and no rows. Give at least one row.")
        self._check_given(offset, exact=True)

    def _check_given(self, n_rows: int, *, exact: bool) -> None:
        for name, given in (("y", self._roles.given_y), ("weight", self._roles.given_weight)):
            if given is not None and (len(given) < n_rows or (exact and len(given) > n_rows)):
                total = n_rows if exact else f"at least {n_rows}"
                raise ShapeError(
                    f"{name} holds {len(given)} entries, the table has {total} rows. "
                    f"Give one entry of {name} a row."
                )

    def _not_numeric(self, rows: int) -> ColumnError:
        column = next(c for c in self.columns if c.kind not in ("number", "boolean"))
        where = ""
        for table in self.tables(rows) if self.repeatable else ():
            first = first_not_numeric(table.values[column.name].tolist())
            if first and (not where or not looks_like_number(first[1])):
                where = f": {str(first[1])!r} at row {table.offset + first[0]}"
            if first and (table.offset > SAMPLE_ROWS or not looks_like_number(first[1])):
                break
        return ColumnError(
            f"column {column.name!r} holds {TYPE_PLURALS[column.kind]}{where}, where numbers are "
            f"needed. Leave it out with drop=[{column.name!r}], name it as target, or encode it as "
            "numbers."
        )


def truth_values(values: AnyArray) -> AnyArray:
    """Return labels that are 0, 1 or NaN as booleans, which are objects where some are missing.

    Examples
    --------
    >>> truth_values(np.array([1.0, 0.0])), truth_values(np.array([1.0, np.nan]))
    (array([ True, False]), array([True, None], dtype=object))
    """
    if values.dtype.kind != "f":
        return values
    missing = np.isnan(values)
    if not missing.any():
        return values.astype(bool)
    truths: AnyArray = (values == 1).astype(object)
    truths[missing] = None
    return truths


def matrix_of(table: Table, dtype: np.dtype) -> Chunk:
    """Return columns of numbers as the rows of one matrix.

    Examples
    --------
    >>> matrix_of(Table({"a": np.array([1, 2]), "b": np.array([0.5, 4.0])}), np.dtype(float)).X
    array([[1. , 0.5],
           [2. , 4. ]])
    """
    values = list(table.values.values())
    X = np.empty((len(values[0]), len(values)), dtype)
    for start in range(
        0, len(X), TRANSPOSED_ROWS
    ):  # this many rows of the matrix stay in the cache
        block = X[start : start + TRANSPOSED_ROWS]
        for j, column in enumerate(values):
            block[:, j] = column[start : start + TRANSPOSED_ROWS]
    return Chunk(X, table.y, table.weight, table.offset)


def resolve_roles(
    names: Sequence[str],
    *,
    columns: object = None,
    target: object = None,
    drop: object = None,
    y: object = None,
    weight: object = None,
    n_rows: int | None = None,
) -> ColumnRoles:
    """Return which of the columns `names` are features, target and weight.

    Columns are named by name or by position; those to `drop` are none of these. `weight` is a
    column or an array of numbers.
    """
    if target is not None and y is not None:
        raise ParameterError("Both y and target are given. Give one of them.")
    targets = _named(names, target, "target")
    weights = _named(names, weight, "weight") if isinstance(weight, str) else ()
    dropped = {*_named(names, drop, "drop")}
    taken = {*targets, *weights}
    if both := sorted(taken & dropped):
        raise ColumnError(f"column {both[0]!r} is both dropped and a target or weight. Choose one.")
    if len(taken) < len(targets) + len(weights):
        raise ColumnError(f"column {weights[0]!r} is both target and weight. Choose one.")
    features = _named(names, columns, "columns")
    if both := [name for name in features if name in taken]:
        raise ColumnError(f"column {both[0]!r} is a feature and a target or weight. Choose one.")
    if columns is None:
        features = tuple(name for name in names if name not in taken | dropped)
    if not features:
        raise ShapeError("No column is left as a feature. Give a table with more columns.")
    given = None if weights else as_weight(weight, n_rows)
    return ColumnRoles(
        features, targets, weights[0] if weights else None, as_target(y, n_rows), given
    )


def check_column_types(types: Mapping[str, Kind] | None, names: Sequence[str]) -> dict[str, Kind]:
    """Return the types that the user names, each a known type of a column that exists.

    How dates are written (``"date:dmy"``) is left out: see :func:`given_date_orders`.
    """
    if types is not None and not isinstance(types, Mapping):
        raise ParameterTypeError(f"types={shown(types)} is not a mapping. Give {{name: type}}.")
    _named(names, types, "types")
    orders = given_date_orders(types)
    for name, kind in (types or {}).items():
        if not isinstance(kind, str) or (kind not in get_args(Kind) and name not in orders):
            raise ParameterError(
                f"types gives {name!r} the type {shown(kind)}, which is not known. Give one of "
                f"{', '.join(get_args(Kind)[:-1])}, or how dates are written: "
                f"{', '.join(f'date:{order}' for order in get_args(DateOrder))}."
            )
    return {name: "date" if name in orders else kind for name, kind in (types or {}).items()}


def given_date_orders(types: Mapping[str, str] | None) -> dict[str, DateOrder]:
    """Return how the dates of columns are written, where types say so.

    Examples
    --------
    >>> given_date_orders({"sold": "date:dmy", "built": "date", "town": "category"})
    {'sold': 'dmy'}
    """
    orders = {f"date:{order}": order for order in get_args(DateOrder)}
    given = (types or {}).items()
    return {name: orders[kind] for name, kind in given if isinstance(kind, str) and kind in orders}


def require_no_types(types: Mapping[str, Kind] | None) -> None:
    """Raise where columns of numbers without names are given types."""
    if not isinstance(types, Mapping | None) or types:
        raise ParameterError(
            f"types={shown(types)} names types of columns, and these rows are all numbers. "
            "Leave it out, or give a data frame."
        )


def require_distinct(names: Sequence[str], what: str) -> None:
    """Raise ColumnError where two columns have one name."""
    seen: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in seen:
            raise ColumnError(
                f"{what} has two columns named {name!r}, number {seen[name] + 1} and {index + 1}. "
                "Rename one of them."
            )
        seen[name] = index


def _named(names: Sequence[str], given: object, parameter: str) -> tuple[str, ...]:
    if given is None:
        return ()
    given = [given] if isinstance(given, (str, bytes)) or not np.iterable(given) else given
    known = set(names)
    chosen = tuple(
        name if isinstance(name, str) and name in known else _name_of(names, name, parameter)
        for name in given
    )
    require_distinct(chosen, f"{parameter}={list(chosen)}")
    return chosen


def _name_of(names: Sequence[str], given: object, parameter: str) -> str:
    if is_int(given) and -len(names) <= operator.index(given) < len(names):
        return str(names[operator.index(given)])
    raise ColumnError(
        f"{parameter} names {shown(given)}, and there is no such column. The columns are "
        f"{few(names)}. Name one of them."
    )


def _columns(values: list[AnyArray]) -> AnyArray:
    """Return columns as one array, of objects where dates and others have no common type."""
    if len({column.dtype.kind in "mM" for column in values}) > 1:
        values = [column.astype(object) for column in values]
    return np.column_stack(values)
