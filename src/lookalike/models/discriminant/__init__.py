"""Linear discriminant analysis: the directions that separate the classes best."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "lda": ["LinearDiscriminantAnalysis"],
    },
)
