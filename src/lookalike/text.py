"""Measures of what a search for texts returns: precision, recall, average precision."""

from lookalike.models.text.precision_recall import (
    mean_average_precision,
    mean_precision_recall_curve,
    ranking_average_precision,
    ranking_precision_recall,
)

__all__ = [
    "mean_average_precision",
    "mean_precision_recall_curve",
    "ranking_average_precision",
    "ranking_precision_recall",
]
