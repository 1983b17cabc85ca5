"""Dissimilarities of rows: which axioms of a metric they satisfy."""

from lookalike.kernels.metrics.names import metric_axioms

__all__ = ["metric_axioms"]
