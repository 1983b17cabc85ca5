"""The rows of a source as chunks of numbers and categories, with their targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lookalike.data.chunk import Chunk, Home, Table
from lookalike.data.source import Source
from lookalike.data.sources.arrays import ArraySource, number_columns
from lookalike.data.sources.columns_source import ColumnsSource
from lookalike.missing import is_missing
from lookalike.reductions.row_hashes import is_held_out
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.load.target import StudyTarget
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from lookalike.data.chunk import Column


MICROSECONDS_PER_DAY = 86_400_000_000  # microseconds
NUMERIC_TYPES = ("number", "boolean")


class RowsRead(Protocol):
    """Names and kinds of the columns that chunks hold."""

    features: dict[str, str]
    named: bool


class FeatureChunks:
    """Chosen columns of a source: X holds numbers, dates as days and hashes of categories.

    Targets are numbers: of classes their place among the sorted classes of the target, one more
    for a class that it does not have. Rows whose target is missing are left out. Where the source
    has columns that are not numbers, y is a matrix of objects: the categories, and the target last.

    Parameters
    ----------
    source : Source
    features : mapping
        Names of the columns, and the kind of each in the source.
    named : bool
        Whether the columns brought names of their own.
    target : StudyTarget, optional
        The task, and the classes; without one there are no targets.
    """

    features: dict[str, str]
    named: bool
    n_rows: int | None
    n_features: int
    repeatable: bool

    def __init__(
        self,
        source: Source,
        features: Mapping[str, str],
        named: bool = True,
        target: StudyTarget | None = None,
    ) -> None:
        self._source, self.features, self.named = source, dict(features), named
        self._target = target
        self._all_numbers = all(column.kind in NUMERIC_TYPES for column in source.columns)
        names = [column.name for column in source.columns]
        self._places = [names.index(name) for name in self.features]
        self.columns: tuple[Column, ...] = tuple(source.columns[place] for place in self._places)
        self.n_rows, self.n_features = source.n_rows, len(self.features)
        self.dtype: np.dtype = source.dtype if self._all_numbers else np.dtype(np.float64)
        self.repeatable, self.home = source.repeatable, _home(source)
        if hasattr(source, "partitions"):
            view = partial(FeatureChunks, features=self.features, named=named, target=target)
            self.partitions = partial(source.partitions, view=view)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows whose target is known, in chunks."""
        pieces = self._source.chunks if self._all_numbers else self._source.tables
        return map(self.chunk_of, pieces(rows))

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the rows column by column."""
        return self._source.tables(rows)

    def chunk_of(self, piece: Chunk | Table) -> Chunk:
        """Return rows that were read as a chunk of numbers, without those of unknown target."""
        y, known = read_targets(piece.y, self._target)
        if isinstance(piece, Chunk):
            same = self._places == list(range(piece.X.shape[1]))
            X = piece.X if same else piece.X[:, self._places]
        else:
            values = [piece.values[name] for name in self.features]
            X = np.column_stack([_as_numbers(column) for column in values])
            objects = [column for column in values if column.dtype.kind == "O"]
            matrix = np.empty((len(X), len(objects) + 1), object)
            for j, column in enumerate([*objects, np.zeros(len(X)) if y is None else y]):
                matrix[:, j] = column
            y = matrix
        chunk = Chunk(X, y, None, piece.offset)
        return chunk if known is None else chunk.part(known)


class PreparedChunks:
    """All rows after the preprocessing of a study, with their targets.

    Parameters
    ----------
    source : Source
        The rows as they are read.
    features : mapping
        Names and kinds of the columns.
    named : bool
        Whether the columns brought names of their own.
    prepare : transformer
        The fitted preprocessing.
    target : StudyTarget, optional
        How targets are read; with one, held-out rows have no weight.
    """

    n_rows: int | None
    dtype: np.dtype
    repeatable: bool
    named: bool

    def __init__(
        self,
        source: Source,
        features: Mapping[str, str],
        named: bool,
        prepare: Any,
        target: StudyTarget | None = None,
    ) -> None:
        self._rows = FeatureChunks(source, features, named, target)
        self._prepare, self._target = prepare, target
        self.n_features: int = len(prepare.get_feature_names_out())
        self.columns: tuple[Column, ...] = number_columns(self.n_features, np.dtype(np.float64))
        self.n_rows, self.dtype = source.n_rows, np.dtype(np.float64)
        self.repeatable, self.home, self.named = True, source.home, False
        if hasattr(source, "partitions"):
            view = partial(
                PreparedChunks,
                features=features,
                named=named,
                prepare=prepare,
                target=target,
            )
            self.partitions = partial(source.partitions, view=view)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the features of the rows as matrices."""
        return map(self._prepared, self._rows.chunks(rows))

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the rows as they are read."""
        return self._rows.tables(rows)

    def _prepared(self, chunk: Chunk) -> Chunk:
        Z = np.asarray(self._prepare.transform(model_rows(chunk, self._rows)), np.float64)
        if self._target is None:
            return Chunk(Z, offset=chunk.offset)
        y, weight = target_of(chunk), (~is_held_out(chunk.X)).astype(np.float64)
        if self._target.task == "classification":
            n_classes = len(np.asarray(self._target.values))
            y, weight = y.astype(np.int64), np.where(y < n_classes, weight, 0.0)
        return Chunk(Z, y, weight, chunk.offset)


def read_targets(
    y: AnyArray | None, target: StudyTarget | None
) -> tuple[AnyArray | None, AnyArray | None]:
    """Return targets as numbers, and which are known; None for the latter where all are."""
    if y is None or target is None or target.values is None:
        return None, None
    if y.dtype.kind in "iufb":
        missing = np.isnan(y) if y.dtype.kind == "f" else np.zeros(len(y), bool)
        values, code = np.unique(y[~missing], return_inverse=True)
        if target.task == "regression":
            return y.astype(np.float64), ~missing if missing.any() else None
    else:
        cells = y.tolist()
        distinct = list(dict.fromkeys(cells))
        number = {cell: j for j, cell in enumerate(distinct)}
        code = np.fromiter(map(number.__getitem__, cells), np.int64, len(cells))
        absent = np.array([is_missing(cell) for cell in distinct])
        missing = absent[code]
        kept = np.flatnonzero(~absent)
        values = np.array([distinct[j] for j in kept], object)
        code = np.searchsorted(kept, code[~missing])
    read = target.read(values) if len(values) else values
    codes = np.zeros(len(y))
    codes[~missing] = (read if target.task == "regression" else _codes(read, target.values))[code]
    return codes, ~missing if missing.any() else None


def _codes(values: AnyArray, classes: AnyArray) -> AnyArray:
    code = np.minimum(np.searchsorted(classes, values), len(classes) - 1)
    return np.where(classes[code] == values, code, len(classes))


def target_of(chunk: Chunk) -> Array:
    """Return the targets of the rows, as numbers."""
    y = np.asarray(chunk.y)
    numbers: Array = (y if y.ndim == 1 else y[:, -1]).astype(np.float64)
    return numbers


def model_rows(chunk: Chunk, rows: RowsRead, mask: AnyArray | None = None) -> Source:
    """Return the rows as a pipeline of the study reads them; those of a mask where given."""
    part = chunk if mask is None else chunk.part(mask)
    if part.y is None or part.y.ndim == 1:
        return ArraySource(part.X, names=list(rows.features) if rows.named else None)
    values, column = {}, 0
    for j, (name, kind) in enumerate(rows.features.items()):
        if kind in ("category", "text"):
            values[name] = part.y[:, column]
            column += 1
        elif kind == "date":
            days = part.X[:, j]
            moment = (np.nan_to_num(days) * MICROSECONDS_PER_DAY).astype("datetime64[us]")
            values[name] = np.where(np.isnan(days), np.datetime64("NaT", "us"), moment)
        else:
            values[name] = part.X[:, j]
    return ColumnsSource(values, rows.features)  # type: ignore[arg-type]


def dataset_chunk(dataset: Dataset, features: Mapping[str, str]) -> Chunk:
    """Return rows in memory as `FeatureChunks` gives them, in one chunk."""
    rows = FeatureChunks(dataset.source(), {name: dataset.kinds[name] for name in features})
    parts = [chunk.X for chunk in rows.chunks()]
    return Chunk(np.concatenate(parts))


def _home(source: Source) -> Home:
    return source.home


def _as_numbers(column: AnyArray) -> Array:
    if column.dtype.kind == "M":
        days = (column.astype("datetime64[us]") - np.datetime64(0, "us")).astype(
            np.float64
        ) / MICROSECONDS_PER_DAY
        return np.where(np.isnat(column), np.nan, days)
    if column.dtype.kind != "O":
        numbers: Array = column.astype(np.float64)
        return numbers
    cells = column.tolist()
    known = {cell: _hash(cell) for cell in set(cells)}
    return np.fromiter(map(known.__getitem__, cells), np.float64, len(cells))


def _hash(cell: object) -> float:
    """Return a category as a whole number below 2**53, the same in every process."""
    if is_missing(cell):
        return float("nan")
    return float(int.from_bytes(blake2b(str(cell).encode(), digest_size=8).digest()) >> 11)
