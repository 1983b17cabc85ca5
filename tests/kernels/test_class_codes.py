"""A file that states a class or a code too large is refused before memory is taken for it."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.errors import ModelFileError
from lookalike.kernels.class_codes import SPARE_CLASSES, require_class_codes
from lookalike.kernels.kernel_sums import KernelSums


@pytest.mark.parametrize("codes", [[0, 1], [1, 1], []])
def test_codes_of_classes_are_taken(codes):
    assert require_class_codes(np.array(codes, np.int64), 2, "rows") is None


@pytest.mark.parametrize(
    ("codes", "n_classes"),
    [([0, 2**31 - 1], 2), ([-1, 0], 2), ([0, 1], SPARE_CLASSES + 3), ([], -1)],
)
def test_other_codes_and_counts_are_refused(codes, n_classes):
    with pytest.raises(ModelFileError, match="rows have"):
        require_class_codes(np.array(codes, np.int64), n_classes, "rows")


@pytest.mark.parametrize(("last", "n_classes"), [(2**31 - 1, 1), (0, 2**40)])
def test_sums_of_kernels_refuse_them_before_they_take_memory(last, n_classes):
    codes = np.array([0, 0, last])
    with pytest.raises(ModelFileError, match="sums of kernels"):
        KernelSums(np.eye(3), codes, n_classes, None, 1)
