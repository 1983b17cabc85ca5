"""What every index offers: build, query, add, remove; and what several of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeAlias, TypedDict, Unpack

from lookalike.data.predicate import Where
from lookalike.decisions import Decisions
from lookalike.index.validate import check_exclude, check_k, check_radius, check_where
from lookalike.kernels.native_arrays import RowsLike
from lookalike.kernels.radius import RadiusResult, rows_among
from lookalike.threads import resolve_threads, writer_lock
from lookalike.typing import AnyArray, Array, Rows

Radius: TypeAlias = float | AnyArray  # one for all queries, or one for each
SearchStats: TypeAlias = Mapping[str, float]  # what a search cost, by name


class Neighbors(NamedTuple):
    """The nearest rows of every query, nearest first, equal distances by row number."""

    distance: Array  # (queries, k) float64
    row: Rows  # (queries, k)


class QueryOptions(TypedDict, total=False):
    """Options of every search; each may be None."""

    exclude: Rows | None  # one row per query that is not its neighbor: itself in a self-search
    where: Where  # the rows that may be neighbors: True or False for each row, or their numbers
    threads: int | None  # None: those of the setting


def search_options(
    exclude: Rows | None = None, where: Where = None, threads: int | None = None
) -> tuple[Rows | None, Where, int | None]:
    """Return :class:`QueryOptions` in the order in which indexes take them."""
    return exclude, where, threads


class Index(ABC):
    """Rows arranged so that the nearest to a query are found quickly.

    Constructed from the rows. Arguments are documented here, and every index has its own search.
    """

    if TYPE_CHECKING:  # attributes of some indexes, computed by others

        @property
        def n_rows(self) -> int:
            """How many rows the index has."""

        @property
        def n_features(self) -> int:
            """How many columns a row has."""

        @property
        def decisions(self) -> Decisions:
            """What was decided on the user's behalf."""

    def query(self, Q: RowsLike, k: int, **options: Unpack[QueryOptions]) -> Neighbors:
        """Return the `k` nearest rows of every query, nearest first; k > rows is an error.

        The options are those of :class:`QueryOptions`.
        """
        return self._held()._query(Q, k, *search_options(**options))

    def query_radius(
        self, Q: RowsLike, radius: Radius, **options: Unpack[QueryOptions]
    ) -> RadiusResult:
        """Return every row at distance <= `radius`, nearest first; one radius, or one per query.

        The options are those of :class:`QueryOptions`.
        """
        return self._held()._query_radius(Q, radius, *search_options(**options))

    def build(self, *, threads: int | None = None) -> Self:  # noqa: ARG002 - of some indexes
        """Do now what the index puts off until it has many queries; return the index."""
        return self

    def add(self, X: AnyArray) -> None:
        """Append rows: afterwards the index equals one built of all rows."""
        with writer_lock(self):
            self.__dict__ = self.with_rows(X).__dict__

    def remove(self, rows: Rows) -> None:
        """Drop rows and close the gaps: the index equals one built of the rows left."""
        with writer_lock(self):
            self.__dict__ = self.without_rows(rows).__dict__

    def with_rows(self, X: AnyArray) -> Self:
        """Return an index that has the rows of `X` after those of this one, which stays."""
        changed = copy(self)
        changed._add(X)
        return changed

    def without_rows(self, rows: Rows) -> Self:
        """Return an index that lacks these rows of this one, which stays."""
        changed = copy(self)
        changed._remove(rows)
        return changed

    def _held(self) -> Self:
        """Return the index as it is now, for a search during which it may be replaced."""
        held = object.__new__(type(self))
        held.__dict__ = self.__dict__
        return held

    @abstractmethod
    def _query(
        self, Q: RowsLike, k: int, exclude: Rows | None, where: Where, threads: int | None
    ) -> Neighbors:
        """Return the nearest rows; nothing is checked yet."""

    @abstractmethod
    def _query_radius(
        self, Q: RowsLike, radius: Radius, exclude: Rows | None, where: Where, threads: int | None
    ) -> RadiusResult:
        """Return the rows within the radius; nothing is checked yet."""

    def _add(self, X: AnyArray) -> None:
        """Append rows to an index that nobody searches yet."""
        raise NotImplementedError

    def _remove(self, rows: Rows) -> None:
        """Drop rows of an index that nobody searches yet."""
        raise NotImplementedError


