"""Builds the files of an index from a source of any size, within the memory budget."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.select import NamedColumns
from lookalike.data.source import Source, open_source
from lookalike.data.sources.arrays import ArraySource
from lookalike.data.sources.page_release import place_in_file
from lookalike.engines import engine_for
from lookalike.errors import MissingValueError, ShapeError
from lookalike.index.disk.array_file import write_arrays
from lookalike.index.disk.code_blocks import CodeBlock, CodeLayout
from lookalike.index.disk.column_file import ColumnWriter, new_columns, split_columns
from lookalike.index.disk.folder import IndexFolder
from lookalike.index.disk.metric_state import metric_to_plain
from lookalike.index.disk.row_file import BytesRead, RowFile, RowPlace
from lookalike.index.filter_plan import plan_filter
from lookalike.index.metric_from_source import metric_from_source
from lookalike.index.rescale import distance_scale, require_one_magnitude
from lookalike.kernels.exact import PANEL_ROWS, WIDEST_CODE
from lookalike.kernels.metrics.base import Embedded
from lookalike.kernels.native_arrays import NUMBER_TYPES, ValueRange, as_dense, native_rows
from lookalike.progress import progress
from lookalike.reductions.columns import Columns
from lookalike.reductions.wrappers import Checked, WithRowCount
from lookalike.settings import settings
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray

BUILD_BLOCK_ROWS = 1 << 16
SEED_ROWS_CACHED = 1 << 14  # rows that are cached, evenly spread
MIN_ROWS_TO_CODES_RATIO = 4  # codes take at most this part of the bytes of the rows
NOT_CLIPPED = 0.999  # a row whose code is clipped is read by every search
FLOAT64_COPIES_PER_BLOCK = 6  # of a block of rows as float64 that building its codes may take


def build_index_file(
    path: str | os.PathLike[str],
    data: object,
    *,
    metric: object = "euclidean",
    p: float = 2,
    metric_params: dict[str, object] | None = None,
    keep: Sequence[str] = (),
    copy: bool = False,
    threads: int | None = None,
) -> None:
    """Write an index of the rows of `data` to the folder `path`, whole or not at all.

    Parameters
    ----------
    path : path
        The folder. An index that is there already is replaced when the new one is complete.
    data : table
        Anything that :func:`lookalike.data.open_source` takes, of any size; only numbers, but for
        the columns of `keep`.
    metric, p, metric_params
        As in :class:`lookalike.NearestNeighbors`; a metric that orders rows as a
        Euclidean distance does.
    keep : list of str
        Columns that are kept for conditions (``where=``) and not compared; of any kind.
    copy : bool, default=False
        Whether to copy the rows of an .npy file too, which else are read where they lie.
    threads : int, optional
        Threads that build; None means the setting.
    """
    source = open_source(data)
    workers = resolve_threads(threads)
    compared, kept = split_columns(source.columns, keep, "keep names")
    features: Source = compared_columns(source, compared) if kept else source
    made = _metric_of(features, metric, p, metric_params)
    plain, arrays = metric_to_plain(made)
    folder = IndexFolder(path)
    with folder.changing():
        segment = write_segment(folder, source, made, keep=keep, copy=copy, threads=workers)
        folder.write(
            {
                "n_features": len(compared),
                "columns": compared,
                "kept": [column.name for column in kept],
                "metric": plain,
                "arrays": write_arrays(folder, {**arrays, "removed": np.empty(0, np.int64)}),
                "segments": [segment],
            }
        )


def _metric_of(
    source: Source, metric: object, p: float, metric_params: dict[str, object] | None
) -> Any:
    """Return the metric; those that are measured on the rows take passes over them first."""
    measured = isinstance(metric, str) and metric.lower() in ("seuclidean", "mahalanobis")
    engine = engine_for(source)
    seen: Any = None
    if measured:
        summary = Columns(ddof=1)
        _, moments = engine.reduce(Checked(WithRowCount(summary), source.columns), source)
        seen = summary.finalize(moments)
    return metric_from_source(metric, p, metric_params, source=source, engine=engine, seen=seen)


def compared_columns(source: Source, names: Sequence[str]) -> NamedColumns:
    """Return the columns of a source that are compared, as numbers."""
    dtype = source.dtype if source.dtype in NUMBER_TYPES else np.dtype(np.float64)
    return NamedColumns(source, names, dtype)


def write_segment(
    folder: IndexFolder,
    source: Source,
    metric: Embedded,
    *,
    keep: Sequence[str],
    copy: bool,
    threads: int,
    largest_before: float = 0.0,
) -> dict[str, object]:
    """Write rows, unless they may stay where they are, and codes; return what lists them.

    `largest_before` is the largest magnitude of the rows that they are added to.
    """
    place = None if copy or keep else _place_of(source)
    is_copy = place is None
    columns: ColumnWriter | None = None
    if place is None:
        place, columns = _copy_rows(folder, source, keep)
    rows = RowFile(place._replace(path=_full_path(folder, place, is_copy)), BytesRead())
    view = EmbeddedRows(rows, metric)
    values = view.measure()
    largest = max(-values.least, values.most)
    view.require_one_magnitude(max(largest, largest_before))
    view.scale = distance_scale(largest)
    layout = _layout(view, values)
    blocks = []
    block_rows = _block_rows(view.shape[1])
    with folder.new_file(".codes") as (name, file), progress("codes", len(rows)) as advance:
        for start in range(0, len(rows), block_rows):
            stop = min(start + block_rows, len(rows))
            if layout is not None:
                blocks.append(layout.write(view.slice(start, stop), file, threads))
            else:
                blocks.append(CodeBlock(0, 0, stop - start, 0, 0))
            advance(stop - start)
    seed = np.unique(
        np.linspace(0, len(rows) - 1, min(SEED_ROWS_CACHED, len(rows))).astype(np.int64)
    )
    kept = {"seed_row": seed, "seed": rows.read(seed)}
    if layout is not None:
        kept |= {"mean": layout.mean, "directions": layout.directions}
    if columns is not None:
        kept |= columns.arrays()
    rows.require_unchanged()
    rows.close()
    arrays = write_arrays(folder, kept)
    return {
        "rows": {**place._asdict(), "own": is_copy},
        "codes": name,
        "codes_size": os.path.getsize(folder.file(name)),
        "arrays": arrays["name"],
        "arrays_checksum": arrays["checksum"],
        "columns": [] if columns is None else columns.listed(),
        "layout": None if layout is None else layout.to_json(),
        "blocks": [list(block) for block in blocks],
        "scale": view.scale,
        "largest": max(-values.least, values.most),
    }


class EmbeddedRows:
    """The rows of a file as a metric compares them, scaled, some at a time."""

    scale: float
    dtype: np.dtype
    raw_bytes: int
    shape: tuple[int, int]

    def __init__(self, rows: RowFile, metric: Embedded, scale: float = 1.0) -> None:
        self._rows, self._metric, self.scale = rows, metric, scale
        probe = self.embed(rows.slice(0, 1))
        self.shape = len(rows), probe.shape[1]
        self.dtype, self.raw_bytes = probe.dtype, rows.place.row_bytes

    def embed(self, X: AnyArray) -> AnyArray:
        """Return rows as the metric compares them."""
        embedded: Any = self._metric.embed(X)
        made: AnyArray = embedded if self.scale == 1.0 else embedded * self.scale
        return made

    def slice(self, start: int, stop: int) -> AnyArray:
        """Return the rows from `start` to before `stop`."""
        return self.embed(self._rows.slice(start, stop))

    def __getitem__(self, rows: AnyArray) -> AnyArray:
        return self.embed(self._rows[rows])

    def require_one_magnitude(self, largest: float) -> None:
        """Raise where values are too small to be compared beside the largest."""
        scale = distance_scale(largest) if self._metric.degree else 1.0
        size = _block_rows(self.shape[1])
        for start in range(0, self.shape[0] if scale != 1.0 else 0, size):
            part = self.slice(start, min(start + size, self.shape[0]))
            require_one_magnitude(part, scale, start)

    def measure(self) -> ValueRange:
        """Return which values the embedded rows hold; all must be finite."""
        least, most, whole = np.inf, -np.inf, True
        size = _block_rows(self.shape[1])
        with progress("rows", self.shape[0]) as advance:
            for start in range(0, self.shape[0], size):
                stop = min(start + size, self.shape[0])
                try:
                    part = native_rows(self.slice(start, stop)).range
                except MissingValueError:
                    require_finite(self._rows.slice(start, stop), start, None)
                    raise
                least, most = min(least, part.least), max(most, part.most)
                whole = whole and part.whole
                advance(stop - start)
        return ValueRange(-1, -1, least, most, whole)


def _layout(view: EmbeddedRows, values: ValueRange) -> CodeLayout | None:
    """Return how codes are made: at most a quarter of the bytes of the rows, where that does."""
    n_features = view.shape[1]
    if n_features > WIDEST_CODE:
        return None
    margins = 8 / PANEL_ROWS + 0.1  # bytes a row, with what the list of blocks takes
    room = np.floor(
        view.raw_bytes / MIN_ROWS_TO_CODES_RATIO - margins - 3
    )  # two rests and a margin
    rows: Any = view
    plan, _ = plan_filter(rows, "auto", values, room=float(max(room, 0)), share=NOT_CLIPPED)
    if plan is None:
        plan, _ = plan_filter(rows, "full", values, share=NOT_CLIPPED)
    assert plan is not None, "codes of the columns themselves can always be made"
    return CodeLayout.of_plan(*plan)


def _block_rows(n_features: int) -> int:
    """Return how many rows a block has: a power of two times those of a panel."""
    fit = settings().memory // 2 // (FLOAT64_COPIES_PER_BLOCK * 8 * n_features)
    rows = BUILD_BLOCK_ROWS
    while rows > PANEL_ROWS and rows > fit:
        rows //= 2
    return rows


def _place_of(source: Source) -> RowPlace | None:
    """Return where the rows lie in an .npy file that can be read as it is."""
    if not isinstance(source, ArraySource) or source.array.dtype not in NUMBER_TYPES:
        return None
    found = place_in_file(source.array)
    if found is None:
        return None
    (path, stat), offset = found
    return RowPlace(
        os.path.abspath(path),
        offset,
        source.n_rows,
        source.n_features,
        source.array.dtype.str,
        stat.st_mtime_ns,
        stat.st_size,
    )


def _copy_rows(
    folder: IndexFolder, source: Source, keep: Sequence[str]
) -> tuple[RowPlace, ColumnWriter]:
    """Copy the rows, and the columns that are kept, in one pass."""
    count = 0
    names, kept = split_columns(source.columns, keep, "keep names")
    features: Source = compared_columns(source, names) if kept else source
    dtype = features.dtype if features.dtype in NUMBER_TYPES else np.dtype(np.float64)
    with (
        folder.new_file(".rows") as (name, file),
        new_columns(folder, kept) as columns,
        progress("copied", source.n_rows) as advance,
    ):
        for chunk, values in _chunks_with(source, names, kept):
            X = as_dense(chunk.X)
            require_finite(X, chunk.offset, features.columns)
            file.write(np.ascontiguousarray(X, dtype).data)
            columns.write(values)
            count += len(X)
            advance(len(X))
    if not count:
        raise ShapeError("The source has no rows. Give at least one.")
    size = count * features.n_features * dtype.itemsize
    return RowPlace(name, 0, count, features.n_features, dtype.str, None, size), columns


def _chunks_with(
    source: Source, names: Sequence[str], kept: Sequence[Column]
) -> Iterator[tuple[Chunk, dict[str, AnyArray]]]:
    """Give chunks of the columns that are compared, each with the same rows of those kept."""
    if not kept:
        yield from ((chunk, {}) for chunk in source.chunks())
        return
    features = compared_columns(source, names)
    for table in source.tables():
        yield features.chunk_of(table), {column.name: table.values[column.name] for column in kept}


def _full_path(folder: IndexFolder, row_place: RowPlace, is_copy: bool) -> str:
    return str(folder.file(row_place.path)) if is_copy else row_place.path
