"""Preprocessing: scaling, imputation, and mixed tables made numeric."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "imputer": ["SimpleImputer"],
        "knn_imputer": ["KNNImputer"],
        "scaler": ["MinMaxScaler", "StandardScaler"],
        "table": ["TablePreprocessor"],
    },
)
