"""Selection of columns by a univariate score."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError, UnsupportedError
from lookalike.models.estimator import with_callbacks
from lookalike.models.feature_selection.redundancy import (
    pairwise,
    rank_without_redundancy,
    score_by_redundancy,
)
from lookalike.models.feature_selection.selector import Selector
from lookalike.models.feature_selection.univariate import score_columns
from lookalike.models.feature_selection.univariate_inputs import (
    SCORE_MISSING_CHOICES,
    ColumnScores,
    FilterRows,
    discrete_columns,
)
from lookalike.models.linalg.magnitude import require_shared_magnitude
from lookalike.models.targets import read_target
from lookalike.reductions.columns import Columns
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_float, check_int, is_function, shown

if TYPE_CHECKING:
    from sklearn.utils import Tags

UNSUPERVISED_SCORES = ("variance", "redundancy")
FILTER_SCORES = (
    "pearson",
    "mutual_info",
    "mutual_info_knn",
    "f",
    "chi2",
    "snr",
    *UNSUPERVISED_SCORES,
)
JACKKNIFE_GROUPS = 10  # of rows, left out in turn for standard errors


class SelectByFilter(Selector):
    r"""Keep the columns of highest univariate score, against the target or without one [LUMS].

    =====================  ============================================================
    ``"pearson"``          correlation; of several classes the correlation ratio
    ``"f"``                F-statistic: ANOVA, or linear regression
    ``"chi2"``             chi-square of counts or categories with classes
    ``"snr"``              difference of the class means over the sum of their deviations
    ``"mutual_info"``      mutual information in bins, exact on categories
    ``"mutual_info_knn"``  mutual information by neighbors, all rows in memory
    ``"variance"``         variance of the column; needs no target
    ``"redundancy"``       1 less the largest correlation with a column ranked before it, the
                           column that shares most with all others first; needs no target
    =====================  ============================================================

    All serve classes and numbers: for "snr" numbers are cut at their median, for "chi2" into bins
    of about equally many rows. Columns are ranked by the size of their score, the lower column
    first of equal ones. A column that never varies or has no value is never selected.

    Parameters
    ----------
    score_func : str or callable, default="pearson"
        One of the above, or a function of (X, y) that returns scores, or scores and p-values, as
        scikit-learn's do.
    k : int, float, "fdr" or "all", default=10
        How many columns stay: a number, a fraction of them, those that a false discovery rate of
        `alpha` allows [Benjamini95], or all that vary.
    alpha : float, optional
        The false discovery rate for ``k="fdr"``; 0.05 where None.
    redundancy : {None, "mrmr"}, default=None
        "mrmr" takes column after column, each for its relevance beyond those taken [Peng05]:
        relevance less the mean size of correlations ("pearson") or less the mean information
        ("mutual_info"), for the other scores relevance over the mean size of correlations.
    task : {"auto", "classification", "regression"}, default="auto"
        What the target holds; `decisions_` says what "auto" chose.
    discrete_features : "auto", bool or array, default="auto"
        Columns whose numbers are categories, for "mutual_info".
    missing : {"error", "present"}, default="error"
        Whether missing values are refused, or each column is scored by the rows that have it.
    engine, n_jobs
        As in :class:`lookalike.PCA`.

    Attributes
    ----------
    scores_, pvalues_ : ndarray of shape (n_features,)
        Of each column; `pvalues_` is None where no test goes with the score.
    standard_error_ : ndarray of shape (n_features,)
        Of each score, by leaving out every tenth row in turn [Efron82]; NaN where not known.
    ranking_ : ndarray of shape (n_features,)
        1 for the best column.
    support_ : ndarray of shape (n_features,)
        Whether a column stays.
    redundancy_ : ndarray
        With "mrmr", what all columns share with each one taken but the last.
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    >>> from lookalike.feature_selection import SelectByFilter
    >>> X = [[1.0, 7.0, 3.0], [2.0, 7.0, 1.0], [8.0, 7.0, 2.0], [9.0, 7.0, 4.0]]
    >>> model = SelectByFilter(k=1).fit(X, ["no", "no", "yes", "yes"])
    >>> model.scores_.round(3), model.get_support(indices=True)
    (array([0.99 , 0.   , 0.447]), array([0]))
    """

    scores_: Array
    pvalues_: Array | None
    standard_error_: Array

    def __init__(
        self,
        score_func: str | Callable[..., object] = "pearson",
        *,
        k: int | float | str = 10,
        alpha: float | None = None,
        redundancy: str | None = None,
        task: str = "auto",
        discrete_features: str | ArrayLike = "auto",
        missing: str = "error",
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.score_func = score_func
        self.k = k
        self.alpha = alpha
        self.redundancy = redundancy
        self.task = task
        self.discrete_features = discrete_features
        self.missing = missing
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Score the columns of `X`, any table, by the target `y`, and choose among them.

        `y` holds classes or numbers, unless the source brings them; `sample_weight` says how much
        each row counts.
        """
        self._check()
        decisions = Decisions()
        if self.score_func in UNSUPERVISED_SCORES:
            y, task = None, "regression"
        else:
            y, task = read_target(type(self).__name__, X, y, self.task, decisions)
        source = self._open(X, y, sample_weight)
        if source.n_rows == 1:
            raise ShapeError("X has n_samples = 1: nothing varies in one sample. Give more rows.")
        rows = FilterRows(
            source,
            self._engine(source, decisions),
            task=task,
            discrete=discrete_columns(self.discrete_features, source.columns),
            missing=self.missing,
            n_groups=JACKKNIFE_GROUPS,
            n_jobs=self.n_jobs,
        )
        scores, pvalues, error, varies = self._score(rows)
        usable = varies & ~np.isnan(scores)
        if not usable.all():  # they may be, but for a value whose square overflows
            require_shared_magnitude(source, np.inf, "the score of its column")
        if not usable.any():
            raise ShapeError("No column of X varies and has values: nothing can be selected.")
        order, shared = self._ranked(rows, scores, pvalues, usable)
        kept = self._chosen(order, pvalues, usable, decisions)
        self.scores_, self.pvalues_, self.standard_error_ = scores, pvalues, error
        self.ranking_: Rows = np.empty(len(order), np.int64)
        self.ranking_[order] = np.arange(1, len(order) + 1)
        self.support_: AnyArray = np.zeros(len(order), bool)
        self.support_[kept] = True
        self.redundancy_ = shared
        self.decisions_ = decisions
        return self

    def _check(self) -> None:
        if not is_function(self.score_func):
            check_choice("score_func", self.score_func, FILTER_SCORES)
        check_choice("missing", self.missing, SCORE_MISSING_CHOICES)
        check_choice("redundancy", self.redundancy, (None, "mrmr"))
        if isinstance(self.k, str):
            check_choice("k", self.k, ("fdr", "all"))
        elif isinstance(self.k, float):
            check_float("k", self.k, least=np.finfo(float).tiny, most=np.nextafter(1.0, 0.0))
        else:
            check_int("k", self.k, least=1)
        if self.alpha is not None:
            check_float("alpha", self.alpha, least=0.0, most=1.0)
            if self.k != "fdr":
                raise ParameterError(
                    f"alpha={self.alpha} is a false discovery rate, and k={self.k!r} has "
                    "none. Give k='fdr', or leave alpha out."
                )
        if self.redundancy and self.score_func in UNSUPERVISED_SCORES:
            raise UnsupportedError(
                f"redundancy='mrmr' weighs redundancy against relevance to a target, and "
                f"score_func={self.score_func!r} knows no target. Choose another score_func."
            )
        if self.redundancy and self.k == "fdr":
            raise UnsupportedError(
                "redundancy='mrmr' ranks columns by more than their p-value. Give k as a number."
            )

    def _score(self, rows: FilterRows) -> ColumnScores:
        if self.score_func == "redundancy":
            varies = score_columns("variance", rows)[3]
            scores = score_by_redundancy(pairwise(rows, "pearson"), varies)
            return scores, None, np.full(len(scores), np.nan), varies
        if not callable(self.score_func):
            return score_columns(self.score_func, rows)
        chunk = gather(rows.source)
        if chunk.weight is not None:
            raise UnsupportedError("A callable score_func takes no sample_weight. Repeat the rows.")
        require_finite(chunk.X, 0, rows.columns, allow_nan=self.missing == "present")
        result = self.score_func(chunk.X, chunk.y)
        scores, pvalues = result if isinstance(result, tuple) else (result, None)
        try:
            scores = np.asarray(scores, np.float64)
        except (TypeError, ValueError):
            raise ParameterTypeError(
                f"score_func returned {shown(scores)}, which are not scores. Return numbers."
            ) from None
        if scores.shape != (len(rows.columns),):
            raise ShapeError(
                f"score_func returned shape {scores.shape} for {len(rows.columns)} columns. "
                "Return one score per column, or a pair of scores and p-values."
            )
        columns = Columns().finalize(Columns().update(Columns().init(len(scores)), chunk))
        p = None if pvalues is None else np.asarray(pvalues, np.float64)
        unknown = np.full(len(scores), np.nan)
        return scores, p, unknown, columns.most > columns.least

    def _ranked(
        self, rows: FilterRows, scores: Array, pvalues: Array | None, usable: AnyArray
    ) -> tuple[Rows, Array | None]:
        """Return all columns, the best first, and what they share with those taken."""
        size = np.nan_to_num(np.abs(scores), nan=-1.0)
        if self.score_func == "chi2" and not rows.numeric:  # whose degrees of freedom differ
            assert pvalues is not None
            order = np.lexsort((-size, np.nan_to_num(pvalues, nan=1.0), ~usable))
        else:
            order = np.lexsort((-size, ~usable))
        if self.redundancy is None:
            return order, None
        measure = "mutual_info" if str(self.score_func).startswith("mutual_info") else "pearson"
        relevance = np.where(usable, np.minimum(size, np.finfo(float).max), np.nan)
        first, shared = rank_without_redundancy(
            relevance,
            pairwise(rows, measure),
            self._count(usable),
            difference=self.score_func == "pearson" or measure == "mutual_info",
        )
        rest = order[~np.isin(order, first)]
        return np.concatenate([np.array(first, np.int64), rest]), shared

    def _count(self, usable: AnyArray) -> int:
        most = int(usable.sum())
        if isinstance(self.k, str):
            return most
        wanted = max(1, int(self.k * len(usable))) if isinstance(self.k, float) else int(self.k)
        return min(wanted, most)

    def _chosen(
        self, order: Rows, pvalues: Array | None, usable: AnyArray, decisions: Decisions
    ) -> Rows:
        if not usable.all():
            decisions.add(
                "columns", f"{int((~usable).sum())} never selected", "constant or without a value"
            )
        if self.k == "fdr":
            return np.flatnonzero(usable & self._discover(pvalues))
        count = self._count(usable)
        if not isinstance(self.k, (str, float)) and count < self.k:
            decisions.add("k", count, f"k={self.k}, and this many columns vary")
        return order[:count]

    def _discover(self, pvalues: Array | None) -> AnyArray:
        """Return the columns that the false discovery rate allows [Benjamini95]."""
        if pvalues is None:
            raise ParameterError(
                f"k='fdr' needs p-values, and score_func={self.score_func!r} has none. "
                "Give k as a number, or choose 'pearson', 'f' or 'chi2'."
            )
        alpha = 0.05 if self.alpha is None else float(self.alpha)
        known = ~np.isnan(pvalues)
        rising = np.sort(pvalues[known])
        allowed = rising[rising <= alpha * np.arange(1, len(rising) + 1) / max(len(rising), 1)]
        return known & (pvalues <= (allowed.max() if len(allowed) else -1.0))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "present"
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.score_func == "chi2"
        tags.target_tags.required = self.score_func not in UNSUPERVISED_SCORES
        return tags
