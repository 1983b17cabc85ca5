"""The few type names that the whole package shares."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
AnyArray: TypeAlias = NDArray[Any]
Rows: TypeAlias = NDArray[np.int64]
TableLike: TypeAlias = Any  # an array, a sparse matrix or a data frame: the kind that was given
