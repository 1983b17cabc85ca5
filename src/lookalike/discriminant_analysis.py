"""Discriminant analysis under scikit-learn's names: linear, and quadratic."""

from lookalike.models.discriminant.lda import LinearDiscriminantAnalysis
from lookalike.models.discriminant.qda import QuadraticDiscriminantAnalysis

__all__ = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]
