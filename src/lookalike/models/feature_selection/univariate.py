"""Univariate scores: each column against the target by itself, in one pass over the rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Unpack

import numpy as np

from lookalike.data.source import open_source
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.models.feature_selection.labels_chi_square import (
    chi_square_of_labels,
    indicator_of_labels,
)
from lookalike.models.feature_selection.mutual_info_knn import knn_mutual_info
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
    ColumnScores,
    FilterOptions,
    FilterRows,
    filter_rows,
    require_classes,
    require_counts,
)
from lookalike.models.targets import read_target
from lookalike.reductions.by_class import ClassColumns, ClassSummary
from lookalike.reductions.class_sums import ClassSums, ClassSumSummary
from lookalike.reductions.columns import Columns
from lookalike.reductions.target_columns import TargetColumns
from lookalike.typing import Array
from lookalike.validation import check_choice, check_int, check_kind

MUTUAL_INFO_ESTIMATORS = ("knn", "binned")
Formula = Callable[[Any], FilterScores]
NUMBER_TARGET_SCORES: Mapping[str, Formula] = {"pearson": correlation_of_numbers, "f": f_of_numbers}
CLASS_TARGET_SCORES: Mapping[str, Formula] = {
    "pearson": correlation_of_classes,
    "f": f_of_classes,
    "snr": snr_of_classes,
    "chi2": chi_square_of_classes,
}


class ScoreOptions(FilterOptions, total=False):
    """Options of the scores of columns against a target."""

    sample_weight: object


class InformationOptions(ScoreOptions, total=False):
    """Options of mutual information."""

    estimator: str
    bins: int | None
    n_neighbors: int
    random_state: int


def pearson(
    X: object, y: object = None, *, task: str = "auto", **options: Unpack[ScoreOptions]
) -> FilterScores:
    r"""Pearson's correlation of each column with the target [LUMS].

    .. math:: r = \frac{\tilde a^\top \tilde y}{\|\tilde a\| \|\tilde y\|}, \qquad
              \tilde a = a - \operatorname{avg}(a) 1

    Two classes count as 0 and 1; for more it is the correlation ratio, the root of the share of
    the variance that lies between the classes. p-values are those of the F-test. For regression
    the scores equal scikit-learn's `r_regression`.

    Parameters
    ----------
    X, y, **options
        As for :func:`f_classif`.
    task : {"auto", "classification", "regression"}, default="auto"
        What `y` holds.

    Returns
    -------
    scores, pvalues : ndarray of shape (n_features,)
        Scores lie in [-1, 1]. A constant column has 0 and 1.

    Examples
    --------
    >>> from lookalike.feature_selection import pearson
    >>> scores, pvalues = pearson([[1.0, 9.0], [2.0, 1.0], [3.0, 5.0]], [0.1, 0.2, 0.3])
    >>> scores
    array([ 1. , -0.5])
    """
    return _scores("pearson", X, y, task=task, **options)


def f_classif(X: object, y: object = None, **options: Unpack[ScoreOptions]) -> FilterScores:
    r"""ANOVA F-statistic of each column: variance between the classes over variance within [LUMS].

    .. math:: F = \frac{\sum_c N_c (\bar x_c - \bar x)^2 / (C - 1)}
                       {\sum_c \sum_{n \in c} (x_n - \bar x_c)^2 / (N - C)}

    Equal to scikit-learn's `f_classif`, and accurate at any offset of the columns.

    Parameters
    ----------
    X : table
        Anything that :func:`lookalike.data.open_source` takes.
    y : array of shape (n_rows,), optional
        The class of each row; absent where the source has a target column.
    **options
        ``missing``: "error", or "present" to score each column by the rows that have it.
        ``sample_weight``, ``engine`` and ``n_jobs`` as in every model.

    Returns
    -------
    scores, pvalues : ndarray of shape (n_features,)
        A constant column has 0 and 1, with a warning; one without a value NaN. ``pvalues`` is
        None where no test goes with the score.

    Examples
    --------
    >>> from lookalike.feature_selection import f_classif
    >>> scores, pvalues = f_classif([[1.0], [2.0], [6.0], [7.0]], ["a", "a", "b", "b"])
    >>> scores
    array([50.])
    """
    return _scores("f", X, y, task="classification", **options)


def f_regression(
    X: object,
    y: object = None,
    *,
    center: bool = True,
    force_finite: bool = True,
    sample_weight: object = None,
    **options: Unpack[FilterOptions],
) -> FilterScores:
    r"""F-statistic of the linear regression of a numeric target on each column by itself [LUMS].

    .. math:: F = \frac{(N - 2)\, r^2}{1 - r^2}

    Equal to scikit-learn's `f_regression`, and accurate at any offset of the columns.

    Parameters
    ----------
    X, y, sample_weight, **options
        As for :func:`f_classif`; `y` holds numbers.
    center : bool, default=True
        Whether columns and target are centered; else the line goes through the origin.
    force_finite : bool, default=True
        Whether a line without error has the largest number as its statistic, and a constant 0;
        else infinity and NaN.

    Examples
    --------
    >>> from lookalike.feature_selection import f_regression
    >>> scores, pvalues = f_regression([[1.0], [2.0], [3.0], [4.0]], [1.0, 2.0, 2.0, 3.0])
    >>> scores
    array([18.])
    """
    check_kind("center", center, bool, np.bool_)
    check_kind("force_finite", force_finite, bool, np.bool_)
    y, task = read_target("f", X, y, "regression", Decisions())
    rows = filter_rows(open_source(X, y, weight=sample_weight), task, **options)
    rows.require_numbers("f")
    formula = partial(f_of_numbers, center=center, force_finite=force_finite)
    scores, pvalues, _, _ = rows.score(TargetColumns(), formula)
    return scores, pvalues


def chi2(
    X: object, y: object = None, *, task: str = "classification", **options: Unpack[ScoreOptions]
) -> FilterScores:
    r"""Chi-square of each column and the classes: observed against expected counts [LUMS].

    .. math:: \chi^2 = \sum \frac{(O - E)^2}{E}

    A column of numbers counts something, such as words, and none may be negative: O is its sum
    over a class, as in scikit-learn's `chi2`, with C - 1 degrees of freedom. Of a column of
    categories O counts the rows of each category and class, with (L - 1)(C - 1) degrees.

    Parameters
    ----------
    X, y, **options
        As for :func:`f_classif`. A `y` of several columns of 0 and 1 has one for each label, of
        which a row may have several.
    task : {"auto", "classification", "regression"}, default="classification"
        What `y` holds; numbers are cut into bins of about equally many rows, which are classes.

    Examples
    --------
    >>> from lookalike.feature_selection import chi2
    >>> scores, pvalues = chi2([[4, 1], [6, 1], [0, 1], [0, 1]], [0, 0, 1, 1])
    >>> scores
    array([10.,  0.])
    """
    if (labels := indicator_of_labels(y)) is not None:
        return chi_square_of_labels(X, labels, task, options)
    return _scores("chi2", X, y, task=task, **options)


def signal_to_noise(
    X: object, y: object = None, *, task: str = "classification", **options: Unpack[ScoreOptions]
) -> FilterScores:
    r"""Difference of the class means over the sum of the class standard deviations.

    .. math:: \mathrm{SNR} = \frac{\operatorname{avg}(a) - \operatorname{avg}(b)}
                                  {\operatorname{std}(a) + \operatorname{std}(b)}

    where `a` holds the values of the column in the second class and `b` those in the first
    [Golub99]. [LUMS] prints y where `b` stands and a minus below the line: read literally, that
    compares a column with its labels, and is infinite for two classes of equal spread. Of more
    than two classes it is the largest ratio of any pair. No test goes with it.

    Parameters
    ----------
    X, y, **options
        As for :func:`f_classif`.
    task : {"auto", "classification", "regression"}, default="classification"
        What `y` holds; numbers are cut at their median into a lower and an upper class.

    Examples
    --------
    >>> from lookalike.feature_selection import signal_to_noise
    >>> signal_to_noise([[1.0], [3.0], [9.0], [11.0]], ["a", "a", "b", "b"])[0]
    array([4.])
    """
    return _scores("snr", X, y, task=task, **options)


def mutual_info_classif(
    X: object, y: object = None, **options: Unpack[InformationOptions]
) -> Array:
    r"""Mutual information of each column and the class, in nats [LUMS].

    .. math:: I(x; y) = \sum_{x, y} p(x, y) \log \frac{p(x, y)}{p(x)\, p(y)} \ge 0

    Exact on categories and truth values. Columns of numbers are estimated by their nearest
    neighbors ("knn": [Ross14] for classes, [Kraskov04] for numbers), all rows in memory; or in
    bins of about equally many rows ("binned"), a value that would fill one having it to itself,
    which works on chunks and every engine and has a bias upwards of about
    (bins - 1)(classes - 1) / 2N. Never negative; 0 for a constant.

    Parameters
    ----------
    X, y, **options
        As for :func:`f_classif`, and the following.
    discrete_features : "auto", bool or array of bool or int, default="auto"
        Columns whose numbers are categories. "auto" means categories and truth values.
    estimator : {"knn", "binned"}, default="knn"
        The estimator for columns of numbers. "knn" equals scikit-learn's function of this name
        with the same `random_state`, and is accurate at any offset.
    n_neighbors : int, default=3
        For "knn".
    bins : int, optional
        For "binned"; the cube root of the number of rows, at most 16, where None.
    random_state : int, default=0
        For "knn": seeds the noise that makes equal values differ, by 1e-10 of a standard
        deviation.

    Returns
    -------
    ndarray of shape (n_features,)
        The mutual information of each column.

    Examples
    --------
    >>> from lookalike.feature_selection import mutual_info_classif
    >>> X = [[0, 5], [0, 5], [1, 5], [1, 5]]
    >>> mutual_info_classif(X, ["no", "no", "yes", "yes"], discrete_features=True)
    array([0.69314718, 0.        ])
    """
    return _mutual_info(X, y, "classification", **options)


def mutual_info_regression(
    X: object, y: object = None, **options: Unpack[InformationOptions]
) -> Array:
    """Mutual information of each column and a numeric target, in nats [LUMS].

    Parameters and result are those of :func:`mutual_info_classif`; `y` holds numbers.

    Examples
    --------
    >>> from lookalike.feature_selection import mutual_info_regression
    >>> X = [[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]
    >>> mutual_info_regression(X, [0.1, 0.9, 2.1, 2.9], n_neighbors=1).round(2)
    array([0.83, 0.  ])
    """
    return _mutual_info(X, y, "regression", **options)


def score_columns(
    score: str,
    rows: FilterRows,
    *,
    bins: int | None = None,
    n_neighbors: int = 3,
    random_state: int = 0,
) -> ColumnScores:
    """Return scores, p-values and standard errors of all columns, and which of them vary."""
    if score == "mutual_info":
        codings, target = rows.codings(bins), rows.target_coding(bins)
        return rows.score(rows.tables(codings, target), information_of_tables, rows.mixed)
    if score == "mutual_info_knn":
        return knn_mutual_info(rows, n_neighbors, random_state)
    if score == "variance":
        return _variances(rows)
    if rows.task == "regression" and score == "snr":
        rows = rows.with_binned_target(2)
    if rows.task == "regression" and score == "chi2" and rows.numeric:
        rows = rows.with_binned_target(bins)
    if rows.task == "regression" and score != "chi2":
        rows.require_numbers(score)
        return rows.score(TargetColumns(), _formula(NUMBER_TARGET_SCORES, score, "regression"))
    if score == "chi2" and not rows.numeric:
        codings, target = rows.codings(bins), rows.target_coding(bins)
        return rows.score(rows.tables(codings, target), chi_square_of_tables, rows.mixed)
    rows.require_numbers(score)
    formula = _formula(CLASS_TARGET_SCORES, score, "classification")

    def check(sums: ClassSummary | ClassSumSummary) -> None:
        require_classes(sums.classes)
        if isinstance(sums, ClassSumSummary):
            require_counts(sums, rows)

    return rows.score(ClassSums() if score == "chi2" else ClassColumns(), formula, check=check)


def _variances(rows: FilterRows) -> ColumnScores:
    """Return the variance of every column, which needs no target."""
    rows.require_numbers("variance")
    return rows.score(
        Columns(),
        lambda columns: (np.where(columns.count > 0, columns.variance, np.nan), None),
    )


def _formula(known: Mapping[str, Formula], score: str, task: str) -> Formula:
    if score in known:
        return known[score]
    raise ParameterError(
        f"score_func={score!r} is not defined for {task}. Choose one of "
        f"{', '.join(map(repr, known))} or 'mutual_info', or say task='classification'."
    )


def _mutual_info(
    X: object,
    y: object,
    task: str,
    *,
    estimator: str = "knn",
    bins: int | None = None,
    n_neighbors: int = 3,
    random_state: int = 0,
    **options: Unpack[ScoreOptions],
) -> Array:
    check_choice("estimator", estimator, MUTUAL_INFO_ESTIMATORS)
    if bins is not None:
        check_int("bins", bins, least=2)
    check_int("n_neighbors", n_neighbors, least=1)
    check_int("random_state", random_state, least=0)
    score = "mutual_info" if estimator == "binned" else "mutual_info_knn"
    sizes = {"bins": bins, "n_neighbors": n_neighbors, "random_state": random_state}
    return _scores(score, X, y, task=task, sizes=sizes, **options)[0]


def _scores(
    score: str,
    X: object,
    y: object,
    sample_weight: object = None,
    *,
    task: str,
    sizes: Mapping[str, Any] | None = None,
    **options: Unpack[FilterOptions],
) -> FilterScores:
    """Return the scores and p-values of the columns of `X` by one of the filters."""
    y, task = read_target(score, X, y, task, Decisions())
    rows = filter_rows(open_source(X, y, weight=sample_weight), task, **options)
    scores, pvalues, _, vary = score_columns(score, rows, **(sizes or {}))
    if score == "f" and not vary.all():
        warnings.warn(f"Features {np.flatnonzero(~vary)} are constant.", UserWarning, stacklevel=3)
    return scores, pvalues
