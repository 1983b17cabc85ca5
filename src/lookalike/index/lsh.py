"""Approximate neighbors by locality sensitive hashing, with the recall measured and reported."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.index.base import ArrayIndex, Neighbors, SearchStats
from lookalike.index.exact import ExactIndex
from lookalike.index.lsh_decisions import record_exact_search, record_recall, record_tables
from lookalike.index.lsh_probing import MOST_PROBES, choose_probed, most_probes
from lookalike.index.lsh_rows import LSH_METRICS, check_share, check_width, embed
from lookalike.index.lsh_tuning import (
    MAX_HASHES_PER_TABLE,
    MOST_TABLES,
    LSHSetting,
    Recall,
    choose_setting,
    measure,
)
from lookalike.index.rescale import distance_scale, require_one_magnitude
from lookalike.index.subset import without
from lookalike.index.validate import index_rows, query_rows, rows_left
from lookalike.kernels.lsh import (
    Buckets,
    HashedRows,
    HashFunctions,
    KeyForm,
    bucket_rows,
    draw_functions,
    fit_together,
    make_tables,
    no_tables,
)
from lookalike.kernels.native_arrays import FLOAT_TYPES, RowsLike
from lookalike.kernels.pair_keys import pair_keys
from lookalike.kernels.radius import RadiusResult
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_int

_REBUILT_ATTRIBUTES = (
    "_X",
    "_hashed",
    "_exact",
    "_family",
    "_form",
)  # of a copy or file, made again
_EXACT_FORMS = (KeyForm.SQUARED, KeyForm.COSINE)  # whose keys are those of the exact index
AIM_BEYOND = 0.25  # of what a recall lacks: neither a prediction nor a sample is a promise
SAMPLE_K = 10  # neighbors on which recall is tuned and measured
SAMPLE_QUERIES = 200
SAMPLE_OTHERS = 500  # rows that queries should not meet
SAMPLE_WORK = 4 * 10**9  # values compared for the true neighbors of a sample


class LSHIndex(ArrayIndex):
    r"""Rows in hash tables in which near rows share buckets; candidates are ordered exactly.

    One table keys every row by several hashes at once, and a query is compared with the rows that
    share its bucket in any table. Two rows that one hash joins with probability p are compared with
    probability :math:`1 - (1 - p^m)^L` for m hashes and L tables [Indyk98]. A query with fewer than
    k candidates is searched exactly; of the rows within a radius, those that share no bucket with
    the query are missed.

    The family belongs to the metric: p-stable projections for Euclidean and Manhattan distances,
    hyperplanes for cosine, MinHash for Jaccard, and sampled columns for Hamming.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        Finite numbers: 0 and 1 for "jaccard", no row of zeros for "cosine".
    metric : {"euclidean", "manhattan", "cosine", "jaccard", "hamming"}
    recall : float, default 0.95
        Share of the 10 nearest rows that should be found. Tables are chosen on a sample of rows,
        and the recall is measured on other rows: see `recall_` and `decisions`.
    n_tables, n_hashes : int, optional
    width : float, optional
        Of the intervals of p-stable projections. What is given is not tuned.
    n_probes : int, optional
        Further buckets looked at in each table, 1000 at most: those to which hashes change most
        easily [Lv07]. Tuned when None; none for "jaccard" and "hamming", whose hashes have no
        order.
    random_state : int, default 0
    threads : int, optional
        Threads used to build; None means the setting. Answers depend on the seed alone.

    Attributes
    ----------
    n_rows, n_features : int
    recall_ : Recall or None
        Measured share with its 95% interval; None for a single row.
    setting : LSHSetting
    decisions : Decisions

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> index = LSHIndex(rng.standard_normal((2000, 16)), recall=0.9)
    >>> index.recall_.share > 0.85
    True
    >>> index.query(np.zeros((1, 16)), 3).row.shape
    (1, 3)
    """

    decisions: Decisions
    n_tables: int | None
    n_hashes: int | None
    _holder = "_X"

    def __init__(
        self,
        X: AnyArray,
        *,
        metric: str = "euclidean",
        recall: float = 0.95,
        n_tables: int | None = None,
        n_hashes: int | None = None,
        width: float | None = None,
        n_probes: int | None = None,
        random_state: int = 0,
        threads: int | None = None,
    ) -> None:
        check_choice("metric", metric, (*LSH_METRICS,))
        self.metric = metric
        self.recall: float = check_share(recall)
        self.n_tables = None if n_tables is None else check_int("n_tables", n_tables, least=1)
        self.n_hashes = None if n_hashes is None else check_int("n_hashes", n_hashes, least=1)
        self.width: float | None = check_width(width, metric)
        self.n_probes: int | None = (
            None if n_probes is None else check_int("n_probes", n_probes, least=0, most=MOST_PROBES)
        )
        self.random_state: int = check_int("random_state", random_state, least=0)
        self.threads = threads
        self._family, self._form = LSH_METRICS[metric]
        if self.n_probes and self._family in ("minhash", "sample"):
            raise ParameterError(
                f"n_probes={n_probes} has no meaning for metric={metric!r}, whose hashes have no "
                "order. Give n_probes=0 and more n_tables."
            )
        self._build(index_rows(X, dtypes=FLOAT_TYPES).values)

    def query_with_stats(
        self, Q: AnyArray, k: int, *, exclude: Rows | None = None, threads: int | None = None
    ) -> tuple[Neighbors, SearchStats]:
        """Return the nearest candidates, and what it cost to find them.

        `compared` are the rows compared with a query, on average, and `scanned` the queries of too
        few candidates, which were searched exactly.
        """
        return self._query_with_stats(Q, k, exclude, None, threads)

    def _queries(self, Q: RowsLike, threads: int) -> AnyArray:  # noqa: ARG002 - converted by one
        return self._embed(query_rows(Q, self.n_features, dtypes=FLOAT_TYPES).values, "Q")

    def _nearest(
        self, Q: AnyArray, k: int, exclude: Rows, threads: int
    ) -> tuple[Neighbors, SearchStats]:
        (distance, row), compared = self._search(Q, k, exclude, threads)
        scanned = compared < 0
        rows = np.where(scanned, self.n_rows, compared)
        mean = float(rows.mean()) if len(Q) else 0.0
        return Neighbors(distance / self._scale, row), {
            "compared": mean,
            "scanned": int(scanned.sum()),
        }

    def _nearest_allowed(
        self, Q: AnyArray, k: int, exclude: Rows, allowed: AnyArray, threads: int
    ) -> Neighbors:
        """Return the nearest of the rows that are allowed: exactly, each of them is compared."""
        row, more, none = np.flatnonzero(allowed), len(exclude) > 0, np.empty(0, np.int64)
        nearest = self._compare_all(self._X[row], Q, k + more, none, threads)
        return without(Neighbors(nearest.distance / self._scale, row[nearest.row]), exclude)

    def _within(self, Q: AnyArray, radius: Array, exclude: Rows, threads: int) -> RadiusResult:
        """Return the candidates at distance <= `radius`; rows that share no bucket are missed."""
        buckets, reach = self._buckets(Q, threads), radius * self._scale
        result = self._hashed.within(Q, buckets, reach, exclude, threads=threads)
        return result._replace(distance=result.distance / self._scale)

    def _add(self, X: AnyArray) -> None:
        """Append rows; tables are chosen and built again."""
        X = query_rows(X, self.n_features, "X", dtypes=FLOAT_TYPES).values
        if len(X):
            self._rebuild(np.concatenate([self._given, X]))

    def _remove(self, rows: Rows) -> None:
        """Drop rows and close the gaps; tables are chosen and built again."""
        self._rebuild(self._given[rows_left(rows, self.n_rows)])

    def _rebuild(self, X: AnyArray) -> None:
        self.__dict__.pop("_exact", None)
        self._build(X)

    def _build(self, X: AnyArray) -> None:
        self.decisions = Decisions()
        self.recall_: Recall | None = None
        self._given = X
        self._scale = (
            distance_scale(float(np.abs(X).max()))
            if self._family in ("gaussian", "cauchy")
            else 1.0
        )
        if self.metric == "euclidean":
            require_one_magnitude(X, self._scale)
        self._X = self._embed(X, "X")
        rng = np.random.default_rng([self.random_state, 0])
        rows = rng.permutation(self.n_rows)
        size = min(SAMPLE_QUERIES, self.n_rows // 2, max(20, SAMPLE_WORK // X.size))
        k = min(SAMPLE_K, self.n_rows - 1)
        if size == 0:
            self._make(_untuned(self))
            self.decisions.add("recall", "not measured", "a single row has no neighbors")
            return
        tuning, held_out = rows[:size], rows[size : 2 * size]
        true = self._search_all(self._X, tuning, k, tuning)
        self._make_until_reached(self._choose(tuning, true, rng), tuning, true.distance)
        self._record_decisions(held_out, k)

    def _choose(self, tuning: Rows, true: Neighbors, rng: np.random.Generator) -> LSHSetting:
        others = rng.choice(self.n_rows, min(self.n_rows, SAMPLE_OTHERS), replace=False)
        none = np.empty(0, np.int64)
        far = self._search_all(self._X[others], tuning, len(others), none).distance
        given: dict[str, Any] = {
            "aim": self.recall + AIM_BEYOND * (1 - self.recall),
            "tables": self.n_tables,
            "hashes": self.n_hashes,
            "width": None if self.width is None else self.width * self._scale,
            "n_rows": self.n_rows,
            "n_features": self.n_features,
        }
        if self._family in ("minhash", "sample"):
            return choose_setting(self._family, true.distance, far, **given)
        self._check_probes(self.n_probes or 0, self.n_hashes or MAX_HASHES_PER_TABLE)
        sample = tuning, true, Neighbors(far, others)
        return choose_probed(self._family, sample, self._hash_sample, probes=self.n_probes, **given)

    def _hash_sample(self, rows: Rows, setting: LSHSetting) -> Buckets:
        workers = resolve_threads(self.threads, "threads")
        return bucket_rows(self._X[rows], self._draw(setting), setting.probes, workers)

    def _make_until_reached(self, setting: LSHSetting, sample: Rows, true: Array) -> None:
        self._make(setting)
        while self.n_tables is None and self.setting.tables < MOST_TABLES:
            nearest, _ = self._sample_search(sample, true.shape[1])
            if measure(nearest.distance, true).share >= self.recall:
                break
            more = min(MOST_TABLES, self.setting.tables + self.setting.tables // 2 + 1)
            self._make(self.setting._replace(tables=more))

    def _make(self, setting: LSHSetting) -> None:
        self.setting = setting
        self._functions = self._draw(setting)
        self._check_probes(self.setting.probes, self.setting.hashes)
        self._hashed = self._arrange()

    def _check_probes(self, probes: int, hashes: int) -> None:
        most = most_probes(self._family, hashes)
        if probes > most:
            raise ParameterError(
                f"n_probes={probes} exceeds the {most} changes of {hashes} hashes. Give fewer "
                "n_probes or more n_hashes."
            )

    def _draw(self, setting: LSHSetting) -> HashFunctions:
        return draw_functions(
            self._family,
            setting.tables,
            setting.hashes,
            width=setting.width,
            center=np.asarray(self._X.mean(axis=0, dtype=np.float64)),
            d=self.n_features,
            seed=self.random_state,
        )

    def _arrange(self) -> HashedRows:
        workers = resolve_threads(self.threads, "threads")
        tables = make_tables(bucket_rows(self._X, self._functions, 0, workers), workers)
        return HashedRows(self._X, tables, self._form)

    @cached_property
    def _hashed(self) -> HashedRows:
        """The rows in their tables, made at the first query where the index comes from a file."""
        return self._arrange()

    @cached_property
    def _exact(self) -> ExactIndex:
        """What searches for queries that have too few candidates."""
        return ExactIndex(self._X, threads=self.threads)

    def __getstate__(self) -> dict[str, object]:
        state = vars(self).copy()
        return {name: part for name, part in state.items() if name not in _REBUILT_ATTRIBUTES}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._family, self._form = LSH_METRICS[self.metric]
        self._X = self._embed(index_rows(self._given, dtypes=FLOAT_TYPES).values, "X")
        self._check_probes(self.setting.probes, self.setting.hashes)
        if not fit_together(self._functions, self._draw(self.setting), self.n_features):
            raise ShapeError(
                f"the hash functions are not those of {self.setting}. Build the index again."
            )

    def _record_decisions(self, sample: Rows, k: int) -> None:
        nearest, compared = self._sample_search(sample, k)
        true = self._search_all(self._X, sample, k, sample)
        self.recall_ = measure(nearest.distance, true.distance)
        width = self.setting.width / self._scale if self._has_width else None
        record_tables(self.decisions, self.setting, width)
        record_recall(self.decisions, self.recall_, self.recall, compared)
        if self._form in _EXACT_FORMS:
            record_exact_search(self.decisions, self._X, self.setting, compared)

    @property
    def _has_width(self) -> bool:
        return self._family in ("gaussian", "cauchy")

    def _embed(self, X: AnyArray, name: str) -> AnyArray:
        return embed(X, self.metric, self._scale, name)

    def _search(self, Q: AnyArray, k: int, exclude: Rows, threads: int) -> tuple[Neighbors, Rows]:
        """Return the `k` nearest candidates of every query, and how many were compared with it.

        Where they are too few, the neighbors are exact, and -1 stands for how many were compared.
        Forms that the exact index does not serve compare all rows.
        """
        buckets, scan = self._buckets(Q, threads), self._form not in _EXACT_FORMS
        distance, row, compared = self._hashed.nearest(
            Q, buckets, k, exclude, threads=threads, scan=scan
        )
        lacking = np.flatnonzero(compared < 0)
        if not scan and len(lacking):
            without_row = exclude[lacking] if len(exclude) else None
            distance[lacking], row[lacking] = self._search_exactly(
                Q[lacking], k, without_row, threads
            )
        return Neighbors(distance, row), compared

    def _search_exactly(self, Q: AnyArray, k: int, exclude: Rows | None, threads: int) -> Neighbors:
        nearest = self._exact.query(Q, k, exclude=exclude, threads=threads)
        if self._form is not KeyForm.COSINE:
            return nearest
        keys = pair_keys(Q, self._X, nearest.row, threads=threads)
        return Neighbors(np.minimum(0.5 * keys, 2.0), nearest.row)

    def _compare_all(
        self, X: AnyArray, Q: AnyArray, k: int, exclude: Rows, threads: int
    ) -> Neighbors:
        """Return the `k` nearest of all rows of `X`, compared one by one."""
        rows, buckets = HashedRows(X, no_tables(), self._form), np.empty((len(Q), 0), np.uint64)
        distance, row, _ = rows.nearest(Q, buckets, k, exclude, threads=threads, scan=True)
        return Neighbors(distance, row)

    def _buckets(self, Q: AnyArray, threads: int) -> Buckets:
        return bucket_rows(Q, self._functions, self.setting.probes, threads)

    def _sample_search(self, rows: Rows, k: int) -> tuple[Neighbors, Rows]:
        return self._search(self._X[rows], k, rows, resolve_threads(self.threads, "threads"))

    def _search_all(self, X: AnyArray, rows: Rows, k: int, exclude: Rows) -> Neighbors:
        workers = resolve_threads(self.threads, "threads")
        return self._compare_all(X, self._X[rows], k, exclude, workers)

    def __repr__(self) -> str:
        return f"LSHIndex({self.n_rows} rows, metric={self.metric!r}, {self.setting.tables} tables)"


def _untuned(index: LSHIndex) -> LSHSetting:
    """Return the setting of an index that has no neighbors to tune on."""
    tables, hashes, width = index.n_tables or 1, index.n_hashes or 1, index.width or 1.0
    return LSHSetting(tables, hashes, width, 1.0, 1.0, index.n_probes or 0)
