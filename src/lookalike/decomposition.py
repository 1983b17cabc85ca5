"""Functions beside PCA and its kin: how many components to keep."""

from lookalike.models.decomposition.choose_components import choose_components
from lookalike.models.decomposition.choose_components_and_k import choose_components_and_k

__all__ = ["choose_components", "choose_components_and_k"]
