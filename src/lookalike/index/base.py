"""What every index offers: build, query, add, remove; and what several of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

from lookalike.decisions import Decisions
from lookalike.index.validate import check_exclude, check_k, check_radius, check_where
from lookalike.kernels.native_arrays import RowsLike
from lookalike.kernels.radius import RadiusResult
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows

SearchStats: TypeAlias = Mapping[str, float]  # what a search cost, by name


class Neighbors(NamedTuple):
    """The nearest rows of every query, nearest first, equal distances by row number."""

    distance: Array  # (queries, k) float64
    row: Rows  # (queries, k)


class Index(Protocol):
    """Rows arranged so that the nearest to a query are found quickly.

    Constructed from the rows. `exclude` names one row per query that is not its neighbor: the
    row itself in a self-search. `threads` None means the setting.
    """

    @property
    def n_rows(self) -> int:
        """How many rows the index has."""
        ...

    @property
    def n_features(self) -> int:
        """How many columns a row has."""
        ...

    @property
    def decisions(self) -> Decisions:
        """What was decided on the user's behalf."""
        ...

    def query(
        self,
        Q: RowsLike,
        k: int,
        *,
        exclude: Rows | None = None,
        where: object = None,
        threads: int | None = None,
    ) -> Neighbors:
        """Return the `k` nearest rows of every query; k > rows is an error.

        `where` says which rows may be neighbors: True or False for each, or their numbers.
        """
        ...

    def query_radius(
        self,
        Q: RowsLike,
        radius: float | AnyArray,
        *,
        exclude: Rows | None = None,
        threads: int | None = None,
    ) -> RadiusResult:
        """Return every row at distance <= `radius`, one for all queries or one each."""
        ...

    def add(self, X: AnyArray) -> None:
        """Append rows: afterwards the index equals one built of all rows."""
        ...

    def remove(self, rows: Rows) -> None:
        """Drop rows and close the gaps: the index equals one built of the rows left."""
        ...


class RowsIndex(ABC):
    """An index whose rows have a shape, and whose copy can change while it stays as it is."""

    def __copy__(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    @property
    @abstractmethod
    def _shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def n_rows(self) -> int:
        """How many rows the index has."""
        return self._shape[0]

    @property
    def n_features(self) -> int:
        """How many columns a row has."""
        return self._shape[1]


class ArrayIndex(RowsIndex):
    """An index of one array in memory: arguments are checked here, and searched for below."""

    def query(
        self,
        Q: RowsLike,
        k: int,
        *,
        exclude: Rows | None = None,
        where: object = None,
        threads: int | None = None,
    ) -> Neighbors:
        """Return the `k` nearest rows of every query, nearest first; k > rows is an error.

        `where` says which rows may be neighbors: True or False for each, or their numbers.
        """
        return self._query(Q, k, exclude, threads, where)[0]

    def query_radius(
        self,
        Q: RowsLike,
        radius: float | AnyArray,
        *,
        exclude: Rows | None = None,
        threads: int | None = None,
    ) -> RadiusResult:
        """Return every row at distance <= `radius`, nearest first; one radius, or one per query."""
        workers = resolve_threads(threads)
        queries = self._queries(Q, workers)
        reach = check_radius(radius, len(queries))
        return self._within(
            queries, reach, check_exclude(exclude, len(queries), self.n_rows), workers
        )

    def _query(
        self,
        Q: RowsLike,
        k: int,
        exclude: Rows | None,
        threads: int | None,
        where: object = None,
    ) -> tuple[Neighbors, Any]:
        workers = resolve_threads(threads)
        queries = self._queries(Q, workers)
        allowed = check_where(where, self.n_rows)
        k = check_k(k, self.n_rows, excluding=exclude is not None, allowed=allowed)
        barred = check_exclude(exclude, len(queries), self.n_rows)
        if len(allowed):
            return self._nearest_allowed(queries, k, barred, allowed, workers), None
        return self._nearest(queries, k, barred, workers)

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
