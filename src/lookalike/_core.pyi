"""The arithmetic of lookalike."""

from typing import Annotated, overload

import numpy as np
from numpy.typing import NDArray

def simd_level() -> str:
    """The vector level in use."""

def best_simd_level() -> str:
    """The best level this machine offers."""

def default_threads() -> int:
    """Threads a call uses when it is given none."""

def set_default_threads(threads: int) -> None:
    """Set the threads of later calls; 0 restores the usable cores."""

@overload
def column_moments(
    X: Annotated[NDArray[np.float32], {"shape": (None, None), "device": "cpu", "writable": False}],
    weight: Annotated[
        NDArray[np.float64], {"shape": (None,), "order": "C", "device": "cpu", "writable": False}
    ],
    moments: Annotated[NDArray[np.float64], {"shape": (None, None), "device": "cpu"}],
) -> None: ...
@overload
def column_moments(
    X: Annotated[NDArray[np.float64], {"shape": (None, None), "device": "cpu", "writable": False}],
    weight: Annotated[
        NDArray[np.float64], {"shape": (None,), "order": "C", "device": "cpu", "writable": False}
    ],
    moments: Annotated[NDArray[np.float64], {"shape": (None, None), "device": "cpu"}],
) -> None:
    """Write the six moments of every column to the six rows of `moments`."""
