"""Latent semantic analysis."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.estimator_checks import check_estimator

from lookalike import LSA
from lookalike.errors import (
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.models.text.cosine import nearest_by_cosine

DOCUMENTS = [
    "the car is driven on the road",
    "the truck is driven on the highway",
    "a lorry and a truck on the road",
    "the flower has red petals",
    "petals of a flower in the garden",
    "a garden with a road",
    "",
]


def counts(shape=(30, 20), seed=0):
    return sp.csr_array(np.random.default_rng(seed).poisson(0.5, shape).astype(float))


@pytest.mark.parametrize(
    "model",
    [LSA(), LSA(weighting="raw"), LSA(weighting="tfidf", whiten=True), LSA(n_components=0.5)],
    ids=str,
)
def test_scikit_learn_takes_it_for_an_estimator(model):
    check_estimator(model, on_skip=None)


def test_the_answer_is_that_of_truncated_svd_up_to_sign():
    mine = LSA(5, weighting="tfidf").fit(DOCUMENTS)
    X = TfidfVectorizer().fit_transform(DOCUMENTS)
    theirs = TruncatedSVD(5, algorithm="arpack", random_state=0).fit(X)
    for name in ("singular_values_", "explained_variance_", "explained_variance_ratio_"):
        np.testing.assert_allclose(getattr(mine, name), getattr(theirs, name), rtol=1e-9)
    signs = np.sign((mine.components_ * theirs.components_).sum(axis=1))
    np.testing.assert_allclose(mine.components_, theirs.components_ * signs[:, None], atol=1e-9)
    np.testing.assert_allclose(mine.transform(DOCUMENTS), theirs.transform(X) * signs, atol=1e-9)


def test_a_whitened_document_is_its_left_singular_vector():
    """Folding in is x -> D^-1 V' x: of a fitted document it gives the row of U [Barber 15.4]."""
    X = counts()
    U, D, Vt = np.linalg.svd(X.toarray(), full_matrices=False)
    Z = LSA(6, weighting="raw", whiten=True).fit_transform(X)
    signs = np.sign((Z * U[:, :6]).sum(axis=0))
    np.testing.assert_allclose(Z, U[:, :6] * signs, atol=1e-10)
    np.testing.assert_allclose(Z * signs, X @ Vt[:6].T / D[:6], atol=1e-10)


@pytest.mark.parametrize("whiten", [False, True])
def test_all_directions_give_the_rows_back(whiten):
    X = counts()
    lsa = LSA(20, weighting="raw", whiten=whiten).fit(X)
    np.testing.assert_allclose(lsa.inverse_transform(lsa.transform(X)), X.toarray(), atol=1e-10)


def test_directions_left_out_are_the_error_of_reconstruction():
    X = counts()
    lsa = LSA(7, weighting="raw").fit(X)
    rest = lsa.inverse_transform(lsa.documents_) - X.toarray()
    values = np.linalg.svd(X.toarray(), compute_uv=False)
    np.testing.assert_allclose((rest**2).sum(), (values[7:] ** 2).sum(), rtol=1e-10)


@settings(max_examples=25)
@given(st.integers(1, 15), st.integers(1, 15), st.integers(0, 2**32 - 1))
def test_fitted_documents_are_placed_where_transform_places_them(n_rows, n_columns, seed):
    X = counts((n_rows, n_columns), seed)
    lsa = LSA(weighting="tfidf").fit(X)
    assert lsa.documents_.shape == (n_rows, min(n_rows, n_columns))
    np.testing.assert_array_equal(lsa.transform(X), lsa.documents_)
    assert np.isfinite(lsa.documents_).all()
    assert 0 <= lsa.explained_variance_ratio_.sum() <= 1 + 1e-9


def test_a_fraction_keeps_as_many_directions_as_hold_it():
    X = counts((90, 80))
    squares = np.linalg.svd(X.toarray(), compute_uv=False) ** 2
    share = np.cumsum(squares) / squares.sum()
    for fraction in (0.3, 0.9, 0.999):
        lsa = LSA(fraction, weighting="raw").fit(X)
        kept = len(lsa.components_)
        assert share[kept - 1] >= fraction > (share[kept - 2] if kept > 1 else 0)
        assert lsa.decisions_.about("n_components")[0].choice == str(kept)


def test_texts_matrices_and_frames_give_one_answer():
    texts = LSA(3, stop_words="english").fit(DOCUMENTS)
    X = texts.vectorizer_.transform(DOCUMENTS)
    matrix = LSA(3, vocabulary=texts.terms_.tolist()).fit(X)
    np.testing.assert_array_equal(texts.documents_, matrix.documents_)
    np.testing.assert_array_equal(texts.transform(X), texts.transform(DOCUMENTS))
    np.testing.assert_array_equal(matrix.transform(DOCUMENTS), texts.documents_)
    for frame in (pd.DataFrame, pl.DataFrame):
        table = frame({"number": list(range(7)), "text": DOCUMENTS})
        lsa = LSA(3, stop_words="english", column="text").fit(table)
        placed = lsa.transform(table)
        assert isinstance(placed, frame)
        assert list(placed.columns) == ["lsa0", "lsa1", "lsa2"]
        np.testing.assert_array_equal(placed.to_numpy(), texts.documents_)


