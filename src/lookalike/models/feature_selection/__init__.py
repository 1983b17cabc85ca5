"""Feature selection: univariate scores, redundancy, searches over subsets of features."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "exhaustive": ["select_exhaustively"],
        "filter": ["SelectByFilter"],
        "redundancy": ["feature_redundancy"],
        "univariate": [
            "chi2",
            "f_classif",
            "f_regression",
            "mutual_info_classif",
            "mutual_info_regression",
            "pearson",
            "signal_to_noise",
        ],
        "wrapper": ["SelectByWrapper"],
    },
)
