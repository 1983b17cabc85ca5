"""PCA in batches: the result of all rows at once, however they were divided."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import PCA
from lookalike.decomposition import IncrementalPCA
from lookalike.errors import ParameterError


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(90, 5)) * [5, 3, 2, 1, 0.1] + 1e6


@pytest.mark.parametrize("batches", [1, 2, 9])
def test_batches_give_the_components_of_all_rows(rows, batches):
    whole, model = PCA(3).fit(rows), IncrementalPCA(3)
    for batch in np.split(rows, batches):
        model.partial_fit(batch)
    np.testing.assert_allclose(model.components_, whole.components_, atol=1e-9)
    np.testing.assert_allclose(model.explained_variance_, whole.explained_variance_)
    np.testing.assert_allclose(model.var_, rows.var(axis=0))
    assert model.n_samples_seen_ == 90


def test_the_size_of_the_batches_makes_no_difference_to_a_fit(rows):
    few, many = (IncrementalPCA(2, batch_size=size).fit(rows) for size in (3, 90))
    np.testing.assert_array_equal(few.transform(rows), many.transform(rows))
    assert few.get_feature_names_out().tolist() == ["incrementalpca0", "incrementalpca1"]


def test_a_number_of_components_that_changes_or_exceeds_the_rows_is_an_error(rows):
    model = IncrementalPCA(3).fit(rows)
    with pytest.raises(ParameterError, match="3 components of earlier"):
        model.set_params(n_components=2).partial_fit(rows)
    with pytest.raises(ParameterError, match="batch number of samples 2"):
        IncrementalPCA(3).partial_fit(rows[:2])
