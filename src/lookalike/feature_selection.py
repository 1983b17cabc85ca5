"""Selection of columns: by scores of each, by trying subsets, and by redundancy among them."""

from lookalike.models.feature_selection.exhaustive import select_exhaustively
from lookalike.models.feature_selection.filter import SelectByFilter
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
from lookalike.models.feature_selection.wrapper import SelectByWrapper

__all__ = [
    "SelectByFilter",
    "SelectByWrapper",
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
