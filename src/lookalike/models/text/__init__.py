"""Text: term counts, tf-idf weights and latent semantic analysis."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "lsa": ["LSA"],
        "tfidf": ["TermWeights"],
    },
)
