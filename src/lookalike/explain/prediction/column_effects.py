"""What each column adds to the answer of any model: it is swapped for that of other rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lookalike.typing import AnyArray, Array

MOST_ANSWERS = 20_000  # that are asked for in all
FEWEST, MOST = 5, 50  # other rows that a column is taken from


def column_effects(
    score: Callable[[dict[str, AnyArray]], Array],
    row: Mapping[str, AnyArray],
    others: Mapping[str, AnyArray],
) -> list[tuple[str, float]]:
    r"""Return the names of the columns and what each adds to the score, the largest first.

    .. math:: e_j = s(x) - \frac{1}{M} \sum_m s(x_1, \dots, x^{(m)}_j, \dots, x_D)

    Parameters
    ----------
    score : callable
        Gives a number for each row of a table, such as the probability of a class.
    row : mapping
        The columns of the row, each of one entry.
    others : mapping
        The columns of rows like those that the model knows.

    Examples
    --------
    >>> add = lambda table: 2 * table["a"] + table["b"]
    >>> row = {"a": np.array([3.0]), "b": np.array([1.0])}
    >>> column_effects(add, row, {"a": np.array([1.0, 2.0]), "b": np.array([1.0, 1.0])})
    [('a', 3.0), ('b', 0.0)]
    """
    count = len(next(iter(others.values())))
    taken = min(count, MOST, max(FEWEST, MOST_ANSWERS // len(row)))
    places = np.linspace(0, count - 1, taken).round().astype(np.int64)
    whole = float(score(dict(row))[0])
    same = {name: np.repeat(column, taken, axis=0) for name, column in row.items()}
    found = [
        (name, whole - float(np.mean(score(same | {name: others[name][places]})))) for name in row
    ]
    return sorted(found, key=lambda one: -abs(one[1]))


def word_effects(score: Callable[[list[Any]], Array], text: str) -> list[tuple[str, float]]:
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
    found = [(word, float(scores[0] - less)) for word, less in zip(each, scores[1:], strict=True)]
    return sorted(found, key=lambda one: -abs(one[1]))
