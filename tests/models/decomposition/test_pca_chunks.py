"""PCA of rows that come in pieces, join and leave."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_pca import slanted_rows

from lookalike import PCA
from lookalike.errors import ParameterError


@pytest.fixture(scope="module")
def rows():
    return slanted_rows()


@settings(max_examples=25)
@given(st.lists(st.integers(1, 199), max_size=6))
def test_any_chunking_gives_the_batch_answer_to_1e_10(rows, cuts):
    whole = PCA(n_components=4).fit(rows)
    pca = PCA(n_components=4)
    for part in np.split(rows, sorted(set(cuts))):
        pca.partial_fit(part)
    np.testing.assert_allclose(pca.components_, whole.components_, atol=1e-10)
    np.testing.assert_allclose(pca.spectrum_, whole.spectrum_, rtol=1e-10)
    np.testing.assert_allclose(pca.mean_, whole.mean_, atol=1e-10)


def test_rows_one_by_one_give_the_batch_answer_at_an_offset(rows):
    shifted = rows[:80] + 1e6
    whole, pca = PCA(n_components=4).fit(shifted), PCA(n_components=4)
    for row in shifted:
        pca.partial_fit(row[None])
    np.testing.assert_allclose(pca.components_, whole.components_, atol=1e-8)
    np.testing.assert_allclose(pca.explained_variance_, whole.explained_variance_, rtol=1e-9)
    assert pca.n_samples_ == 80


def test_while_rows_are_few_fewer_directions_are_kept(rows):
    pca = PCA(n_components=4).partial_fit(rows[:2])
    assert pca.n_components_ == 2
    assert pca.decisions_.about("n_components")[0].reason == "2 rows have come so far"
    assert pca.partial_fit(rows[2:]).n_components_ == 4


def test_merged_models_are_the_model_of_all_rows(rows):
    left, right = PCA(n_components=3).fit(rows[:90]), PCA(n_components=3).fit(rows[90:])
    whole = PCA(n_components=3).fit(rows)
    np.testing.assert_allclose(left.merge(right).components_, whole.components_, atol=1e-10)
    np.testing.assert_allclose(left.spectrum_, whole.spectrum_, rtol=1e-10)


def test_removed_rows_leave_no_trace(rows):
    weight = np.linspace(1, 3, len(rows))
    pca = PCA(n_components=3).fit(rows + 1e5, sample_weight=weight)
    pca.remove(rows[150:] + 1e5, sample_weight=weight[150:])
    rest = PCA(n_components=3).fit(rows[:150] + 1e5, sample_weight=weight[:150])
    np.testing.assert_allclose(pca.components_, rest.components_, atol=1e-8)
    np.testing.assert_allclose(pca.explained_variance_, rest.explained_variance_, rtol=1e-9)


def test_rows_that_were_never_fitted_cannot_be_removed(rows):
    pca = PCA().fit(rows)
    with pytest.raises(ParameterError, match="200 rows of weight 200 cannot be removed"):
        pca.remove(rows)
    with pytest.raises(ParameterError, match="vary more in column 0"):
        pca.remove(rows[:50] * 100)
    np.testing.assert_allclose(pca.components_, PCA().fit(rows).components_)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"svd_solver": "full"}, "svd_solver='full'"),
        ({"missing": "em"}, "missing='em'"),
    ],
)
def test_what_keeps_no_moments_cannot_join_rows(rows, options, text):
    pca = PCA(**options)
    assert not hasattr(pca, "partial_fit")
    with pytest.raises(AttributeError) as error:
        pca.partial_fit(rows)
    assert text in str(error.value.__cause__)
    with pytest.raises(ParameterError, match="no moments"):
        pca.fit(rows).remove(rows[:3])
