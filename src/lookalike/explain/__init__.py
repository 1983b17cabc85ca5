"""Evidence for predictions, error bounds, intrinsic dimension, learning curves, audits."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "bounds": [
            "bayes_error_bracket",
            "measured_bayes_bracket",
            "nn_error_bound",
            "nn_sample_size",
        ],
        "conformal": ["conformal_intervals", "conformal_sets"],
        "curse": ["dimensionality_report"],
        "dimension": ["intrinsic_dimension"],
        "prediction": ["explain_prediction"],
    },
)
