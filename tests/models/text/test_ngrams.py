"""Documents as words, pairs of words and parts of words."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

import lookalike
from lookalike.errors import ParameterError
from lookalike.models.text.ngrams import NgramWeights
from lookalike.text import TermWeights

DOCUMENTS = ["red cars are fast", "a red car is fast", "blue skies", "the blue sky is clear"]


def test_both_halves_are_those_of_scikit_learn():
    rows = NgramWeights().fit_transform(DOCUMENTS).toarray()
    parts = [
        TfidfVectorizer(ngram_range=(1, 2), min_df=2),
        TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), min_df=2),
    ]
    expected = np.hstack([one.fit_transform(DOCUMENTS).toarray() for one in parts])
    np.testing.assert_allclose(rows, expected / np.linalg.norm(expected, axis=1, keepdims=True))


def test_terms_of_one_document_count_where_no_term_is_in_two():
    model = NgramWeights().fit(["red", "blau"])
    assert {"red", "blau"} <= set(model.terms_)


def test_new_documents_are_weighted_by_the_terms_of_fit_also_from_a_file(tmp_path):
    model = NgramWeights().fit(DOCUMENTS)
    lookalike.save(model, tmp_path / "m")
    loaded = lookalike.load(tmp_path / "m")
    new = ["cars and skies", "", "zzz"]
    rows = model.transform(new)
    assert rows.shape == (3, len(model.get_feature_names_out()))
    assert np.sqrt(rows.multiply(rows).sum(axis=1)).ravel() == pytest.approx([1.0, 0.0, 0.0])
    np.testing.assert_array_equal(loaded.transform(new).toarray(), rows.toarray())


def test_an_analyzer_that_there_is_not_is_refused():
    with pytest.raises(ParameterError, match="analyzer"):
        TermWeights(analyzer="syllable").fit(DOCUMENTS)
