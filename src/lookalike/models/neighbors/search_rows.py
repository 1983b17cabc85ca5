"""Tables as the rows of a search: filled, encoded, in memory or in their source."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.data.source import Source, is_source, open_features, open_source
from lookalike.data.sources.arrays import kinds_of
from lookalike.data.sources.item_sets import ItemSets, item_sets
from lookalike.data.sources.kept_rows import kept_rows
from lookalike.decisions import Decisions
from lookalike.engines import engine_for, engine_name
from lookalike.errors import EngineError, ParameterTypeError, RepeatError
from lookalike.models.neighbors.column_codes import (
    NUMERIC_TYPES,
    CategoryCodes,
    ColumnCodes,
    as_columns,
    learn_codes,
    read_once,
)
from lookalike.models.neighbors.search_options import CATEGORY_METRICS, PLAIN_METRICS, SearchOptions
from lookalike.models.preprocessing.imputer import SimpleImputer
from lookalike.settings import settings
from lookalike.typing import Array, to_host

if TYPE_CHECKING:
    from lookalike.data.chunk import Matrix

FORMATS_WITHOUT_ZEROS = ("bsr", "dia", "dok")  # which lose the zeros that are stored


def open_table(X: Any, options: SearchOptions, codes: ColumnCodes | None = None) -> object:
    """Return `X`, with sets of items, and a matrix of text, as sources of columns."""
    named = options.metric_name(codes)
    if named == "precomputed" and sp.issparse(X) and X.format in FORMATS_WITHOUT_ZEROS:
        raise ParameterTypeError(
            f"Sparse matrix in {X.format!r} format is not supported due to its handling of "
            "explicit zeros. Give CSR."
        )
    if named == "jaccard":
        sets = item_sets(X)
        if sets is not None:
            return sets
    compared = named in CATEGORY_METRICS or options.missing == "present"
    table = as_columns(X) if compared else X
    read = is_source(table) or hasattr(table, "__next__") or isinstance(table, (str, PathLike))
    categories = _category_names(options, codes)
    if categories and (source := open_source(table)).named and source.repeatable:
        kinds = {column.name: column.kind for column in source.columns}
        read |= any(kinds.get(name, "category") != "category" for name in categories)
    return open_features(table, categories=categories) if read else table  # opened once


def _category_names(options: SearchOptions, codes: ColumnCodes | None) -> list[str]:
    """Return the columns of text in fit, without numbers that were declared to be categories."""
    if not isinstance(codes, CategoryCodes):
        return []
    declared = {*map(str, options.categorical() or ())}
    names = ((str(column), codes.names[column]) for column in codes.categorical)
    return [name for column, name in names if not declared & {column, name}]


def fit_imputer(X: object, options: SearchOptions, sample_weight: object) -> SimpleImputer | None:
    """Return what fills missing numbers; categories are filled as they are encoded."""
    if options.missing != "mean" or _compares_categories(X, options):
        return None
    imputer = SimpleImputer(
        "mean", keep_empty_features=True, engine=options.engine, n_jobs=options.n_jobs
    )
    return imputer.fit(X, sample_weight=sample_weight)


def _compares_categories(X: object, options: SearchOptions) -> bool:
    if options.metric_name() not in CATEGORY_METRICS:
        return False
    numeric = kinds_of(open_source(X).columns) <= set(NUMERIC_TYPES)
    return not numeric or bool(options.categorical())


def learn_column_codes(
    source: Source, options: SearchOptions, decisions: Decisions, weight: Array | None
) -> tuple[Source, ColumnCodes | None]:
    """Return the rows, readable again, and their codes where categories or sets are compared."""
    mixed = not kinds_of(source.columns) <= set(NUMERIC_TYPES)
    chosen = options.metric_name()
    if chosen not in CATEGORY_METRICS and not (chosen == "nan_euclidean" and mixed):
        return source, None
    if not mixed and not options.categorical():
        return source, None
    source = read_once(source)
    name = "stream" if isinstance(source, ItemSets) else options.engine
    codes = learn_codes(
        source,
        engine_for(source, "auto" if name == "gpu" else name, n_jobs=options.n_jobs),
        members=chosen == "jaccard",
        categorical=options.categorical(),
        mean=options.missing == "mean",
        weight=weight,
    )
    if codes is not None and chosen == "nan_euclidean":
        decisions.add("metric", "gower", "missing='present', and not all columns are numbers")
    return source, codes


def rows_in_memory(
    source: Source,
    options: SearchOptions,
    codes: ColumnCodes | None,
    decisions: Decisions,
    *,
    kept: bool = True,
) -> Matrix:
    """Return all rows as one matrix, or None where they stay in their source.

    Those that are `kept` are a copy, unless nobody can write to them.
    """
    home = engine_name(source, options.engine)
    if home in ("memory", "gpu"):
        return read_matrix(source, options, codes, kept=kept)
    if home == "stream" and options.engine == "auto":
        size = None if source.n_rows is None else source.n_rows * source.n_features * 8
        if not source.repeatable or (size is not None and size <= settings().memory // 2):
            decisions.add("engine", "memory", "the rows fit the memory budget, or come once")
            return read_matrix(source, options, codes, kept=kept)
    if not source.repeatable:
        raise RepeatError(
            f"engine={options.engine!r} reads the rows for every search, and these can be read "
            "only once. Give engine='memory' or a function that returns a new iterator."
        )
    return None


def read_matrix(
    source: Source, options: SearchOptions, codes: ColumnCodes | None, *, kept: bool = False
) -> Matrix:
    """Return the rows of `source` as one matrix, each value finite or allowed to be missing."""
    rows = kept_rows(source) if kept else gather(source).X
    require_finite(rows, 0, source.columns, allow_nan=options.takes_missing(codes))
    plain = options.metric_name(codes) in PLAIN_METRICS and options.p == 2
    plain = plain and not options.metric_params and options.algorithm in ("auto", "exact")
    stays = options.reads_tensors and plain and engine_name(source, options.engine) == "gpu"
    return rows if stays else to_host(rows)


def exact_floats(rows: Any) -> Any:
    """Return whole numbers as float64: their source has warned where one cannot be exact."""
    wide = isinstance(rows, np.ndarray) and rows.dtype.kind in "iu" and rows.itemsize == 8
    return rows.astype(np.float64) if wide else rows


def refuse_in_chunks(options: SearchOptions) -> None:
    """Raise where an index was asked for that rows outside memory cannot have."""
    if options.algorithm == "lsh" or options.approximate:
        asked = "algorithm='lsh'" if options.algorithm == "lsh" else "approximate"
        raise EngineError(
            f"{asked} arranges rows in memory, and engine={options.engine!r} leaves these in "
            "their source, where every search is exact. Give engine='memory', or leave it out."
        )
