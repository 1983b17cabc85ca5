"""Effect of each column on a prediction of any model: it is replaced by values of other rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from lookalike.typing import AnyArray, Array

MOST_PREDICTIONS = 20_000  # of all columns together
MIN_DONOR_ROWS, MAX_DONOR_ROWS = 5, 50  # other rows that a column is taken from
SCORE_ROUNDING = 1e-12  # of a score: a difference below is 0


def column_effects(
    score: Callable[[dict[str, AnyArray]], Array],
    row: Mapping[str, AnyArray],
    others: Mapping[str, AnyArray],
) -> list[tuple[str, float]]:
    r"""Return the names of the columns and the effect of each on the score, the largest first.

    .. math:: e_j = s(x) - \frac{1}{M} \sum_m s(x_1, \dots, x^{(m)}_j, \dots, x_D)

    Parameters
    ----------
    score : callable
        Gives a number for each row of a table, such as the probability of a class.
    row : mapping
        The columns of the row, each of one entry.
    others : mapping
        The columns of rows of the same distribution, such as training rows.

    Examples
    --------
    >>> add = lambda table: 2 * table["a"] + table["b"]
    >>> row = {"a": np.array([3.0]), "b": np.array([1.0])}
    >>> column_effects(add, row, {"a": np.array([1.0, 2.0]), "b": np.array([1.0, 1.0])})
    [('a', 3.0), ('b', 0.0)]
    """
    count = len(next(iter(others.values())))
    taken = min(count, MAX_DONOR_ROWS, max(MIN_DONOR_ROWS, MOST_PREDICTIONS // len(row)))
    places = np.linspace(0, count - 1, taken).round().astype(np.int64)
    whole = float(score(dict(row))[0])
    same = {name: np.repeat(column, taken, axis=0) for name, column in row.items()}
    effects = [
        (name, _difference(whole, float(np.mean(score(same | {name: others[name][places]})))))
        for name in row
    ]
    return sorted(effects, key=lambda effect: -abs(effect[1]))


def word_effects(score: Callable[[list[object]], Array], text: str) -> list[tuple[str, float]]:
    """Return the words of a text and how much the score falls without each, the largest first.

    Examples
    --------
    >>> word_effects(lambda texts: np.array([text.count("a") for text in texts]), "a b a")
    [('a', 2.0), ('b', 0.0)]
    """
    words = text.split()
    each = list(dict.fromkeys(words))
    without = [" ".join(word for word in words if word != left) for left in each]
    scores = score([text, *without])
    effects = [
        (word, _difference(float(scores[0]), float(less)))
        for word, less in zip(each, scores[1:], strict=True)
    ]
    return sorted(effects, key=lambda effect: -abs(effect[1]))


def _difference(score: float, other: float) -> float:
    """Return the difference of two scores; 0 where it is rounding.

    >>> _difference(1.0, 1.0 - 1.11e-16), _difference(1.0, 0.5)
    (0.0, 0.5)
    """
    rounding = SCORE_ROUNDING * max(abs(score), abs(other))
    return 0.0 if abs(score - other) <= rounding else score - other
