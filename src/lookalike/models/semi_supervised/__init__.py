"""Semi-supervised learning: classes flow from labeled rows to those near them."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__, {"propagation": ["LabelPropagation", "LabelSpreading"]}
)
