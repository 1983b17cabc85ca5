"""Directions have one sign, which neither solver nor rounding decides."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import PCA
from lookalike.models.linalg.signs import fix_signs

FALLING = np.array([[1.0, -1.0], [-2.0, 2.0], [3.0, -3.0], [0.1, 0.1], [-0.1, -0.1]])


@pytest.mark.parametrize("solver", ["covariance_eigh", "gram", "full", "auto"])
def test_of_entries_equally_large_the_first_is_positive_on_every_solver(solver):
    half = np.sqrt(0.5)
    for model in (PCA(svd_solver=solver).fit(FALLING), PCA(svd_solver=solver).fit(-FALLING)):
        np.testing.assert_allclose(model.components_, [[half, -half], [half, half]], atol=1e-12)
    parts = PCA().partial_fit(FALLING[:2]).partial_fit(FALLING[2:])
    np.testing.assert_allclose(parts.components_, model.components_, atol=1e-12)
    np.testing.assert_array_equal(model.fit_transform(FALLING), model.transform(FALLING))


def test_rounding_does_not_decide_between_entries_equally_large():
    for last in (0.6, np.nextafter(0.6, 1), np.nextafter(0.6, 0)):
        assert (fix_signs(np.array([[-0.6, last]]))[0] == [0.6, -last]).all()
