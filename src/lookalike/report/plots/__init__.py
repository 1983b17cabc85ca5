"""Plots of models and results: each draws on given or new axes and returns them."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "audit": ["plot_audit"],
        "dimension": ["plot_dimension"],
        "evidence": ["plot_evidence"],
        "learning_curve": ["plot_learning_curve"],
        "ranking": ["plot_ranking"],
    },
)
