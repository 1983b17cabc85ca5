"""Training rows arranged for search: the one door for queries, and the neighbors behind it."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.checks import require_finite
from lookalike.data.predicate import Where
from lookalike.data.source import Source, open_source
from lookalike.data.sources.kept_rows import require_unchanged
from lookalike.data.sources.page_release import MappedFile, mapped_file
from lookalike.decisions import Decisions
from lookalike.engines import engine_for
from lookalike.errors import ParameterError
from lookalike.index.base import Index, Neighbors, Radius
from lookalike.index.chunked import ChunkedIndex
from lookalike.index.cluster import ClusterIndex
from lookalike.index.graph import GraphIndex
from lookalike.index.kdtree import KDTreeIndex
from lookalike.index.validate import rows_left
from lookalike.kernels.native_arrays import FLOAT_TYPES, NativeRows, value_range
from lookalike.kernels.radius import RadiusResult
from lookalike.models.neighbors.column_codes import (
    CodedSource,
    ColumnCodes,
    MemberCodes,
    read_once,
)
from lookalike.models.neighbors.search_options import SearchOptions
from lookalike.models.neighbors.search_rows import (
    exact_floats,
    fit_imputer,
    learn_column_codes,
    open_table,
    read_matrix,
    refuse_in_chunks,
    rows_in_memory,
)
from lookalike.models.neighbors.space_index import index_of_chunks, index_of_rows
from lookalike.models.neighbors.where import allowed_rows
from lookalike.models.preprocessing.imputer import SimpleImputer
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows, to_host

CELLS_FOR_ONE_THREAD = 2**16  # of queries, whose check is then not worth a thread more
CheckColumns = Callable[[object, Source], None]  # of a table and its source; raises where they fail


class SearchSpace:
    """Training rows, how they are compared, and the index that finds the nearest.

    Nothing in it changes: `extend` and `remove` return another one, so that whoever holds a space
    is answered by its rows alone.

    Attributes
    ----------
    options : SearchOptions
        How the rows are searched.
    index : Index
        What finds the nearest rows.
    rows : matrix or None
        The rows as they are compared; None where they stay in their source.
    names : tuple of str or None
        The names of the columns, where they have names.
    codes : ColumnCodes or None
        The numbers of categories or items, where such are compared.
    imputer : SimpleImputer or None
        What fills missing numbers.
    weight : array or None
        The weight of every row; None where each counts once.

    Examples
    --------
    >>> from lookalike.models.neighbors.search_options import SearchOptions
    >>> space = SearchSpace.fit(np.array([[0.0, 0.0], [3.0, 4.0]]), SearchOptions())
    >>> space.nearest(space.queries(np.array([[0.0, 1.0]])), 1).row
    array([[0]])
    """

    index: Index
    codes: ColumnCodes | None

    file: MappedFile | None = None  # that the rows are mapped from

    def __init__(
        self,
        options: SearchOptions,
        index: Index,
        rows: Any,
        *,
        names: tuple[str, ...] | None = None,
        codes: ColumnCodes | None = None,
        imputer: SimpleImputer | None = None,
        weight: Array | None = None,
    ) -> None:
        self.options, self.index, self.rows = options, index, rows
        self.names, self.codes, self.imputer, self.weight = names, codes, imputer, weight

    @classmethod
    def fit(
        cls,
        X: object,
        options: SearchOptions,
        *,
        weight: Array | None = None,
        imputer: SimpleImputer | None = None,
        decisions: Decisions | None = None,
        kept: bool = True,
    ) -> Self:
        """Return the rows of a table, arranged for search.

        Parameters
        ----------
        X : table
            The rows; where there is an imputer, those that it has filled.
        options, weight
            How to search them, and the weight of every row.
        imputer, decisions
            What fills missing numbers of queries, and what receives the decisions made.
        kept : bool, default=True
            Whether the space outlives the call that was given the rows, and so has its own copy.
        """
        decisions = Decisions() if decisions is None else decisions
        source = open_source(X)
        names = tuple(column.name for column in source.columns) if source.named else None
        source, codes = learn_column_codes(source, options, decisions, weight)
        if codes is not None:
            source = CodedSource(source, codes)
        rows = rows_in_memory(source, options, codes, decisions, kept=kept)
        if rows is None:
            refuse_in_chunks(options)
            index: Index = index_of_chunks(source, options, codes)
            on_cluster = isinstance(index, ClusterIndex)
            chosen = ("cluster" if on_cluster else "chunks", "the rows are not in memory")
        else:
            index, chosen = index_of_rows(rows, source, options, codes)
        decisions.add("index", *chosen)
        for decision in index.decisions:
            decisions.add(*decision)
        if imputer is not None or getattr(codes, "fill", None) is not None:
            decisions.add("missing", "mean", "missing='mean': of the rows of fit")
        made = cls(options, index, rows, names=names, codes=codes, imputer=imputer, weight=weight)
        made._note_file(mapped_file(rows))
        return made

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.index.n_rows

    @property
    def dtype(self) -> object:
        """The type of the rows; None where they are a frame."""
        source = self.index.source if isinstance(self.index, ChunkedIndex) else self.rows
        return getattr(source, "dtype", None)

    @cached_property
    def in_chunks(self) -> bool:
        """Whether the rows stay in their source, and are read for every search."""
        return isinstance(self.index, ChunkedIndex)

    @cached_property
    def on_cluster(self) -> bool:
        """Whether the rows stay on a cluster."""
        return isinstance(self.index, ClusterIndex)

    def table(self, X: object) -> object:
        """Return a table of queries or further rows, opened and filled as those of fit."""
        table = open_table(X, self.options, self.codes)
        return table if self.imputer is None else self.imputer.transform(table)

    def queries(self, X: object, check: CheckColumns | None = None) -> Any:
        """Return the rows of a table as the index compares them; for None the training rows.

        `check` raises where the columns are not those of fit.
        """
        checked = self.checked_queries(X, check)[1]
        return checked.values if isinstance(checked, NativeRows) else checked

    def checked_queries(self, X: object, check: CheckColumns | None = None) -> tuple[Self, Any]:
        """Return queries that passed all checks, and the space in which they are searched for.

        That is this one, or a wider one where sets hold more new items than it has room for.
        """
        if self.file is not None:
            require_unchanged(self.file)
        if X is None:
            return self, self.training_rows()
        if (plain := self._plain_queries(X)) is not None:
            return self, plain
        table = self.table(X)
        source = open_source(table)
        if check is not None:
            check(table, source)
        if self.options.metric_name(self.codes) == "gower" and hasattr(self.rows, "columns"):
            return self, table  # of a model file whose rows are a frame
        space, source = self._encoded(source)
        rows = read_matrix(source, self.options, space.codes)
        if sp.issparse(rows) and self.options.metric_name() == "precomputed" and not self.in_chunks:
            index = GraphIndex(sp.csr_array((self.n_rows,) * 2))  # the queries are its distances
            return self._replaced(index, self.rows, self.weight), rows
        if sp.issparse(rows) and isinstance(self.index, KDTreeIndex):
            raise ParameterError(
                f"X is sparse, and the KD-tree of algorithm={self.options.algorithm!r} searches "
                "dense rows. Give X.toarray(), or fit with algorithm='brute'."
            )
        return space, exact_floats(rows)

    def training_rows(self) -> Any:
        """Return the training rows, read again where they stay in their source."""
        if isinstance(self.index, ChunkedIndex):
            return read_matrix(self.index.source, self.options, self.codes)
        return self.rows

    def own_rows(self, X: object) -> Rows | None:
        """Return the row that each query is where these are the training rows, for None."""
        return np.arange(self.n_rows) if X is None else None

    def available(self, queries: Any, exclude: Rows | None = None) -> int:
        """Return how many neighbors every query has at least."""
        if isinstance(self.index, GraphIndex):
            return self.index.stored(queries, exclude)
        return self.n_rows - (exclude is not None)

    def nearest(
        self,
        queries: Any,
        k: int,
        *,
        exclude: Rows | None = None,
        where: AnyArray | None = None,
        n_jobs: int | None = None,
    ) -> Neighbors:
        """Return the `k` nearest rows of every query, nearest first.

        `exclude` names a row for each query that is not its neighbor, `where` masks the rows that
        may be neighbors.
        """
        given = self.options.n_jobs if n_jobs is None else n_jobs
        threads = None if self.in_chunks else given  # the engine of chunks has its own
        return self.index.query(queries, k, exclude=exclude, where=where, threads=threads)

    def within(
        self,
        queries: Any,
        radius: Radius,
        *,
        exclude: Rows | None = None,
        where: AnyArray | None = None,
        n_jobs: int | None = None,
    ) -> RadiusResult:
        """Return all rows at distance <= `radius` of every query, nearest first."""
        given = self.options.n_jobs if n_jobs is None else n_jobs
        threads = None if self.in_chunks else given
        return self.index.query_radius(
            queries, radius, exclude=exclude, where=where, threads=threads
        )

    def nearest_of_training(
        self, k: int, *, where: AnyArray | None = None, n_jobs: int | None = None
    ) -> Neighbors:
        """Return the `k` nearest other rows of every training row."""
        require_unchanged(self.file)
        if where is None and isinstance(self.index, KDTreeIndex):
            given = self.options.n_jobs if n_jobs is None else n_jobs
            return self.index.query_self(k, threads=resolve_threads(given))  # one walk of the tree
        self_rows = np.arange(self.n_rows)
        return self.nearest(self.training_rows(), k, exclude=self_rows, where=where, n_jobs=n_jobs)

    def allowed(self, where: Where) -> AnyArray | None:
        """Return for each training row whether it may be a neighbor; None where all may."""
        return None if where is None else allowed_rows(where, self)

    def extend(
        self, X: object, weight: Array | None = None, check: CheckColumns | None = None
    ) -> Self:
        """Return a space that has the rows of a table after those of this one.

        `X` was opened and filled by `table`. The metric and the means that fill missing values
        stay; categories and items that are new are learned.
        """
        source = open_source(X)
        if check is not None:
            check(X, source)
        wider = self._with_codes_of(source) if self.codes is not None else self
        if wider.codes is not None:
            source = CodedSource(read_once(source), wider.codes)
        rows = to_host(read_matrix(source, self.options, wider.codes))
        stack = sp.vstack if sp.issparse(rows) else np.concatenate
        index = wider.index.with_rows(rows)
        return wider._replaced(index, stack([to_host(wider.rows), rows]), weight)

    def remove(self, rows: object) -> Self:
        """Return a space without these rows, by number; the gaps are closed."""
        keep = rows_left(rows, self.n_rows, some=True)
        index = self.index.without_rows(np.flatnonzero(~keep))
        left = np.flatnonzero(keep)
        weight = None if self.weight is None else self.weight[left]
        return self._replaced(index, self.rows[left], weight)

    def with_weight(self, weight: Array | None) -> Self:
        """Return the space with other weights of its rows."""
        twin = copy(self)
        twin.weight = weight
        return twin

    def __getstate__(self) -> dict[str, object]:
        left_out = ("file", "in_chunks", "on_cluster", "_plain_width")  # of this process, or known
        state = {name: part for name, part in dict(vars(self)).items() if name not in left_out}
        return {**state, "rows": to_host(self.rows)}

    def _plain_queries(self, X: object) -> NativeRows | None:
        """Return an array of floats that the index reads as it is; None for any other table."""
        if type(X) is not np.ndarray or self._plain_width != X.shape[1:] or not len(X):
            return None
        if X.dtype not in FLOAT_TYPES or not X.flags.c_contiguous:
            return None
        values = value_range(X, 1 if X.size < CELLS_FOR_ONE_THREAD else 0)
        if values.bad_row >= 0:
            require_finite(X)
        return NativeRows(X, values)

    @cached_property
    def _plain_width(self) -> tuple[int, ...] | None:
        """The columns of rows that are compared as they are given; None of others."""
        plain = self.options.is_plain() and self.codes is None and self.names is None
        return self.rows.shape[1:] if plain and isinstance(self.rows, np.ndarray) else None

    def _encoded(self, source: Source) -> tuple[Self, Source]:
        """Return queries as numbers, by the codes of the training rows."""
        if self.codes is None:
            return self, source
        source, space = read_once(source), self
        if isinstance(self.codes, MemberCodes):
            space = self._widen(self.codes, self.codes.room_for(source))
        return space, CodedSource(source, space.codes)  # type: ignore[arg-type]

    def _with_codes_of(self, source: Source) -> Self:
        """Return the space with codes that know the categories and items of further rows."""
        source = read_once(source)
        codes: Any = self.codes
        learned = codes.extended(source, engine_for(source, n_jobs=self.options.n_jobs))
        space = self._widen(codes, learned.width) if isinstance(learned, MemberCodes) else self
        twin = copy(space)
        twin.codes = learned
        return twin

    def _widen(self, codes: MemberCodes, width: int) -> Self:
        """Return a space with columns for this many items."""
        if width <= codes.width:
            return self
        twin = copy(self)
        twin.codes = codes.widened(width)
        if isinstance(self.index, ChunkedIndex):
            source: Any = self.index.source
            twin.index = index_of_chunks(source.recoded(twin.codes), self.options, twin.codes)
        else:
            twin.rows = np.pad(self.rows, ((0, 0), (0, width - self.rows.shape[1])))
            source = open_source(twin.rows)
            twin.index = index_of_rows(twin.rows, source, self.options, twin.codes)[0]
        return twin

    def _replaced(self, index: Index, rows: object, weight: Array | None) -> Self:
        twin = copy(self)
        twin.index, twin.rows, twin.weight = index, rows, weight
        twin._note_file(None)  # both are copies
        return twin

    def _note_file(self, file: MappedFile | None) -> None:
        self.__dict__.pop("file", None)
        if file is not None:
            self.file = file


def fit_rows(
    X: object, options: SearchOptions, sample_weight: object = None
) -> tuple[object, SimpleImputer | None]:
    """Return a table of training rows, opened and filled, and what fills the queries alike."""
    table = open_table(rows_of_model(X), options)
    imputer = fit_imputer(table, options, sample_weight)
    return (table if imputer is None else imputer.transform(table)), imputer


def rows_of_model(X: Any) -> object:
    """Return the rows that a fitted model or tree of neighbors holds; any other table as it is."""
    space = getattr(X, "space_", None)
    if isinstance(space, SearchSpace):
        return space.training_rows()
    if type(X).__module__.startswith("sklearn.neighbors."):  # a tree, or a model that was fitted
        for name in ("data", "_fit_X"):
            if hasattr(X, name):
                return np.asarray(getattr(X, name)) if name == "data" else getattr(X, name)
    return X
