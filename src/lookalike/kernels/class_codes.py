"""Classes by number, as a file states them: memory is taken for each of them."""

from __future__ import annotations

from lookalike.errors import ModelFileError
from lookalike.typing import AnyArray

SPARE_CLASSES = 2**16  # more classes than rows: the rows of some may have had no weight


def require_class_codes(codes: AnyArray, n_classes: int, what: str) -> None:
    """Raise unless all codes are those of classes, and there are not many more of these than rows.

    Examples
    --------
    >>> import numpy as np
    >>> require_class_codes(np.array([0, 2]), 2, "the rows")
    Traceback (most recent call last):
    lookalike.errors.ModelFileError: the rows have codes of no class
    """
    if not 0 <= n_classes <= len(codes) + SPARE_CLASSES:
        raise ModelFileError(f"{what} have {n_classes:,} classes and {len(codes):,} codes")
    if len(codes) and (codes.min() < 0 or codes.max() >= n_classes):
        raise ModelFileError(f"{what} have codes of no class")
