"""Rows of a neighbor model: a matrix or chunks, with missing values, categories and sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from lookalike.data.arrays import kinds_of
from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.data.item_sets import ItemSets, item_sets
from lookalike.data.kept_rows import kept_rows
from lookalike.data.source import Source, open_source
from lookalike.decisions import Decisions
from lookalike.engines import engine_for, engine_name
from lookalike.errors import EngineError, ParameterError, RepeatError
from lookalike.index.base import Index
from lookalike.index.chunked import ChunkedIndex
from lookalike.index.metric_from_source import metric_from_source
from lookalike.index.plan import build_index, choose_index
from lookalike.kernels.metrics import Metric, metric_from
from lookalike.kernels.metrics.base import Embedded
from lookalike.kernels.metrics.gower import Gower
from lookalike.models.estimator import Model
from lookalike.models.neighbors.column_codes import (
    NUMERIC,
    CategoryCodes,
    CodedSource,
    ColumnCodes,
    MemberCodes,
    as_columns,
    column_weights,
    learn_codes,
    read_once,
)
from lookalike.models.preprocessing.imputer import SimpleImputer
from lookalike.reductions.columns import Columns
from lookalike.reductions.wrappers import Checked, WithRowCount
from lookalike.settings import settings
from lookalike.typing import Array, to_host
from lookalike.validation import check_choice

if TYPE_CHECKING:
    from lookalike.data.chunk import Matrix

MISSING = ("error", "mean", "present")
OF_COLUMNS = ("gower", "hamming", "jaccard")  # metrics that compare categories


class NeighborRows(Model):
    """Reads training rows and queries; subclasses search them.

    Subclasses have the parameters of a search: the metric, the index, and `missing`.
    """

    metric: object
    p: float
    metric_params: Mapping[str, object] | None
    missing: str
    algorithm: str
    leaf_size: int
    split: str
    approximate: float
    recall: float
    _codes: ColumnCodes | None
    _index: Index
    _fit_X: Any  # noqa: N815 - scikit-learn's name
    _imputer: SimpleImputer | None
    decisions_: Decisions

    _reads_tensors = False  # whether rows and queries may stay on a GPU

    @property
    def _metric(self) -> Any:
        """The metric to search by."""
        euclidean = isinstance(self.metric, str) and (
            self.metric == "euclidean" or (self.metric == "minkowski" and self.p == 2)
        )
        if self.missing != "present" or not euclidean:
            return self.metric
        return "gower" if getattr(self, "_codes", None) is not None else "nan_euclidean"

    def _named_metric(self) -> str | None:
        return self._metric.lower() if isinstance(self._metric, str) else None

    def _takes_missing(self) -> bool:
        return self._named_metric() in ("nan_euclidean", "gower")

    def _check_missing(self) -> None:
        check_choice("missing", self.missing, MISSING)
        if self.missing == "present" and not self._takes_missing():
            raise ParameterError(
                f"missing='present' compares rows by metric 'nan_euclidean' or 'gower', and "
                f"metric={self.metric!r} was given. Choose missing='mean' or another metric."
            )

    def _table(self, X: object) -> object:
        """Return `X`, with sets of items, and a matrix of text, as sources of columns."""
        if self._named_metric() == "jaccard":
            sets = item_sets(X)
            if sets is not None:
                return sets
        compared = self._named_metric() in OF_COLUMNS or self.missing == "present"
        table = as_columns(X) if compared else X
        return open_source(table) if hasattr(table, "__next__") else table  # opened once

    def _fitted_imputer(self, X: object, sample_weight: object) -> SimpleImputer | None:
        """Return what fills missing numbers; categories are filled as they are encoded."""
        if self.missing != "mean" or self._compares_categories(X):
            return None
        imputer = SimpleImputer(
            "mean", keep_empty_features=True, engine=self.engine, n_jobs=self.n_jobs
        )
        return imputer.fit(X, sample_weight=sample_weight)

    def _compares_categories(self, X: object) -> bool:
        if self._named_metric() not in OF_COLUMNS:
            return False
        numeric = kinds_of(open_source(X).columns) <= set(NUMERIC)
        return not numeric or bool(self._categorical())

    def _categorical(self) -> Any:
        given = (self.metric_params or {}).get("categorical", ())
        return given if self._named_metric() == "gower" else ()

    def _filled(self, X: object) -> Matrix:
        imputer = getattr(self, "_imputer", None)
        return X if imputer is None else imputer.transform(X)

    def _encoded(self, source: Source, decisions: Decisions, weight: Array | None) -> Source:
        """Return the training rows as numbers, where categories or sets are compared."""
        self._codes = None
        mixed = not kinds_of(source.columns) <= set(NUMERIC)
        chosen = self._named_metric()
        if chosen not in OF_COLUMNS and not (chosen == "nan_euclidean" and mixed):
            return source
        if mixed or self._categorical():
            source = read_once(source)
            name = "stream" if isinstance(source, ItemSets) else self.engine
            self._codes = learn_codes(
                source,
                engine_for(source, "auto" if name == "gpu" else name, n_jobs=self.n_jobs),
                members=chosen == "jaccard",
                categorical=self._categorical(),
                mean=self.missing == "mean",
                weight=weight,
            )
        if self._codes is None:
            return source
        if chosen == "nan_euclidean":
            decisions.add("metric", "gower", "missing='present', and not all columns are numbers")
        return CodedSource(source, self._codes)

    def _encoded_queries(self, source: Source) -> Source:
        """Return queries as numbers, by the codes of the training rows."""
        codes = getattr(self, "_codes", None)
        if codes is None:
            return source
        source = read_once(source)
        if isinstance(codes, MemberCodes):
            needed = codes.room_for(source)
            if needed > codes.width:
                self._widen(needed)
        return CodedSource(source, self._codes)  # type: ignore[arg-type]

    def _encoded_more(self, source: Source) -> Source:
        """Return further training rows as numbers; the codes learn their categories and items."""
        codes = getattr(self, "_codes", None)
        if codes is None:
            return source
        source = read_once(source)
        codes = codes.extended(source, engine_for(source, n_jobs=self.n_jobs))
        if isinstance(codes, MemberCodes) and codes.width > self._codes.width:  # type: ignore[union-attr]
            self._widen(codes.width)
        self._codes = codes
        return CodedSource(source, codes)

    def _note_imputer(self, imputer: SimpleImputer | None) -> None:
        self._imputer = imputer
        if imputer is not None or getattr(self._codes, "fill", None) is not None:
            self.decisions_.add("missing", "mean", "missing='mean': of the rows of fit")

    def _suits_card(self, rows: object, metric: Metric) -> bool:
        """Return whether to search on the GPU, which is tried in any case where it is named."""
        fits = isinstance(metric, Embedded) and not sp.issparse(rows)
        return self.engine == "gpu" or (fits and self.algorithm in ("auto", "exact"))

    def _index_of(self, rows: object, source: Source) -> tuple[Index, tuple[str, str]]:
        """Return the index of rows in memory, and what it is and why."""
        place = engine_name(source, self.engine)
        metric = self._metric_of(rows, source)
        chosen = choose_index(
            rows,
            metric,
            self.algorithm,
            on_gpu=place == "gpu" and self._suits_card(rows, metric),
            approximate=self.approximate > 0,
        )
        index = build_index(
            chosen[0],
            rows,
            metric,
            leaf_size=self.leaf_size,
            split=self.split,
            approximate=self.approximate,
            recall=self.recall,
            threads=self.n_jobs,
        )
        return index, chosen

    def _refuse_in_chunks(self) -> None:
        """Raise where an index was asked for that rows outside memory cannot have."""
        if self.algorithm == "lsh" or self.approximate:
            asked = "algorithm='lsh'" if self.algorithm == "lsh" else "approximate"
            raise EngineError(
                f"{asked} arranges rows in memory, and engine={self.engine!r} leaves these in "
                "their source, where every search is exact. Give engine='memory', or leave it out."
            )

    def _widen(self, width: int) -> None:
        """Make room for items that no training row has."""
        codes: Any = self._codes
        self._codes = codes.widened(width)
        if isinstance(self._index, ChunkedIndex):
            source: Any = self._index.source
            self._index = self._index_of_chunks(source.recoded(self._codes))
        else:
            self._fit_X = np.pad(self._fit_X, ((0, 0), (0, width - self._fit_X.shape[1])))
            self._index = self._index_of(self._fit_X, open_source(self._fit_X))[0]

    def _metric_of(self, rows: object, source: Source) -> Metric:
        """Return the metric, made for rows in memory."""
        if self._named_metric() != "gower" or not isinstance(rows, np.ndarray):
            return metric_from(self._metric, self.p, self._weighted_params(source), rows)
        least, most = np.fmin.reduce(rows, axis=0), np.fmax.reduce(rows, axis=0)
        whole = not (rows.dtype.kind == "f" and np.isnan(rows).any())
        return self._gower(source, np.stack([least, most]), whole)

    def _gower(self, source: Source, ends: Array, whole: bool) -> Gower:
        codes = getattr(self, "_codes", None)
        params = dict(self.metric_params or {})
        unknown = set(params) - {"w", "categorical"}
        if unknown:
            raise ParameterError(
                f"metric_params names {sorted(unknown)}; metric='gower' takes one of "
                "['w', 'categorical']."
            )
        return Gower.of_codes(
            [column.name for column in source.columns],
            ends,
            codes.categorical if isinstance(codes, CategoryCodes) else (),
            column_weights(source, params.get("w")),
            whole=whole,
        )

    def _weighted_params(self, source: Source) -> dict[str, object]:
        """Return the parameters of the metric, with weights by column name as a vector."""
        params = dict(self.metric_params or {})
        if isinstance(params.get("w"), Mapping):
            params["w"] = column_weights(source, params["w"])
        return params

    def _index_of_chunks(self, source: Source) -> ChunkedIndex:
        engine = engine_for(source, self.engine, n_jobs=self.n_jobs)
        summary = Columns(ddof=1)
        with np.errstate(over="ignore", invalid="ignore"):  # of squares that are not used
            n_rows, moments = engine.reduce(
                Checked(WithRowCount(summary), source.columns, allow_nan=self._takes_missing()),
                source,
            )
            columns = summary.finalize(moments)
        if self._named_metric() == "gower":
            ends = np.stack([columns.least, columns.most])
            metric: Metric = self._gower(source, ends, bool((columns.count == n_rows).all()))
        else:
            metric = metric_from_source(
                self._metric,
                self.p,
                self._weighted_params(source),
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

    def _rows_in_memory(self, source: Source, decisions: Decisions) -> Matrix:
        """Return all rows as one matrix, or None where they stay in their source."""
        place = engine_name(source, self.engine)
        if place in ("memory", "gpu"):
            return self._matrix(source, kept=True)
        if place == "stream" and self.engine == "auto":
            size = None if source.n_rows is None else source.n_rows * source.n_features * 8
            if not source.repeatable or (size is not None and size <= settings().memory // 2):
                decisions.add("engine", "memory", "the rows fit the memory budget, or come once")
                return self._matrix(source, kept=True)
        if not source.repeatable:
            raise RepeatError(
                f"engine={self.engine!r} reads the rows for every search, and these can be read "
                "only once. Give engine='memory' or a function that returns a new iterator."
            )
        return None

    def _matrix(self, source: Source, *, kept: bool = False) -> Matrix:
        """Return the rows of `source` as one matrix, each value finite or allowed to be missing."""
        rows = kept_rows(source) if kept else gather(source).X
        require_finite(rows, 0, source.columns, allow_nan=self._takes_missing())
        plain = self._named_metric() in ("euclidean", "minkowski") and self.p == 2
        plain = plain and not self.metric_params and self.algorithm in ("auto", "exact")
        stays = self._reads_tensors and plain and engine_name(source, self.engine) == "gpu"
        return rows if stays else to_host(rows)
