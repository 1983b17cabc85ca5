"""Evidence for predictions, error bounds, intrinsic dimension, learning curves, audits."""

from typing import TYPE_CHECKING

from lookalike.lazy import lazy_names

if TYPE_CHECKING:
    from lookalike.explain.audit.out_of_fold import (
        out_of_fold_probabilities as out_of_fold_probabilities,
    )
    from lookalike.explain.bounds import bayes_error_bracket as bayes_error_bracket
    from lookalike.explain.bounds import measured_bayes_bracket as measured_bayes_bracket
    from lookalike.explain.bounds import nn_error_bound as nn_error_bound
    from lookalike.explain.bounds import nn_sample_size as nn_sample_size
    from lookalike.explain.conformal import conformal_intervals as conformal_intervals
    from lookalike.explain.conformal import conformal_sets as conformal_sets
    from lookalike.explain.curse import dimensionality_report as dimensionality_report
    from lookalike.explain.dimension import intrinsic_dimension as intrinsic_dimension
    from lookalike.explain.learning_curve import neighbor_learning_curve as neighbor_learning_curve
    from lookalike.explain.prediction.evidence import explain_prediction as explain_prediction

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "audit.out_of_fold": ["out_of_fold_probabilities"],
        "bounds": [
            "bayes_error_bracket",
            "measured_bayes_bracket",
            "nn_error_bound",
            "nn_sample_size",
        ],
        "conformal": ["conformal_intervals", "conformal_sets"],
        "curse": ["dimensionality_report"],
        "dimension": ["intrinsic_dimension"],
        "learning_curve": ["neighbor_learning_curve"],
        "prediction": ["explain_prediction"],
    },
)
