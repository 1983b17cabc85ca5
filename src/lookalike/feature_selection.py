"""Scores of single columns, redundancy among them, and the best subset by trying all."""

from lookalike.models.feature_selection.exhaustive import select_exhaustively
from lookalike.models.feature_selection.redundancy import feature_redundancy
from lookalike.models.feature_selection.univariate import (
    chi2,
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
    pearson,
    signal_to_noise,
)

__all__ = [
    "chi2",
    "f_classif",
    "f_regression",
    "feature_redundancy",
    "mutual_info_classif",
    "mutual_info_regression",
    "pearson",
    "select_exhaustively",
    "signal_to_noise",
]
