"""Kernels for a GPU: Triton where there is one, and plain torch twins that run anywhere."""
