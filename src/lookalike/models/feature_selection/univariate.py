"""How much each column tells of the target, by itself: one pass over the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from lookalike.data.source import open_source
from lookalike.decisions import Decisions
from lookalike.engines import engine_for
from lookalike.errors import ParameterError
from lookalike.models.feature_selection.mutual_info_knn import neighbor_information
from lookalike.models.feature_selection.univariate_formulas import (
    FilterScores,
    chi_square_of_classes,
    chi_square_of_tables,
    correlation_of_classes,
    correlation_of_numbers,
    f_of_classes,
    f_of_numbers,
    information_of_tables,
    snr_of_classes,
)
from lookalike.models.feature_selection.univariate_inputs import (
    FilterRows,
    Measured,
    require_classes,
)
from lookalike.models.feature_target import read_target
from lookalike.reductions.by_class import ClassColumns, ClassColumnSummary
from lookalike.reductions.class_sums import ClassSums, ClassSumSummary
from lookalike.reductions.target_columns import TargetColumns
from lookalike.typing import AnyArray
from lookalike.validation import check_choice, check_int

ESTIMATORS = ("binned", "knn")
MISSING = ("error", "present")
Formula = Callable[[Any], FilterScores]
OF_NUMBERS: Mapping[str, Formula] = {"pearson": correlation_of_numbers, "f": f_of_numbers}
OF_CLASSES: Mapping[str, Formula] = {
    "pearson": correlation_of_classes,
    "f": f_of_classes,
    "snr": snr_of_classes,
    "chi2": chi_square_of_classes,
}


def pearson(X: Any, y: Any = None, **options: Any) -> FilterScores:
    r"""Pearson's correlation of each column with the target [LUMS].

    .. math:: r = \frac{\tilde a^\top \tilde y}{\|\tilde a\| \|\tilde y\|}, \qquad
              \tilde a = a - \operatorname{avg}(a) 1

    Two classes count as 0 and 1; for more it is the correlation ratio, the root of the part of
    the variance that lies between the classes. p-values are those of the F-test.

    Parameters
    ----------
    X, y, **options
        As for :func:`f_score`.

    Returns
    -------
    FilterScores
        ``scores`` in [-1, 1] and ``pvalues``; 0 and 1 for a constant column.

    Examples
    --------
    >>> from lookalike import pearson
    >>> pearson([[1.0, 9.0], [2.0, 1.0], [3.0, 5.0]], [0.1, 0.2, 0.3]).scores
    array([ 1. , -0.5])
    """
    return _scored("pearson", X, y, **options)


def f_score(X: Any, y: Any = None, **options: Any) -> FilterScores:
    r"""F-statistic of each column: variance between the classes over variance within [LUMS].

    .. math:: F = \frac{\sum_c N_c (\bar x_c - \bar x)^2 / (C - 1)}
                       {\sum_c \sum_{n \in c} (x_n - \bar x_c)^2 / (N - C)}

    Of a target of numbers, :math:`F = (N - 2)\, r^2 / (1 - r^2)`. Equal to scikit-learn's
    `f_classif` and `f_regression`, and right at any offset of the columns.

    Parameters
    ----------
    X : table
        Anything that :func:`lookalike.data.open_source` takes.
    y : array of shape (n_rows,), optional
        Classes or numbers; absent where the source brings them.
    **options
        ``task``: "auto", "classes" or "numbers". ``missing``: "error", or "present" to judge
        each column by the rows that have it. ``sample_weight``, ``engine`` and ``n_jobs`` as in
        every model.

    Returns
    -------
    FilterScores
        ``scores`` and ``pvalues``; 0 and 1 for a constant column, NaN for one without a value.

    Examples
    --------
    >>> from lookalike import f_score
    >>> f_score([[1.0], [2.0], [6.0], [7.0]], ["a", "a", "b", "b"]).scores
    array([50.])
    """
    return _scored("f", X, y, **options)


def chi_square(X: Any, y: Any = None, **options: Any) -> FilterScores:
    r"""Chi-square of each column and the classes: counts observed against counts expected [LUMS].

    .. math:: \chi^2 = \sum \frac{(O - E)^2}{E}

    A column of numbers counts something, such as words, and none may be negative: O is its sum
    over a class, as in scikit-learn's `chi2`, with C - 1 degrees of freedom. Of a column of
    categories O counts the rows of each category and class, with (L - 1)(C - 1) degrees.

    Parameters
    ----------
    X, y, **options
        As for :func:`f_score`; `y` holds classes.

    Examples
    --------
    >>> from lookalike import chi_square
    >>> chi_square([[4, 1], [6, 1], [0, 1], [0, 1]], [0, 0, 1, 1]).scores
    array([10.,  0.])
    """
    return _scored("chi2", X, y, **options)


def signal_to_noise(X: Any, y: Any = None, **options: Any) -> FilterScores:
    r"""Distance of the class means over the sum of the class deviations.

    .. math:: \mathrm{SNR} = \frac{\operatorname{avg}(a) - \operatorname{avg}(b)}
                                  {\operatorname{std}(a) + \operatorname{std}(b)}

    where `a` holds the values of the column in the second class and `b` those in the first
    [Golub99]. [LUMS] prints y where `b` stands and a minus below the line: read literally, that
    compares a column with its labels, and is infinite for two classes that spread alike. Of more
    than two classes it is the largest ratio of any pair. No test goes with it.

    Parameters
    ----------
    X, y, **options
        As for :func:`f_score`; `y` holds classes.

    Examples
    --------
    >>> from lookalike import signal_to_noise
    >>> signal_to_noise([[1.0], [3.0], [9.0], [11.0]], ["a", "a", "b", "b"]).scores
    array([4.])
    """
    return _scored("snr", X, y, **options)


def mutual_information(
    X: Any,
    y: Any = None,
    *,
    estimator: str = "binned",
    discrete: Any = "auto",
    bins: int | None = None,
    n_neighbors: int = 3,
    random_state: int = 0,
    **options: Any,
) -> FilterScores:
    r"""Mutual information of each column and the target, in nats [LUMS].

    .. math:: I(x; y) = \sum_{x, y} p(x, y) \log \frac{p(x, y)}{p(x)\, p(y)} \ge 0

    Exact on categories and truth values. Numbers are put into `bins` of about equally many rows
    ("binned"), a value that would fill one having it to itself, which joins over chunks and
    engines and errs upwards by about (bins - 1)(classes - 1) / 2N; or are measured by their
    nearest neighbors ("knn": [Ross14] for classes, [Kraskov04] for numbers), all rows in memory.
    Never negative; 0 for a constant.

    Parameters
    ----------
    X, y, **options
        As for :func:`f_score`.
    estimator : {"binned", "knn"}, default="binned"
        What is made of columns of numbers. "knn" equals scikit-learn's `mutual_info_classif` and
        `mutual_info_regression` of the same `random_state`, and is right at any offset.
    discrete : "auto", bool or array of bool or int, default="auto"
        Columns whose numbers are names. "auto" means categories and truth values.
    bins : int, optional
        For "binned"; the cube root of the number of rows, at most 16, where None.
    n_neighbors : int, default=3
        For "knn".
    random_state : int, default=0
        For "knn": the lots that tell equal values apart, by 1e-10 of a deviation.

    Examples
    --------
    >>> from lookalike import mutual_information
    >>> X = [[0, 5], [0, 5], [1, 5], [1, 5]]
    >>> mutual_information(X, ["no", "no", "yes", "yes"], discrete=True).scores
    array([0.69314718, 0.        ])
    """
    check_choice("estimator", estimator, ESTIMATORS)
    if estimator == "binned":
        return _scored("mutual_info", X, y, Size(bins=bins), discrete=discrete, **options)
    size = Size(n_neighbors=n_neighbors, seed=random_state)
    return _scored("mutual_info_knn", X, y, size, discrete=discrete, **options)


class Size(NamedTuple):
    """How fine the estimates of information are."""

    bins: int | None = None
    n_neighbors: int = 3
    seed: int = 0

    def checked(self) -> Size:
        """Return the sizes, or raise where one makes no sense."""
        if self.bins is not None:
            check_int("bins", self.bins, least=2)
        check_int("n_neighbors", self.n_neighbors, least=1)
        check_int("random_state", self.seed, least=0)
        return self


def measured(score: str, rows: FilterRows, size: Size) -> Measured:
    """Return the scores of all columns by one of the filters, and their standard errors."""
    if score == "mutual_info":
        codings, target = rows.codings(size.bins), rows.target_coding(size.bins)
        return rows.measure(rows.tables(codings, target), information_of_tables, rows.mixed)
    if score == "mutual_info_knn":
        return neighbor_information(rows, size.n_neighbors, size.seed)
    if rows.task == "numbers":
        rows.require_numbers(score)
        return rows.measure(TargetColumns(), _formula(OF_NUMBERS, score, "numbers"))
    if score == "chi2" and not rows.numeric:
        codings, target = rows.codings(size.bins), rows.target_coding(size.bins)
        return rows.measure(rows.tables(codings, target), chi_square_of_tables, rows.mixed)
    rows.require_numbers(score)
    formula = _formula(OF_CLASSES, score, "classes")

    def check(sums: ClassColumnSummary | ClassSumSummary) -> None:
        require_classes(sums.classes)
        if isinstance(sums, ClassSumSummary):
            _require_counts(sums, rows)

    return rows.measure(ClassSums() if score == "chi2" else ClassColumns(), formula, check=check)


def discrete_columns(discrete: Any, columns: Any) -> AnyArray:
    """Return which columns hold names: by their kind, by a mask, or by number."""
    kinds: AnyArray = np.array([column.kind in ("category", "boolean") for column in columns])
    if isinstance(discrete, str):
        check_choice("discrete", discrete, ("auto",))
        return kinds
    if isinstance(discrete, (bool, np.bool_)):
        return np.ones_like(kinds) if discrete else kinds
    mask, given = np.zeros(len(kinds), bool), np.asarray(discrete)
    if given.dtype == bool and given.shape == kinds.shape:
        mask |= given
        return kinds | mask
    if given.dtype.kind in "iu" and (np.abs(given + 0.5) < len(kinds)).all():
        mask[given] = True
        return kinds | mask
    raise ParameterError(
        f"discrete={discrete!r} names no columns of {len(kinds)}. Give 'auto', True, a mask, or "
        "numbers of columns."
    )


def _formula(known: Mapping[str, Formula], score: str, task: str) -> Formula:
    if score in known:
        return known[score]
    raise ParameterError(
        f"score_func={score!r} is not defined where the target is {task}. Choose one of "
        f"{', '.join(map(repr, known))} or 'mutual_info', or say task='classes'."
    )


def _require_counts(sums: ClassSumSummary, rows: FilterRows) -> None:
    below = np.flatnonzero(sums.least < 0)
    if len(below):
        raise ParameterError(
            f"Negative values in data passed to chi2, which takes numbers as counts: column "
            f"{rows.columns[below[0]].name!r} holds {sums.least[below[0]]:g}. Choose 'f', or "
            "shift the column."
        )


def _scored(
    score: str,
    X: Any,
    y: Any,
    size: Size | None = None,
    *,
    task: str = "auto",
    discrete: Any = "auto",
    missing: str = "error",
    sample_weight: Any = None,
    engine: str = "auto",
    n_jobs: int | None = None,
) -> FilterScores:
    """Return the scores of the columns of `X` by one of the filters."""
    check_choice("missing", missing, MISSING)
    y, task = read_target(score, X, y, task, Decisions())
    source = open_source(X, y, weight=sample_weight)
    rows = FilterRows(
        source,
        engine_for(source, engine, n_jobs=n_jobs),
        task=task,
        discrete=discrete_columns(discrete, source.columns),
        missing=missing,
        n_jobs=n_jobs,
    )
    return measured(score, rows, (size or Size()).checked()).found
