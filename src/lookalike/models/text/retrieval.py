"""Retrieval: search among documents by their cosine, with the terms behind each match."""

from __future__ import annotations

import difflib

import numpy as np
import scipy.sparse as sp

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.models.estimator import check_is_fitted
from lookalike.models.text.cosine import TermContributions, nearest_by_cosine, term_contributions
from lookalike.models.text.counts import TermCounts
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_int, check_kind


class Retrieval(TermCounts):
    """Search and explanation over documents that were projected onto components."""

    components_: Array
    singular_values_: Array
    documents_: Array
    document_terms_: sp.csr_array
    terms_: AnyArray
    decisions_: Decisions
    whiten: bool

    def search(self, query: object, k: int = 10) -> tuple[Rows, Array]:
        """Return the documents most similar to a query: their rows and cosines, best first.

        Parameters
        ----------
        query : str, list of str, or matrix of counts
            A single string gives arrays of shape (k,), several queries (n_queries, k).
        k : int
            Documents a query; equal cosines are in the order of the rows.
        """
        k = check_int("k", k, least=1, most=self._n_documents())
        Z = self._fold(self._query(query))
        lost = np.flatnonzero(~Z.any(axis=1))
        if len(lost):
            raise ParameterError(
                f"Query {lost[0]} has no term that distinguishes the {len(self.documents_)} "
                "documents, and is similar to none of them. Use words that occur in them."
            )
        rows, scores = nearest_by_cosine(Z, self.documents_, k)
        return (rows[0], scores[0]) if isinstance(query, str) else (rows, scores)

    def related_terms(self, term: str, k: int = 10) -> tuple[AnyArray, Array]:
        """Return the terms most similar to `term`, and their cosines, best first."""
        k = check_int("k", k, least=1, most=max(self._n_terms() - 1, 1))
        check_kind("term", term, str)
        position = self._place(term)
        places = self.components_.T * self.singular_values_
        rows, scores = nearest_by_cosine(places[[position]], places, min(k + 1, len(places)))
        others = np.flatnonzero(rows[0] != position)[:k]
        return self.terms_[rows[0][others]], scores[0][others]

    def explain(self, query: object, document: int) -> TermContributions:
        """Return the contributions of terms to the match of a query with one document.

        Examples
        --------
        >>> from lookalike import LSA
        >>> lsa = LSA(n_components=2).fit(["red car", "blue car", "red rose", "red red rose"])
        >>> match = lsa.explain("red car", 0)
        >>> [(term, round(share, 2)) for term, share in match.query_terms]
        [('car', 0.81), ('red', 0.19)]
        """
        row = check_int("document", document, least=0, most=self._n_documents() - 1)
        terms = self._query(query)
        if terms.shape[0] != 1:
            raise ShapeError(f"explain takes one query, {terms.shape[0]} are given. Give one.")
        z, other = self._fold(terms)[0], self.documents_[row]
        axes = self.components_.T * self._scale()
        mine = term_contributions(terms, axes, z, other, self.terms_)
        theirs = term_contributions(self.document_terms_[[row]], axes, other, z, self.terms_)
        return TermContributions(sum(share for _, share in mine), mine, theirs)

    def _place(self, term: str) -> int:
        """Return the column of a term, given as it is or as a word of a text."""
        words = [term] if self.vectorizer_ is None else self.vectorizer_.build_analyzer()(term)
        for name in (term, *(words if len(words) == 1 else ())):
            positions = np.flatnonzero(self.terms_ == name)
            if len(positions):
                return int(positions[0])
        near = difflib.get_close_matches(term, self.terms_.tolist(), n=3)
        advice = f"Near it: {', '.join(near)}." if near else "terms_ lists the terms."
        raise ParameterError(f"term={term!r} is in none of the documents. {advice}")

    def _n_documents(self) -> int:
        check_is_fitted(self)
        return len(self.documents_)

    def _n_terms(self) -> int:
        check_is_fitted(self)
        return len(self.terms_)

    def _fold(self, rows: sp.csr_array) -> Array:
        return np.asarray(rows @ self.components_.T) * self._scale()

    def _scale(self) -> Array:
        """Return what coordinates are multiplied with; directions without length give zero."""
        values = self.singular_values_
        if not self.whiten:
            return np.ones_like(values)
        return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