class RowsIndex(Index):
    """An index whose rows have a shape, and whose copy can change while it stays as it is."""

    _holder: ClassVar[str] = "_rows"  # the attribute that holds the rows, and has their shape
    _copied: ClassVar[tuple[str, ...]] = ()  # attributes that change with the rows

    def __copy__(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.__dict__.update({name: copy(getattr(self, name)) for name in self._copied})
        return twin

    @property
    def _shape(self) -> tuple[int, ...]:
        """Rows and columns."""
        shape: tuple[int, ...] = getattr(self, self._holder).shape
        return shape

    @property
    def n_rows(self) -> int:
        """How many rows the index has."""
        return self._shape[0]

    @property
    def n_features(self) -> int:
        """How many columns a row has."""
        return self._shape[1]


class ArrayIndex(RowsIndex):
    """An index of rows that stay as they are: arguments are checked here, the search is below."""

    def _query(
        self, Q: RowsLike, k: int, exclude: Rows | None, where: Where, threads: int | None
    ) -> Neighbors:
        return self._query_with_stats(Q, k, exclude, where, threads)[0]

    def _query_with_stats(
        self, Q: RowsLike, k: int, exclude: Rows | None, where: Where, threads: int | None
    ) -> tuple[Neighbors, Any]:
        workers, n_rows = resolve_threads(threads), self.n_rows
        queries = self._queries(Q, workers)
        allowed = self._allowed(where)
        k = check_k(k, n_rows, excluding=exclude is not None, allowed=allowed)
        excluded = check_exclude(exclude, len(queries), n_rows)
        if len(allowed):
            return self._nearest_allowed(queries, k, excluded, allowed, workers), None
        return self._nearest(queries, k, excluded, workers)

    def _query_radius(
        self, Q: RowsLike, radius: Radius, exclude: Rows | None, where: Where, threads: int | None
    ) -> RadiusResult:
        workers = resolve_threads(threads)
        queries = self._queries(Q, workers)
        reach = check_radius(radius, len(queries))
        allowed = self._allowed(where)
        excluded = check_exclude(exclude, len(queries), self.n_rows)
        return self._within_allowed(queries, reach, excluded, allowed, workers)

    def _allowed(self, where: Where) -> AnyArray:
        """Return for each row whether it may be a neighbor; nothing where all may."""
        return check_where(where, self.n_rows)

    def _within_allowed(
        self, Q: AnyArray, radius: Array, exclude: Rows, allowed: AnyArray, threads: int
    ) -> RadiusResult:
        """Return the allowed rows within the radius of each query."""
        return rows_among(self._within(Q, radius, exclude, threads), allowed)

    @abstractmethod
    def _queries(self, Q: RowsLike, threads: int) -> AnyArray:
        """Return checked queries as the search wants them."""

    @abstractmethod
    def _nearest(
        self, Q: AnyArray, k: int, exclude: Rows, threads: int
    ) -> tuple[Neighbors, object]:
        """Return the nearest rows, and what finding them took; `exclude` may be empty."""

    @abstractmethod
    def _nearest_allowed(
        self, Q: AnyArray, k: int, exclude: Rows, allowed: AnyArray, threads: int
    ) -> Neighbors:
        """Return the nearest of the rows that are allowed."""

    @abstractmethod
    def _within(self, Q: AnyArray, radius: Array, exclude: Rows, threads: int) -> RadiusResult:
        """Return the rows within the radius of each query; `exclude` may be empty."""
