"""The estimators, a package a family; every public name of a family is a name of this package."""

from lookalike.lazy import lazy_names
from lookalike.models import (
    cluster,
    decomposition,
    discriminant,
    feature_selection,
    kernel,
    linear,
    manifold,
    mixture,
    neighbors,
    preprocessing,
    rbf,
    semi_supervised,
    text,
    trees,
)

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "cluster": cluster.__all__,
        "decomposition": decomposition.__all__,
        "decomposition.choose_components": ["choose_components"],
        "decomposition.choose_components_and_k": ["choose_components_and_k"],
        "discriminant": discriminant.__all__,
        "feature_selection": feature_selection.__all__,
        "kernel": kernel.__all__,
        "linear": linear.__all__,
        "manifold": manifold.__all__,
        "mixture": mixture.__all__,
        "neighbors": neighbors.__all__,
        "preprocessing": preprocessing.__all__,
        "rbf": rbf.__all__,
        "semi_supervised": semi_supervised.__all__,
        "text": text.__all__,
        "trees": trees.__all__,
    },
)
