"""The metric and the index of a search, made for its rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import scipy.sparse as sp

from lookalike.data.source import Source
from lookalike.engines import engine_for, engine_name
from lookalike.errors import ParameterError
from lookalike.index.base import Index
from lookalike.index.chunked import ChunkedIndex
from lookalike.index.graph import GraphIndex
from lookalike.index.metric_from_source import metric_from_source
from lookalike.index.plan import build_index, choose_index
from lookalike.kernels.metrics import Metric, metric_from
from lookalike.kernels.metrics.base import Embedded
from lookalike.kernels.metrics.gower import Gower
from lookalike.models.neighbors.column_codes import CategoryCodes, ColumnCodes, column_weights
from lookalike.models.neighbors.search_options import SearchOptions
from lookalike.reductions.cell_counts import CellCounts
from lookalike.reductions.columns import Columns
from lookalike.reductions.wrappers import Checked, WithRowCount
from lookalike.typing import Array


def index_of_rows(
    rows: object, source: Source, options: SearchOptions, codes: ColumnCodes | None
) -> tuple[Index, tuple[str, str]]:
    """Return the index of rows in memory, and what it is and why."""
    if sp.issparse(rows) and options.metric_name() == "precomputed":
        return GraphIndex(rows), ("graph", "the distances are sparse")
    home = engine_name(source, options.engine)
    metric = _metric_of_rows(rows, source, options, codes)
    chosen = choose_index(
        rows,
        metric,
        options.algorithm,
        on_gpu=home == "gpu" and _suits_gpu(rows, metric, options),
        approximate=options.approximate > 0,
    )
    index = build_index(
        chosen[0],
        rows,
        metric,
        leaf_size=options.leaf_size,
        split=options.split,
        approximate=options.approximate,
        recall=options.recall,
        threads=options.n_jobs,
    )
    return index, chosen


def index_of_chunks(
    source: Source, options: SearchOptions, codes: ColumnCodes | None
) -> ChunkedIndex:
    """Return the index of rows that stay in their source."""
    engine = engine_for(source, options.engine, n_jobs=options.n_jobs)
    summary = Columns(ddof=1)
    missing = options.takes_missing(codes)
    with np.errstate(over="ignore", invalid="ignore"):  # of squares that are not used
        counted = Checked(WithRowCount(summary), source.columns, allow_nan=missing)
        n_rows, moments = engine.reduce(counted, source)
        columns = summary.finalize(moments)
    if options.metric_name(codes) == "gower":
        ends = np.stack([columns.least, columns.most])
        whole = bool((columns.count == n_rows).all())
        gower = _gower(source, ends, options, codes, whole=whole)
        gower.expect(engine.reduce(CellCounts(gower), source))
        metric: Metric = gower
    else:
        metric = metric_from_source(
            options.metric_by(codes),
            options.p,
            _weighted_params(source, options),
            source=source,
            engine=engine,
            seen=columns,
        )
    sizes = np.abs([columns.least, columns.most])
    largest = float(np.max(sizes, initial=0.0, where=~np.isnan(sizes)))
    if engine.name == "dask":
        from lookalike.index.cluster import ClusterIndex

        return ClusterIndex(source, metric, engine, n_rows, largest)  # type: ignore[arg-type]
    return ChunkedIndex(source, metric, engine, n_rows, largest)


def _suits_gpu(rows: object, metric: Metric, options: SearchOptions) -> bool:
    """Return whether to search on the GPU, which is tried in any case where it is named."""
    fits = isinstance(metric, Embedded) and not sp.issparse(rows)
    return options.engine == "gpu" or (fits and options.algorithm in ("auto", "exact"))


def _metric_of_rows(
    rows: object, source: Source, options: SearchOptions, codes: ColumnCodes | None
) -> Metric:
    """Return the metric, made for rows in memory."""
    if options.metric_name(codes) != "gower" or not isinstance(rows, np.ndarray):
        params = _weighted_params(source, options)
        return metric_from(options.metric_by(codes), options.p, params, rows)
    least, most = np.fmin.reduce(rows, axis=0), np.fmax.reduce(rows, axis=0)
    whole = not (rows.dtype.kind == "f" and np.isnan(rows).any())
    metric = _gower(source, np.stack([least, most]), options, codes, whole=whole)
    metric.expect(metric.cell_counts(rows))
    return metric


def _gower(
    source: Source, ends: Array, options: SearchOptions, codes: ColumnCodes | None, *, whole: bool
) -> Gower:
    params = dict(options.metric_params or {})
    unknown = set(params) - {"w", "categorical", "min_shared"}
    if unknown:
        raise ParameterError(
            f"metric_params names {sorted(unknown)}; metric='gower' takes one of "
            "['w', 'categorical', 'min_shared']."
        )
    return Gower.of_codes(
        [column.name for column in source.columns],
        ends,
        codes.categorical if isinstance(codes, CategoryCodes) else (),
        column_weights(source, params.get("w")),
        whole=whole,
        min_shared=params.get("min_shared", 0.0),
    )


def _weighted_params(source: Source, options: SearchOptions) -> dict[str, object]:
    """Return the parameters of the metric, with weights by column name as a vector."""
    params = dict(options.metric_params or {})
    if isinstance(params.get("w"), Mapping):
        params["w"] = column_weights(source, params["w"])
    return params
