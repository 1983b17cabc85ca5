"""The few type names that the whole package shares, and what tells tensors from arrays."""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
AnyArray: TypeAlias = NDArray[Any]
Rows: TypeAlias = NDArray[np.int64]
TableLike: TypeAlias = Any  # an array, a sparse matrix or a data frame: the kind that was given


def is_tensor(X: object) -> bool:
    """Return whether `X` is a torch tensor; torch is not imported for it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(X, torch.Tensor)


def to_host(X: Any) -> Any:
    """Return a tensor as a NumPy array, anything else as it is."""
    return X.detach().cpu().numpy() if is_tensor(X) else X
