"""The chi-square of columns and several labels a row."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_selection import chi2 as theirs

from lookalike.errors import ParameterError, ShapeError
from lookalike.feature_selection import chi2

COUNTS = np.array([[4, 0, 1], [2, 3, 0], [0, 5, 0], [1, 1, 0], [7, 0, 0]])
LABELS = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 0]])


@pytest.mark.parametrize("rows", [COUNTS, sp.csr_array(COUNTS)], ids=["dense", "sparse"])
@pytest.mark.parametrize("labels", [LABELS, LABELS.tolist(), sp.csr_array(LABELS)])
def test_scores_equal_those_of_scikit_learn(rows, labels):
    for ours, expected in zip(chi2(rows, labels), theirs(COUNTS, LABELS), strict=True):
        np.testing.assert_allclose(ours, expected)


def test_what_cannot_be_honored_is_an_error():
    with pytest.raises(ParameterError, match="no other parameter"):
        chi2(COUNTS, LABELS, sample_weight=np.ones(5))
    with pytest.raises(ShapeError, match="4 rows"):
        chi2(COUNTS, LABELS[:4])
    with pytest.raises(ParameterError, match="Negative"):
        chi2(-COUNTS, LABELS)
