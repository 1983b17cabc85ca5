"""Dimension reduction: PCA, kernel PCA, autoencoders, and the number of components."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "autoencoder": ["AutoEncoder"],
        "kernel_pca": ["KernelPCA"],
        "pca": ["PCA"],
    },
)
