"""What every index offers: build, query, add, remove."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from lookalike.decisions import Decisions
from lookalike.kernels.radius import RadiusResult
from lookalike.typing import AnyArray, Array, Rows


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
        self, Q: AnyArray, k: int, *, exclude: Rows | None = None, threads: int | None = None
    ) -> Neighbors:
        """Return the `k` nearest rows of every query; k > rows is an error."""
        ...

    def query_radius(
        self,
        Q: AnyArray,
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
