"""How good a ranking is: precision, recall and average precision of what a search returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from lookalike.data.targets import as_finite
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.typing import AnyArray, Array
from lookalike.validation import shown

RECALL_LEVELS = tuple(level / 10 for level in range(11))  # of recall, the usual eleven


def ranking_average_precision(relevant: ArrayLike, ranking: ArrayLike) -> float:
    r"""Return the average precision of one ranking.

    .. math:: \frac{1}{R} \sum_{i=1}^{n} \mathrm{rel}_i \, \frac{1}{i} \sum_{j \le i} \mathrm{rel}_j

    The precision is taken at every relevant document, and is zero at those of the R relevant ones
    that the ranking does not contain.

    Parameters
    ----------
    relevant : array of bool of shape (n_documents,), or of int
        Which documents are relevant: True for each, or their row numbers.
    ranking : array of int
        Row numbers of documents, best first, as `LSA.search` returns them.

    Examples
    --------
    >>> from lookalike.text import ranking_average_precision
    >>> round(ranking_average_precision(relevant=[0, 3], ranking=[3, 1, 0, 2]), 4)
    0.8333
    """
    hits, n_relevant = _hits(relevant, ranking)
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    return float(precision[hits].sum() / n_relevant)


def mean_average_precision(relevant: Sequence[ArrayLike], rankings: Sequence[ArrayLike]) -> float:
    """Return the mean over queries of their average precision.

    Parameters
    ----------
    relevant : array of bool of shape (n_queries, n_documents), or a sequence of row numbers
        Which documents are relevant to each query.
    rankings : array of int of shape (n_queries, k), or a sequence of arrays
        The documents retrieved for each query, best first.

    Examples
    --------
    >>> from lookalike import LSA
    >>> from lookalike.text import mean_average_precision
    >>> lsa = LSA(2).fit(["red car", "blue car", "a rose", "a red rose"])
    >>> rankings, _ = lsa.search(["car", "rose"], k=4)
    >>> mean_average_precision([[0, 1], [2, 3]], rankings)
    1.0
    """
    return float(np.mean([ranking_average_precision(*pair) for pair in _pairs(relevant, rankings)]))


def ranking_precision_recall(relevant: ArrayLike, ranking: ArrayLike) -> tuple[Array, Array]:
    """Return precision and recall after each document of one ranking.

    Parameters
    ----------
    relevant, ranking
        As for `ranking_average_precision`.

    Examples
    --------
    >>> from lookalike.text import ranking_precision_recall
    >>> precision, recall = ranking_precision_recall(relevant=[0, 3], ranking=[3, 1, 0, 2])
    >>> precision.round(2).tolist(), recall.tolist()
    ([1.0, 0.5, 0.67, 0.5], [0.5, 0.5, 1.0, 1.0])
    """
    hits, n_relevant = _hits(relevant, ranking)
    retrieved = np.cumsum(hits)
    return retrieved / np.arange(1, len(hits) + 1), retrieved / n_relevant


def mean_precision_recall_curve(
    relevant: Sequence[ArrayLike],
    rankings: Sequence[ArrayLike],
    *,
    recall: ArrayLike = RECALL_LEVELS,
) -> tuple[Array, Array]:
    """Return the precision at levels of recall, averaged over queries, and the levels.

    The precision of a query at a level is its largest one at that recall or above
    (interpolated precision), and zero where the ranking does not reach the level.

    Parameters
    ----------
    relevant, rankings
        As for `mean_average_precision`.
    recall : array of float
        The levels, from 0 to 1.
    """
    levels = as_finite(recall, "recall", "Give numbers from 0 to 1.", error=ParameterError)
    if levels.ndim != 1 or not ((levels >= 0) & (levels <= 1)).all():
        raise ParameterError(f"recall={recall!r} is not a list of numbers from 0 to 1. Give one.")
    curves = [ranking_precision_recall(*pair) for pair in _pairs(relevant, rankings)]
    precision = np.mean([_interpolate(*curve, levels) for curve in curves], axis=0)
    return precision, levels


def _interpolate(precision: Array, recall: Array, levels: Array) -> Array:
    best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    return np.asarray(best[np.searchsorted(recall, levels)])


def _hits(relevant: ArrayLike, ranking: ArrayLike) -> tuple[AnyArray, int]:
    """Return which documents of the ranking are relevant, and how many there are in all."""
    try:
        rows, wanted = np.asarray(ranking), np.asarray(relevant)
    except ValueError:
        raise ShapeError("relevant or ranking is ragged. Give row numbers in one list.") from None
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or not len(rows):
        raise ShapeError(
            f"ranking has shape {rows.shape} and dtype {rows.dtype}. "
            "Give the row numbers of one or more documents, best first."
        )
    if wanted.dtype == bool and wanted.ndim == 1:
        wanted = np.flatnonzero(wanted)
    if not wanted.size:
        raise ParameterError(
            "A query has no relevant document, so it has no precision. Leave it out."
        )
    if wanted.ndim != 1 or wanted.dtype.kind not in "iu":
        raise ShapeError(
            f"relevant has shape {wanted.shape} and dtype {wanted.dtype}. "
            "Give row numbers, or True and False for each document."
        )
    if len(np.unique(rows)) < len(rows):
        raise ParameterError("ranking has a document twice. Give each once, best first.")
    return np.isin(rows, wanted), len(np.unique(wanted))


def _pairs(
    relevant: Sequence[ArrayLike], rankings: Sequence[ArrayLike]
) -> list[tuple[ArrayLike, ArrayLike]]:
    for name, given in (("relevant", relevant), ("rankings", rankings)):
        if isinstance(given, (str, bytes, Mapping)) or not np.iterable(given):
            raise ParameterTypeError(
                f"{name}={shown(given)} is not a list. Give one entry per query."
            )
    relevant, rankings = list(relevant), list(rankings)
    if len(relevant) != len(rankings) or not rankings:
        raise ShapeError(
            f"relevant has {len(relevant)} queries, rankings {len(rankings)}. "
            "Give one or more, as many of each."
        )
    return list(zip(relevant, rankings, strict=True))
