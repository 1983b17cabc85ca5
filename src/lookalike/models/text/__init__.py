"""Text: term counts, tf-idf weights, latent semantic analysis and retrieval measures."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "lsa": ["LSA"],
        "precision_recall": [
            "ranking_average_precision",
            "mean_average_precision",
            "mean_precision_recall_curve",
            "ranking_precision_recall",
        ],
        "tfidf": ["TermWeights"],
    },
)