def test_columns_of_numbers_have_their_names_as_terms():
    frame = pd.DataFrame(counts((6, 3)).toarray(), columns=["car", "truck", "rose"])
    lsa = LSA(2).fit(frame)
    assert lsa.terms_.tolist() == lsa.feature_names_in_.tolist() == ["car", "truck", "rose"]
    assert list(lsa.inverse_transform(lsa.transform(frame)).columns) == ["car", "truck", "rose"]


def test_rows_that_come_in_a_stream_give_the_same_answer():
    X = counts((50, 8)).toarray()
    streamed = LSA(3).fit(lambda: iter([X[:20], X[20:21], X[21:]]))
    np.testing.assert_array_equal(streamed.documents_, LSA(3).fit(X).documents_)


def test_empty_documents_and_unused_terms_lie_at_zero_and_are_told():
    X = sp.csr_array([[1.0, 0, 2, 0], [0, 0, 0, 0], [3, 1, 0, 0]])
    lsa = LSA().fit(X)
    assert not lsa.documents_[1].any()
    assert not lsa.components_[: lsa.rank_, 3].any()
    assert "1 have no weighted term: 1" in str(lsa.decisions_)
    assert "1 have no weight in any document" in str(lsa.decisions_)


def test_nothing_but_zeros_has_rank_zero():
    lsa = LSA(2, whiten=True).fit(np.zeros((4, 3)))
    assert lsa.rank_ == 0
    assert not lsa.documents_.any()
    assert lsa.explained_variance_ratio_.tolist() == [0.0, 0.0]
    assert LSA(0.5).fit(np.zeros((4, 3))).documents_.shape == (4, 1)


@pytest.mark.parametrize("asked", [0, 21, -1, 0.0, 1.0, 2.5, "5", True])
def test_a_number_of_components_that_cannot_be_had_is_refused(asked):
    with pytest.raises((ParameterError, ParameterTypeError), match="n_components="):
        LSA(asked).fit(counts())
    assert LSA(20).fit(counts()).components_.shape == (20, 20)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weighting": "bm25"}, "weighting='bm25' is not known"),
        ({"stem": "snowball"}, "stem='snowball' is not known"),
        ({"whiten": 1}, "whiten=1 is not True or False"),
        ({"min_df": 2}, "min_df=2 applies to texts"),
        ({"stop_words": "english"}, "stop_words='english' applies to texts"),
        ({"vocabulary": ["a", "b"]}, "vocabulary has 2 terms, X 20 columns"),
    ],
)
def test_parameters_that_cannot_be_honored_are_refused(parameters, message):
    with pytest.raises((ParameterError, ParameterTypeError, ShapeError), match=message):
        LSA(**parameters).fit(counts())


def test_what_is_no_count_is_named_by_row_and_column():
    X = counts().toarray()
    X[3, 4] = -2
    with pytest.raises(ParameterError, match=r"-2 at row 3, column 'x4', is not a count"):
        LSA().fit(X)
    LSA(weighting="raw").fit(X)
    X[3, 4] = np.nan
    with pytest.raises(MissingValueError, match="NaN at row 3, column 'x4'"):
        LSA().fit(X)


def test_texts_cannot_be_read_by_a_model_of_nameless_columns():
    with pytest.raises(ParameterTypeError, match="fit with vocabulary"):
        LSA(2).fit(counts()).transform(["a car"])
    with pytest.raises(ShapeError, match="2 coordinates"):
        LSA(3).fit(counts()).inverse_transform(np.ones((1, 2)))


def test_a_missing_document_is_empty_and_told():
    lsa = LSA(2).fit(["a car here", None, "a rose there"])
    assert "1 are missing" in str(lsa.decisions_)
    assert not lsa.documents_[1].any()


def test_the_model_survives_pickling_and_cloning():
    lsa = LSA(2, stem="porter").fit(DOCUMENTS)
    again = pickle.loads(pickle.dumps(lsa))
    np.testing.assert_array_equal(again.transform(DOCUMENTS), lsa.documents_)
    np.testing.assert_array_equal(clone(lsa).fit(DOCUMENTS).documents_, lsa.documents_)


def test_cosines_are_those_of_a_slow_loop_and_ties_go_by_row():
    rng = np.random.default_rng(0)
    Q, Z = rng.normal(size=(4, 3)), rng.integers(-1, 2, (25, 3)).astype(float)
    rows, scores = nearest_by_cosine(Q, Z, 25)
    for q, found, score in zip(Q, rows, scores, strict=True):
        slow = [q @ z / (np.linalg.norm(q) * (np.linalg.norm(z) or 1)) for z in Z]
        np.testing.assert_allclose(score, np.sort(slow)[::-1], atol=1e-12)
        assert sorted(found) == list(range(25))
    twins, same = nearest_by_cosine(Q[:1], np.ones((5, 3)), 3)
    assert twins.tolist() == [[0, 1, 2]]
    assert len(set(same[0])) == 1
