"""A batch of rows on its way through the package, and how many rows make one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypedDict

from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.settings import settings
from lookalike.typing import AnyArray, Array, is_tensor, to_host
from lookalike.validation import check_choice, check_kind, check_sequence, is_int, shown

if TYPE_CHECKING:
    import scipy.sparse

Kind: TypeAlias = Literal["number", "category", "text", "date", "id", "boolean"]
DateOrder: TypeAlias = Literal["ymd", "dmy", "mdy", "yyyymmdd", "seconds", "milliseconds"]
Home: TypeAlias = Literal["memory", "stream", "dask", "gpu"]
Matrix: TypeAlias = "AnyArray | scipy.sparse.csr_array"

MISSING_MARKERS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")
RAGGED_CHOICES = ("error", "skip")  # what becomes of a line with more or fewer cells
CHUNK_BYTES = 32 * 10**6
MIN_CHUNK_ROWS = 256
CHUNKS_PER_BUDGET = 32  # a chunk takes at most this part of the memory budget


class Column(NamedTuple):
    """Name and kind of one column; `categories` where its type declares them.

    `date_order` says how dates that came as text were written.
    """

    name: str
    kind: Kind = "number"
    categories: tuple[Hashable, ...] | None = None
    date_order: DateOrder | None = None


class ColumnChoice(TypedDict, total=False):
    """Which columns become features and y, as `open_source` takes them."""

    target: object
    columns: object
    drop: object


class TypeChoice(ColumnChoice, total=False):
    """Which columns become features and y, and their types."""

    types: Mapping[str, Kind] | None


class RoleChoice(ColumnChoice, total=False):
    """Which columns become features, y and weights; or weights of the rows."""

    weight: object


class TableChoice(TypeChoice, RoleChoice, total=False):
    """Which columns become features, y and weights, and their types."""


class Chunk(NamedTuple):
    """Some rows in order, as numbers."""

    X: Matrix  # (rows, features); a torch tensor where the rows lie on a GPU
    y: AnyArray | None = None
    weight: Array | None = None
    offset: int = 0  # global number of its first row

    def in_memory(self) -> Chunk:
        """Return the rows in memory, where they lie unless on a GPU."""
        return self._replace(X=to_host(self.X)) if is_tensor(self.X) else self

    def part(self, rows: slice | AnyArray) -> Chunk:
        """Return some of the rows; a slice moves the offset, a mask or an index does not."""
        y = None if self.y is None else self.y[rows]
        weight = None if self.weight is None else self.weight[rows]
        start = rows.start or 0 if isinstance(rows, slice) else 0
        return Chunk(self.X[rows], y, weight, self.offset + start)


class Table(NamedTuple):
    """Some rows in order, column by column, of any kind.

    A number or boolean column is a numeric array with NaN where a value is missing, a category
    or text column an object array with None, a date column datetime64[us] with NaT.
    """

    values: dict[str, AnyArray]
    y: AnyArray | None = None
    weight: Array | None = None
    offset: int = 0


class Dialect(NamedTuple):
    """The dialect of a csv file; None is recognized from its first lines."""

    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    missing: Sequence[str] = MISSING_MARKERS
    header: bool | None = None
    encoding: str | None = None
    ragged: str = "error"

    def checked(self) -> Dialect:
        """Return the dialect, checked: characters that differ, an encoding that exists."""
        for name in ("delimiter", "decimal", "thousands"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or len(value) != 1):
                raise ParameterError(f"{name}={value!r} is not one character. Give one.")
        if not (self.delimiter or ",").isascii() or self.delimiter in ('"', "\r", "\n", "\0"):
            raise ParameterError(
                f"delimiter={self.delimiter!r} cannot separate columns. Give one ASCII character "
                "other than a quote, a line end or NUL."
            )
        for name in ("decimal", "thousands"):  # what numbers are written with anyway
            value = getattr(self, name)
            if value is not None and value in "0123456789+-eE\r\n":
                raise ParameterError(
                    f"{name}={value!r} is a line end, or a digit, sign or exponent of numbers. "
                    "Give another character, for example ','."
                )
        if not _is_encoding("utf-8" if self.encoding is None else self.encoding):
            raise ParameterError(f"encoding={shown(self.encoding)} is not known. Give another.")
        if self.header is not None and not isinstance(self.header, bool):
            raise ParameterTypeError(
                f"header={shown(self.header)} is not True or False. Give one of them, or None."
            )
        check_choice("ragged", self.ragged, RAGGED_CHOICES)
        characters = [c for c in (self.delimiter, self.decimal, self.thousands) if c is not None]
        if len(set(characters)) < len(characters):
            raise ParameterError(
                f"delimiter={self.delimiter!r}, decimal={self.decimal!r} and "
                f"thousands={self.thousands!r} must differ. Give three different characters."
            )
        return self


def missing_markers(added: Any, *, default: bool) -> tuple[str, ...]:
    """Return the markers of missing values: those that the user adds to the `default` ones.

    Examples
    --------
    >>> missing_markers(["-999", "NA"], default=True)[-1], missing_markers(["x"], default=False)
    ('-999', ('x',))
    """
    check_kind("default_missing", default, bool)
    wanted = "the missing-value markers in a list, for example ['-999']"
    markers = check_sequence("missing", added, wanted)
    if not all(isinstance(marker, str) for marker in markers):
        raise ParameterTypeError(f"missing={shown(added)} is not a list of texts. Give {wanted}.")
    return tuple(dict.fromkeys((*(MISSING_MARKERS if default else ()), *markers)))


def _is_encoding(name: object) -> bool:
    """Return whether Python has an encoding of text of that name."""
    try:
        "".encode(str(name))
        b"a".decode(str(name), errors="replace")
    except (LookupError, ValueError):
        return False
    return isinstance(name, str)


def default_chunk_rows(n_features: int, itemsize: int) -> int:
    """Return how many rows make a chunk, from the width of a row and the memory budget alone.

    The number of threads and the kind of source do not enter, so that every engine sees the same
    chunks. About 32 MB and at least 256 rows, unless that exceeds a 32nd of the budget.

    Examples
    --------
    >>> default_chunk_rows(100, 8)
    40000
    """
    row_bytes = max(1, n_features * itemsize)
    affordable = max(1, settings().memory // CHUNKS_PER_BUDGET // row_bytes)
    return min(max(MIN_CHUNK_ROWS, CHUNK_BYTES // row_bytes), affordable)


def chunk_rows(rows: int | None, n_features: int, itemsize: int) -> int:
    """Return `rows` where it is a whole number above zero, the default where it is None."""
    if rows is None:
        return default_chunk_rows(n_features, itemsize)
    if not is_int(rows):
        raise ParameterTypeError(
            f"rows={shown(rows)} is not a whole number. Give None or a number >= 1."
        )
    if rows < 1:
        raise ParameterError(f"rows={rows} leaves chunks without rows. Give None or a number >= 1.")
    return int(rows)
