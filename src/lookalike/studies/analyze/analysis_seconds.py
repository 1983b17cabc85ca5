"""How long analyses that are not measured on the way take, on a core of a quiet machine."""

from __future__ import annotations

from lookalike.studies.analyze.bounds import BAYES_ROWS, MAX_COLUMNS_FOR_BOUNDS
from lookalike.studies.analyze.prototypes import MAX_ROWS_FOR_PROTOTYPES
from lookalike.studies.analyze.structure import MAP_ROWS, MAX_COLUMNS_OF_STRUCTURE


def analysis_seconds(name: str, n_rows: int, n_columns: int) -> float:
    """Return the seconds that an analysis of this many rows and columns takes, roughly.

    0 for those that take hardly any, or that look at the clock themselves.

    Examples
    --------
    >>> analysis_seconds("neighbor map", 2000, 10) > analysis_seconds("neighbor map", 200, 10)
    True
    >>> analysis_seconds("held-out curves", 2000, 10)
    0.0
    """
    columns = min(n_columns, MAX_COLUMNS_OF_STRUCTURE)
    seconds = {
        "structure": 0.1 + 1e-9 * columns**2 * (n_rows + 2 * columns),
        "estimated Bayes error": 8e-4
        * min(n_rows, BAYES_ROWS)
        * (0.5 + 0.5 * min(n_columns / MAX_COLUMNS_FOR_BOUNDS, 1.0)),
        "prototype selection": 0.05 + 1.3e-7 * min(n_rows, MAX_ROWS_FOR_PROTOTYPES) ** 2,
        "neighbor map": 0.2 + 6e-4 * min(n_rows, MAP_ROWS),
    }
    return seconds.get(name, 0.0)
