"""Search among documents, related terms, and why a document was found."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from lookalike import LSA
from lookalike.data.samples import sample
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError

DOCUMENTS = [
    "a car on the road",
    "a truck on the road",
    "a car and a truck",
    "a lorry and a truck",
    "a red flower",
    "a flower with petals",
    "red petals in the garden",
    "",
]


@pytest.fixture(scope="module")
def lsa():
    return LSA(3, stop_words="english").fit(DOCUMENTS)


def test_a_document_is_found_by_its_own_words(lsa):
    for row, text in enumerate(DOCUMENTS[:7]):
        rows, scores = lsa.search(text, k=8)
        assert scores[rows.tolist().index(row)] == pytest.approx(1)
        assert (np.diff(scores) <= 0).all()
        assert scores[rows.tolist().index(7)] == 0  # the empty one


def test_a_document_is_found_without_a_common_word():
    lsa = LSA(2, stop_words="english").fit(DOCUMENTS)
    rows, scores = lsa.search("lorry", k=4)
    assert set(rows.tolist()) == {0, 1, 2, 3}
    assert scores.min() > 0.5


def test_several_queries_give_what_each_gives_alone(lsa):
    queries = ["car", "red garden", "petals"]
    rows, scores = lsa.search(queries, k=3)
    assert rows.shape == scores.shape == (3, 3)
    for place, query in enumerate(queries):
        alone = lsa.search(query, k=3)
        np.testing.assert_array_equal(rows[place], alone[0])
        np.testing.assert_allclose(scores[place], alone[1], rtol=1e-12)
    by_counts = lsa.search(lsa.vectorizer_.transform(queries), k=3)
    np.testing.assert_array_equal(rows, by_counts[0])


def test_a_query_that_nothing_answers_is_refused(lsa):
    for lost in ("zebra", "", "the of"):
        with pytest.raises(ParameterError, match="Query 0 has no term"):
            lsa.search(lost, k=1)
    with pytest.raises(ParameterError, match="Query 1 has no term"):
        lsa.search(["car", "zebra"], k=1)


@pytest.mark.parametrize("k", [0, 9, -1])
def test_more_documents_than_there_are_cannot_be_asked_for(lsa, k):
    with pytest.raises(ParameterError, match=f"k={k} is out of range"):
        lsa.search("car", k=k)
    with pytest.raises(ParameterTypeError, match=r"k=1\.5"):
        lsa.search("car", k=1.5)


def test_terms_used_alike_are_related():
    lsa = LSA(2, stop_words="english").fit(DOCUMENTS)
    terms, scores = lsa.related_terms("lorry", k=3)
    assert set(terms) == {"truck", "car", "road"}
    assert (np.diff(scores) <= 0).all()
    assert "lorry" not in lsa.related_terms("lorry", k=len(lsa.terms_) - 1)[0]


def test_related_terms_are_cosines_between_terms(lsa):
    places = lsa.components_.T * lsa.singular_values_
    column = lsa.terms_.tolist().index
    for term, score in zip(*lsa.related_terms("car", k=5), strict=True):
        a, b = places[column("car")], places[column(term)]
        assert score == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_a_term_is_recognized_as_a_word_of_a_text_and_an_unknown_one_named():
    lsa = LSA(2, stem="porter").fit(DOCUMENTS)
    assert "petal" not in lsa.related_terms("Petals", k=3)[0]
    with pytest.raises(ParameterError, match=r"'flouer' is in none .* Near it: flow"):
        lsa.related_terms("flouer", k=1)


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("row", range(7))
def test_the_shares_of_the_terms_add_up_to_the_score(whiten, row):
    lsa = LSA(3, stop_words="english", whiten=whiten).fit(DOCUMENTS)
    query = "a red truck in the garden"
    rows, scores = lsa.search(query, k=8)
    match = lsa.explain(query, row)
    expected = scores[rows.tolist().index(row)]
    assert match.score == pytest.approx(expected, abs=1e-12)
    assert sum(share for _, share in match.query_terms) == pytest.approx(expected, abs=1e-12)
    assert sum(share for _, share in match.document_terms) == pytest.approx(expected, abs=1e-12)
    assert {term for term, _ in match.query_terms} == {"red", "truck", "garden"}
    sizes = [abs(share) for _, share in match.document_terms]
    assert sizes == sorted(sizes, reverse=True)


def test_an_empty_document_is_carried_by_nothing(lsa):
    match = lsa.explain("car", 7)
    assert match.score == 0
    assert match.document_terms == []


def test_explain_takes_one_query_and_a_document_that_is_there(lsa):
    with pytest.raises(ShapeError, match="takes one query, 2 are given"):
        lsa.explain(["car", "truck"], 0)
    with pytest.raises(ParameterError, match="document=8 is out of range"):
        lsa.explain("car", 8)


def test_documents_folded_in_are_searched_beside_the_others(lsa):
    before = LSA(3, stop_words="english").fit(DOCUMENTS)
    grown = LSA(3, stop_words="english").fit(DOCUMENTS).partial_fit(["a car and a lorry", "red"])
    np.testing.assert_array_equal(grown.components_, before.components_)
    np.testing.assert_array_equal(grown.documents_[:8], before.documents_)
    np.testing.assert_array_equal(
        grown.documents_[8:], before.transform(["a car and a lorry", "red"])
    )
    assert grown.search("lorry car", k=1)[0].tolist() == [8]
    assert grown.explain("red", 9).score == pytest.approx(1)
    assert "2 documents by fold" in grown.decisions_[-1].choice


def test_a_refit_gives_the_components_of_all_documents():
    X = sp.csr_array(np.random.default_rng(0).poisson(1.0, (30, 12)).astype(float))
    grown = LSA(4, weighting="raw").fit(X[:20]).partial_fit(X[20:], method="refit")
    whole = LSA(4, weighting="raw").fit(X)
    np.testing.assert_allclose(grown.documents_, whole.documents_, atol=1e-10)
    np.testing.assert_allclose(grown.singular_values_, whole.singular_values_, rtol=1e-12)
    assert "after the refit" in str(grown.decisions_)


def test_no_documents_change_nothing_where_adding_fails(lsa):
    with pytest.raises(ParameterError, match="method='update'"):
        lsa.partial_fit(["car"], method="update")
    with pytest.raises(ValueError, match="expecting 8 features"):
        lsa.partial_fit(np.ones((1, 3)))
    assert len(lsa.documents_) == 8


@pytest.mark.parametrize("ask", ["search", "related_terms", "explain", "transform"])
def test_nothing_can_be_searched_before_fit(ask):
    arguments = ("car", 0) if ask == "explain" else ("car",)
    with pytest.raises(NotFittedError):
        getattr(LSA(), ask)(*arguments)


def test_the_first_partial_fit_is_a_fit():
    first, fitted = LSA(2).partial_fit(DOCUMENTS), LSA(2).fit(DOCUMENTS)
    np.testing.assert_array_equal(first.documents_, fitted.documents_)


def test_cranfield_is_searched_better_than_by_the_words_themselves(data_folder):
    docs, queries, judged = (
        {name: np.concatenate([t.values[name] for t in source.tables()]) for name in columns}
        for source, columns in (
            (sample("cranfield", "docs"), ("doc_id", "text")),
            (sample("cranfield", "queries"), ("text",)),
            (sample("cranfield", "qrels"), ("query_id", "doc_id", "grade")),
        )
    )
    good = judged["grade"] > 0
    relevant = np.zeros((225, 1400), dtype=bool)
    relevant[judged["query_id"][good].astype(int) - 1, judged["doc_id"][good].astype(int) - 1] = (
        True
    )
    lsa = LSA(100, stem="porter", stop_words="english").fit(docs["text"])
    assert not lsa.documents_[[470, 994]].any()
    hits = np.take_along_axis(relevant, lsa.search(list(queries["text"]), k=1400)[0], axis=1)
    precision = np.cumsum(hits, axis=1) / np.arange(1, 1401)
    mean = np.mean((precision * hits).sum(axis=1) / hits.sum(axis=1))
    assert mean > 0.34  # 0.288 and below by tf-idf and cosine
