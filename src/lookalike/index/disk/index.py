"""Exact neighbors among rows on disk, with a small part of them in memory."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np

from lookalike.data.predicate import Where, is_predicate
from lookalike.data.source import Source, open_source
from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError, ModelFileError, ParameterError, SourceError
from lookalike.index.base import ArrayIndex, Neighbors, QueryOptions, SearchStats
from lookalike.index.disk.array_file import read_arrays, require_arrays, write_arrays
from lookalike.index.disk.build import compared_columns, write_segment
from lookalike.index.disk.column_file import split_columns
from lookalike.index.disk.folder import IndexFolder
from lookalike.index.disk.metric_state import metric_from_plain, metric_to_plain
from lookalike.index.disk.radius import rows_within
from lookalike.index.disk.row_file import BytesRead
from lookalike.index.disk.search import NO_ROW, DiskSearch, stacked
from lookalike.index.disk.segment import Segment
from lookalike.index.exact import ExactIndex
from lookalike.index.rescale import LARGEST_SCALED_QUERY, distance_scale, query_too_far, stretched
from lookalike.index.tiny_distances import MIN_SAFE_DISTANCE, require_distances, settle_tiny
from lookalike.index.validate import check_features, query_rows, rows_left
from lookalike.kernels.exact import NO_MASK
from lookalike.kernels.native_arrays import RowsLike
from lookalike.kernels.radius import RadiusResult
from lookalike.settings import settings
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from lookalike.kernels.metrics.base import Embedded


MAX_QUERIES_PER_PASS = 4096  # of one pass over the codes


class DiskIndex(ArrayIndex):
    """Rows on disk whose neighbors are found exactly, as `lookalike index build` wrote them.

    Neighbors and distances are those of an index in memory, bit for bit. Codes, at most about a
    quarter of the bytes of the rows, are read once for every batch of queries, and rows only
    where codes leave doubt. `where` may also be a condition on columns, as in
    :func:`lookalike.data.predicate.rows_where`. Several processes may read the index while another
    adds or removes rows: each sees it as it was when it opened it.

    Parameters
    ----------
    path : path
        The folder.

    Examples
    --------
    >>> import tempfile
    >>> from lookalike.index.disk import DiskIndex, build_index_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     build_index_file(f"{folder}/rows.index", [[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    ...     DiskIndex(f"{folder}/rows.index").query([[0.0, 1.0]], 2).row
    array([[0, 1]])
    """

    decisions: Decisions
    metric: Embedded

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._folder = IndexFolder(path)
        self.bytes_read: BytesRead = BytesRead()
        self._open()

    def _open(self) -> None:
        """Open what the list names; again where another process replaced files meanwhile."""
        listed = self._folder.read()
        while True:
            try:
                self._open_listed(listed)
                return
            except (ModelFileError, SourceError, OSError) as error:
                newer = self._folder.read()
                if newer == listed:
                    raise self._explained(error) from None
                listed = newer

    def _explained(self, error: Exception) -> Exception:
        """Return the error of an index that cannot be opened, in a sentence."""
        if isinstance(error, ModelFileError) and str(self._folder.path) not in str(error):
            return self._folder.damaged(str(error))
        if isinstance(error, OSError) and not isinstance(error, LookalikeError):
            return self._folder.damaged(f"{error.filename} cannot be read: {error.strerror}")
        return error

    def _open_listed(self, listed: dict[str, Any]) -> None:
        given = listed["arrays"]
        arrays = read_arrays(self._folder, given["name"], given["checksum"])
        require_arrays(self._folder, given["name"], arrays, {"removed": ("<i8", (None,))})
        metric = metric_from_plain(listed["metric"], arrays, listed["n_features"])
        segments: list[Segment] = []
        first = 0
        for segment in listed["segments"]:
            segments.append(Segment(self._folder, segment, first, metric, self.bytes_read))
            first += segments[-1].n_rows
        self._removed: Rows = self._check_removed(arrays["removed"], first)
        self.metric, self._listed = metric, listed
        self._segments, self._n_stored = segments, first
        largest = max(segment.largest for segment in segments)
        self._scale = distance_scale(largest) if self.metric.degree else 1.0
        self.decisions = Decisions()
        self.decisions.add("index", "on disk", f"{len(segments)} segments of {self._folder.path}")

    def _check_removed(self, removed: Rows, n_stored: int) -> Rows:
        rising = bool((removed[1:] > removed[:-1]).all())  # no difference, which may overflow
        inside = not len(removed) or (removed[0] >= 0 and removed[-1] < n_stored)
        if not rising or not inside or len(removed) >= n_stored:
            raise self._folder.damaged("the array 'removed' does not name rows in their order")
        return removed

    @cached_property
    def _seeds(self) -> ExactIndex:
        """The rows in memory, whose nearest give every query its first limit."""
        parts = [segment.rows.embed(segment.seed) for segment in self._segments]
        rows = stacked(parts)
        return ExactIndex(rows if self._scale == 1.0 else rows * self._scale)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Return the index of a folder."""
        return cls(path)

    @property
    def _shape(self) -> tuple[int, ...]:
        return self._n_stored - len(self._removed), int(self._listed["n_features"])

    @property
    def nbytes(self) -> int:
        """Bytes of the codes on disk."""
        return sum(segment.nbytes for segment in self._segments)

    @property
    def row_bytes(self) -> int:
        """Bytes of the rows on disk, those removed included."""
        return sum(segment.n_rows * segment.file.place.row_bytes for segment in self._segments)

    def _nearest(
        self, Q: AnyArray, k: int, exclude: Rows, threads: int
    ) -> tuple[Neighbors, object]:
        return self._nearest_allowed(Q, k, exclude, NO_MASK, threads), None

    def _nearest_allowed(
        self, Q: AnyArray, k: int, exclude: Rows, allowed: AnyArray, threads: int
    ) -> Neighbors:
        excluded, stored = self._store(exclude), self._among_stored(allowed)
        distance, row = np.empty((len(Q), k)), np.empty((len(Q), k), np.int64)
        batch = self._batch(k)
        for start in range(0, len(Q), batch):
            part = slice(start, start + batch)
            self_rows = excluded[part] if len(excluded) else NO_ROW
            distance[part], row[part] = self._nearest_stored(Q[part], k, self_rows, stored, threads)
        return Neighbors(distance, self._numbered(row))

    def query_with_stats(
        self, Q: RowsLike, k: int, **options: Unpack[QueryOptions]
    ) -> tuple[Neighbors, SearchStats]:
        """Return the neighbors, and what was read to find them.

        The options are those of `query`. Bytes of `codes` and of `rows`, `n_rows` that were looked
        at, `passes` over the codes.
        """
        if options.get("where") is not None:
            options["where"] = self._allowed(options["where"])  # reads columns, not rows
        before = vars(self.bytes_read).copy()
        neighbors = self.query(Q, k, **options)
        read = {name: now - before[name] for name, now in vars(self.bytes_read).items()}
        return neighbors, {**read, "passes": -(-len(neighbors.row) // self._batch(k))}

    def _nearest_stored(
        self, Q: AnyArray, k: int, exclude: Rows, allowed: AnyArray, threads: int
    ) -> Neighbors:
        """Return the nearest of all rows ever added that are allowed, by their numbers there."""
        search = self._search(Q, k, exclude, allowed, threads)
        key, row, *_ = search.run()
        nearest = Neighbors(self._distance(key), row)
        stored: Any = _StoredRows(search)
        if self._scale != 1.0:
            return require_distances(
                nearest, self._scale, lambda: search.Q, lambda: stored, degree=self.metric.degree
            )
        if self.metric.name != "euclidean":
            return nearest
        return settle_tiny(
            nearest,
            lambda: Q,
            lambda: stored,
            exclude,
            lambda queries, self_rows: self._stored_within(
                queries, np.full(len(queries), MIN_SAFE_DISTANCE), self_rows, allowed, threads
            ),
        )

    def _within(self, Q: AnyArray, radius: Array, exclude: Rows, threads: int) -> RadiusResult:
        return self._within_allowed(Q, radius, exclude, NO_MASK, threads)

    def _within_allowed(
        self, Q: AnyArray, radius: Array, exclude: Rows, allowed: AnyArray, threads: int
    ) -> RadiusResult:
        stored = self._among_stored(allowed)
        inside = self._stored_within(Q, radius, self._store(exclude), stored, threads)
        return inside._replace(row=self._numbered(inside.row))

    def _stored_within(
        self, Q: AnyArray, radius: Array, exclude: Rows, allowed: AnyArray, threads: int
    ) -> RadiusResult:
        limit = self.metric.limit(stretched(radius, self._scale, self.metric.degree))
        search = self._search(Q, 1, exclude, allowed, threads)
        key, row, start = rows_within(search, limit)
        return RadiusResult(self._distance(key), row, start)

    def _search(
        self, Q: AnyArray, k: int, exclude: Rows, allowed: AnyArray, threads: int
    ) -> DiskSearch:
        return DiskSearch(
            self._segments,
            Q,
            k,
            exclude=exclude,
            allowed=allowed,
            seeds=self._seeds,
            scale=self._scale,
            threads=threads,
        )

    def add(self, X: object, *, copy: bool = False, threads: int | None = None) -> None:
        """Append the rows of any table: afterwards neighbors are those of all rows."""
        source, keep = open_source(X), self._listed["kept"]
        compared, _ = split_columns(source.columns, keep, "The index keeps")
        check_features(len(compared), self.n_features, "X")
        largest = max(segment.largest for segment in self._segments)

        def write(listed: Any) -> None:
            added: Any = write_segment(
                self._folder,
                source,
                self.metric,
                keep=keep,
                copy=copy,
                threads=resolve_threads(threads),
                largest_before=largest,
            )
            for segment in self._segments if added["largest"] > largest else ():
                segment.rows.require_one_magnitude(added["largest"])
            listed["segments"].append(added)

        self._change(write)

    def remove(self, rows: object) -> None:
        """Drop rows and close the gaps: later rows get smaller numbers."""
        gone = self._store(np.flatnonzero(~rows_left(rows, self.n_rows, some=True)))
        removed = np.union1d(self._removed, gone)
        _, arrays = metric_to_plain(self.metric)

        def write(listed: dict[str, object]) -> None:
            listed["arrays"] = write_arrays(self._folder, {**arrays, "removed": removed})

        self._change(write)

    def _change(self, write: Any) -> None:
        """Let `write` change the list, which must be the one that this index was opened with."""
        with self._folder.changing():
            listed = self._folder.read()
            if listed != self._listed:
                raise ParameterError(
                    f"{self._folder.path} was changed after it was opened here. Open it again."
                )
            write(listed)
            self._folder.write(listed)
        changed = self._held()  # searches that have begun read the files that they opened
        changed.__dict__ = vars(self).copy()
        changed.__dict__.pop("_seeds", None)
        changed._open()
        self.__dict__ = vars(changed)

    def close(self) -> None:
        """Close the files; the index cannot be searched afterwards."""
        for segment in self._segments:
            segment.close()

    def _queries(self, Q: RowsLike, threads: int) -> AnyArray:  # noqa: ARG002 - converted by one
        rows = query_rows(Q, self.n_features)
        queries: Any = self.metric.embed(rows, what="Q")
        size = float(np.abs(queries).max(initial=0.0)) * self._scale
        if self.metric.degree and size > LARGEST_SCALED_QUERY:
            raise query_too_far(rows.values, self._scale)
        for segment in self._segments:
            segment.file.require_unchanged()
        return np.ascontiguousarray(queries)

    def _batch(self, k: int) -> int:
        size = 16 * (8 * self._segments[0].rows.shape[1] + 64 * k)
        return int(max(1, min(MAX_QUERIES_PER_PASS, settings().memory // size)))

    def _distance(self, key: Array) -> Array:
        return stretched(self.metric.distance(key), 1 / self._scale, self.metric.degree)

    def compared_columns(self, source: Source) -> Source:
        """Return queries by the names of the columns that are compared, where they have them."""
        names = self._listed["columns"]
        given = [column.name for column in source.columns]
        if not source.named or names == given or not set(names) <= set(given):
            return source
        return compared_columns(source, names)

    def rows_where(self, where: Where) -> AnyArray:
        """Return for each row whether it satisfies a condition on the columns.

        Those that were kept, and those that are compared, as they were before the metric
        transformed them.
        """
        names = self._listed["columns"]
        masks = [segment.rows_where(where, names) for segment in self._segments]
        return np.delete(np.concatenate(masks), self._removed)

    def _allowed(self, where: Where) -> AnyArray:
        return super()._allowed(self.rows_where(where) if is_predicate(where) else where)

    def _among_stored(self, allowed: AnyArray) -> AnyArray:
        """Return for each row that was ever added whether it may be a neighbor."""
        if not len(allowed) and not len(self._removed):
            return NO_MASK
        stored = np.ones(self._n_stored, bool)
        stored[self._removed] = False
        if len(allowed):
            stored[stored] = allowed
        return stored

    def _store(self, row: Rows) -> Rows:
        """Return the numbers among all rows ever added, from those among the rows left."""
        if not len(self._removed) or not len(row):
            return row
        left = np.delete(np.arange(self._n_stored), self._removed)
        return left[row]

    def _numbered(self, row: Rows) -> Rows:
        """Return the numbers among the rows left."""
        return row - np.searchsorted(self._removed, row) if len(self._removed) else row

    def __repr__(self) -> str:
        return (
            f"DiskIndex({str(self._folder.path)!r}, n_rows={self.n_rows}, "
            f"n_features={self.n_features})"
        )


class _StoredRows:
    """Rows of all segments by number."""

    def __init__(self, search: DiskSearch) -> None:
        self._search = search
        self.dtype = np.result_type(*(segment.rows.dtype for segment in search.segments))

    def __getitem__(self, rows: AnyArray) -> AnyArray:
        wanted, inverse = np.unique(rows, return_inverse=True)
        return self._search.read(wanted)[inverse]
