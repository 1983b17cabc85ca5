"""Documents as weighted terms: scikit-learn's tf-idf is the reference."""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from lookalike import LSA
from lookalike.data.sources.columns_source import ColumnsSource
from lookalike.text import TermWeights

TEXTS = ["car truck car", "truck lorry", "flower petal", "flower", ""]


@parametrize_with_checks([TermWeights()])
def test_it_is_an_estimator_of_scikit_learn(estimator, check):
    check(estimator)


def test_weights_are_those_of_scikit_learn():
    ours = TermWeights().fit(TEXTS)
    reference = TfidfVectorizer().fit(TEXTS)
    assert ours.get_feature_names_out().tolist() == reference.get_feature_names_out().tolist()
    for texts in (TEXTS, ["car petal unknown"]):
        np.testing.assert_allclose(
            ours.transform(texts).toarray(), reference.transform(texts).toarray()
        )


def test_they_are_the_rows_that_lsa_decomposes():
    rows = TermWeights("log_entropy").fit_transform(TEXTS)
    lsa = LSA(2).fit(TEXTS)
    np.testing.assert_array_equal(rows.toarray(), lsa.document_terms_.toarray())


def test_the_column_of_a_table_is_read_by_its_name_from_a_source_too():
    words = np.array(TEXTS, dtype=object)
    table = ColumnsSource(
        {"title": words[::-1].copy(), "text": words}, {"title": "text", "text": "text"}
    )
    rows = TermWeights(column="text").fit_transform(table)
    np.testing.assert_array_equal(rows.toarray(), TermWeights().fit_transform(TEXTS).toarray())


def test_the_first_directions_of_lsa_are_those_of_a_smaller_lsa():
    small, large = LSA(2).fit(TEXTS), LSA(3).fit(TEXTS).first(2)
    np.testing.assert_allclose(large.transform(TEXTS), small.transform(TEXTS), atol=1e-12)
    np.testing.assert_allclose(large.documents_, small.documents_, atol=1e-12)
