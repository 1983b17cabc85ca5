"""Weights of terms, and measures of what a search for texts returns."""

from lookalike.models.text.precision_recall import (
    mean_average_precision,
    mean_precision_recall_curve,
    ranking_average_precision,
    ranking_precision_recall,
)
from lookalike.models.text.tfidf import TermWeights

__all__ = [
    "TermWeights",
    "mean_average_precision",
    "mean_precision_recall_curve",
    "ranking_average_precision",
    "ranking_precision_recall",
]
