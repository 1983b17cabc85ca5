"""Counts of terms become weights."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from lookalike.errors import ParameterError, ShapeError
from lookalike.models.text.counts import (
    StemTokenizer,
    global_weights,
    learn_terms,
    vectorizer_for,
    weighted,
)


def counts(seed=0, shape=(20, 9)):
    return sp.csr_array(np.random.default_rng(seed).poisson(0.7, shape).astype(float))


def test_tfidf_is_that_of_scikit_learn():
    X, new = counts(0), counts(1)
    peer = TfidfTransformer().fit(X)
    weights = global_weights(X, "tfidf")
    np.testing.assert_allclose(weights, peer.idf_, rtol=1e-12)
    mine, theirs = weighted(new, "tfidf", weights), peer.transform(new)
    np.testing.assert_allclose(mine.toarray(), theirs.toarray(), rtol=1e-12)


def test_log_entropy_is_its_equation():
    X = counts().toarray()
    share = X / X.sum(axis=0)
    logs = np.log(share, out=np.zeros_like(share), where=share > 0)
    expected = 1 + (share * logs).sum(axis=0) / np.log(len(X))
    weights = global_weights(sp.csr_array(X), "log_entropy")
    np.testing.assert_allclose(weights, expected, rtol=1e-12)
    rows = np.log1p(X) * expected
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = weighted(sp.csr_array(X), "log_entropy", weights).toarray()
    np.testing.assert_allclose(found, rows, rtol=1e-12)


def test_a_term_spread_evenly_weighs_nothing_and_a_term_of_one_document_all():
    X = sp.csr_array([[2.0, 1, 0], [2, 0, 0], [2, 0, 0]])
    assert global_weights(X, "log_entropy").tolist() == [0.0, 1.0, 1.0]


def test_raw_numbers_and_a_single_document_are_not_weighted():
    X = counts()
    assert (weighted(X, "raw", global_weights(X, "raw")) != X).nnz == 0
    assert global_weights(X[:1], "log_entropy").tolist() == [1.0] * 9


@pytest.mark.parametrize("weighting", ["tfidf", "raw", "log_entropy"])
def test_documents_without_terms_stay_at_zero_and_the_input_as_it_was(weighting):
    X = sp.vstack([counts(), sp.csr_array((1, 9))], format="csr")
    before = X.copy()
    rows = weighted(X, weighting, global_weights(X, weighting))
    assert rows[[20]].nnz == 0
    assert (before != X).nnz == 0
    lengths = np.linalg.norm(rows[:20].toarray(), axis=1)
    assert weighting == "raw" or np.allclose(lengths, 1)


def test_stop_words_are_left_out_before_words_are_cut():
    cut = StemTokenizer(r"\w+", ["flowing"])
    assert cut("flowing flows flow") == ["flow", "flow"]
    english = vectorizer_for(stem="porter", stop_words="english", token_pattern=r"\w+")
    assert learn_terms(english, ["the flows of the wings"]).shape == (1, 2)
    assert english.get_feature_names_out().tolist() == ["flow", "wing"]


def test_pairs_of_stems_can_be_terms():
    pairs = vectorizer_for(stem="porter", stop_words=None, token_pattern=r"\w+", ngram_range=(2, 2))
    learn_terms(pairs, ["boundary layers"])
    assert pairs.get_feature_names_out().tolist() == ["boundari layer"]


def test_documents_without_any_term_are_refused():
    plain = vectorizer_for(stem=None, stop_words="english", token_pattern=r"\w+")
    with pytest.raises(ShapeError, match="No term is left in the 2 documents"):
        learn_terms(plain, ["the", "of"])
    rare = vectorizer_for(stem=None, stop_words=None, token_pattern=r"\w+", min_df=2)
    with pytest.raises(ShapeError, match="lower min_df"):
        learn_terms(rare, ["a", "b"])


def test_unknown_stop_words_are_refused():
    with pytest.raises(ParameterError, match="stop_words='german'"):
        vectorizer_for(stem="porter", stop_words="german", token_pattern=r"\w+")
