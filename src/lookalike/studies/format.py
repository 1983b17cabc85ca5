"""Numbers as the summary, the page and the command line write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lookalike.printable import count, percent
from lookalike.table import format_value

__all__ = [
    "Interval",
    "count",
    "format_list",
    "interval",
    "is_percentage",
    "metric_code",
    "metric_title",
    "percent",
    "score",
]
Interval = tuple[float, float]
METRIC_TITLES = {
    "error": "error",
    "balanced_accuracy": "balanced accuracy",
    "f1": "F1 (mean over classes)",
    "auc": "AUC",
    "log_loss": "log loss",
    "mse": "MSE",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
}
PERCENTAGE_METRICS = ("error", "balanced_accuracy")
DECIMAL_METRICS = ("f1", "auc", "log_loss", "r2")


def metric_title(metric: str) -> str:
    """Return a metric as it is written in a sentence or at an axis.

    >>> metric_title("rmse"), metric_title("error")
    ('RMSE', 'error')
    """
    return METRIC_TITLES[metric]


def is_percentage(metric: str) -> bool:
    """Return whether values of a metric are written as percentages."""
    return metric in PERCENTAGE_METRICS


def metric_code(metric: str) -> str:
    """Return the format code of values of a metric."""
    return (
        "percent1"
        if is_percentage(metric)
        else "decimal3"
        if metric in DECIMAL_METRICS
        else "fixed4"
    )


def score(metric: str, value: float) -> str:
    """Return an error rate as a percentage, an RMSE or MAE as a number, AUC with three decimals.

    >>> score("error", 0.019), score("rmse", 56940.0), score("rmse", 52.3), score("auc", 0.9)
    ('1.9%', '56,940', '52.30', '0.900')
    """
    return format_value(metric_code(metric), value)


def interval(metric: str, ends: Interval) -> str:
    """Return an interval of an error rate, or of an RMSE or MAE.

    >>> interval("error", (0.009, 0.04)), interval("rmse", (51.12, 58.6))
    ('0.9–4.0%', '51.12–58.60')
    >>> interval("error", (-0.004, 0.01))
    '−0.4 to 1.0%'
    """
    return format_value(f"interval:{metric_code(metric)}", ends)


def format_list(parts: Sequence[str], most: int | None = None) -> str:
    """Return parts in one phrase, with semicolons where a part has a comma of its own.

    Of many more than `most`, the first are named and the others counted.

    >>> format_list(["a", "b (1, 2)", "c"]), format_list(["a"])
    ('a, b (1, 2) and c', 'a')
    >>> format_list(["K neighbors, weighted", "forest", "ridge"])
    'K neighbors, weighted; forest; and ridge'
    >>> format_list(["1,234 duplicates", "5 hubs"])
    '1,234 duplicates and 5 hubs'
    >>> format_list(["a", "b", "c", "d"], 2)
    'a, b and 2 others'
    """
    if most is not None and len(parts) > most + 1:
        parts = [*parts[:most], f"{len(parts) - most} others"]
    if len(parts) == 1:
        return parts[0]
    if any(", " in re.sub(r"\([^()]*\)", "", part) for part in parts):
        return "; ".join(parts[:-1]) + f"; and {parts[-1]}"
    return ", ".join(parts[:-1]) + f" and {parts[-1]}"
