"""The dissimilarities: what each computes, which axioms it satisfies, which indexes may use it."""

from lookalike.kernels.metrics.base import Embedded, Metric
from lookalike.kernels.metrics.names import METRIC_ALIASES, METRIC_NAMES, metric_axioms, metric_from

__all__ = ["METRIC_ALIASES", "METRIC_NAMES", "Embedded", "Metric", "metric_axioms", "metric_from"]
