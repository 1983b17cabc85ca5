"""How often every value of a column occurs."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.errors import ParameterError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray

CategoryCounts: TypeAlias = tuple[dict[Any, float], ...]  # value: weight, for each column


class Categories:
    """The weight of every value of each column, missing ones left out.

    Parameters
    ----------
    limit : int
        The most distinct values of a column; more are an error, since the state must stay small.

    Examples
    --------
    >>> import numpy as np
    >>> reduction = Categories()
    >>> state = reduction.update(reduction.init(1), Chunk(np.array([[2.0], [1.0], [2.0]])))
    >>> reduction.finalize(state)
    ({1.0: 1.0, 2.0: 2.0},)
    """

    def __init__(self, *, limit: int = 100_000) -> None:
        self.limit = limit

    def init(self, n_features: int) -> CategoryCounts:
        """Return the counts of no rows."""
        return tuple({} for _ in range(n_features))

    def update(self, state: CategoryCounts, chunk: Chunk) -> CategoryCounts:
        """Join the values of `chunk` to the counts."""
        columns = np.asarray(chunk.X).T
        return self.merge(state, tuple(_count(column, chunk.weight) for column in columns))

    def merge(self, left: CategoryCounts, right: CategoryCounts) -> CategoryCounts:
        """Add the counts of two groups of rows."""
        joined = []
        for column, (mine, theirs) in enumerate(zip(left, right, strict=True)):
            both = dict(mine)
            for value, weight in theirs.items():
                both[value] = both.get(value, 0.0) + weight
            if len(both) > self.limit:
                raise ParameterError(
                    f"Column {column} has more than {self.limit} distinct values. "
                    "Treat it as a number or as text, not as a category."
                )
            joined.append(both)
        return tuple(joined)

    def finalize(self, state: CategoryCounts) -> CategoryCounts:
        """Return the counts with the values in sorted order."""
        return tuple({value: column[value] for value in sorted(column)} for column in state)


def _count(column: AnyArray, weight: AnyArray | None) -> dict[object, float]:
    if column.dtype.kind == "O":
        return _count_objects(column.tolist(), weight)
    present = ~np.isnan(column) if column.dtype.kind == "f" else np.ones(len(column), bool)
    values, code = np.unique(column[present], return_inverse=True)
    weights = None if weight is None else weight[present]
    counts = np.bincount(code, weights, minlength=len(values)).astype(float)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def _count_objects(cells: list[object], weight: AnyArray | None) -> dict[object, float]:
    """Return the weight of every value by hashing: objects need no order here."""
    code_of = {value: number for number, value in enumerate(dict.fromkeys(cells))}
    code = np.fromiter(map(code_of.__getitem__, cells), np.int64, len(cells))
    counts = np.bincount(code, weight, minlength=len(code_of)).tolist()
    return {value: float(counts[n]) for value, n in code_of.items() if not is_missing(value)}
