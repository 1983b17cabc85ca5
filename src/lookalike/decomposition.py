"""PCA and its kin under scikit-learn's names, and how many components to keep."""

from lookalike.models.decomposition.choose_components import choose_components
from lookalike.models.decomposition.choose_components_and_k import choose_components_and_k
from lookalike.models.decomposition.incremental_pca import IncrementalPCA
from lookalike.models.decomposition.kernel_pca import KernelPCA
from lookalike.models.decomposition.pca import PCA
from lookalike.models.decomposition.truncated_svd import TruncatedSVD

__all__ = [
    "PCA",
    "IncrementalPCA",
    "KernelPCA",
    "TruncatedSVD",
    "choose_components",
    "choose_components_and_k",
]
