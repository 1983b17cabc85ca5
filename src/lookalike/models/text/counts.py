"""Counts of terms from texts or matrices, weighted as they were in fit."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.models.estimator import Model
from lookalike.models.text.documents import Texts, read_documents
from lookalike.models.text.terms import count_terms, learn_terms, vectorizer_for, weighted
from lookalike.typing import AnyArray, Array

NOT_OF_TEXTS = ("n_components", "weighting", "whiten", "column")


class Counted(NamedTuple):
    """How often each term is in each document, and what counted them."""

    counts: sp.csr_array
    vectorizer: CountVectorizer | None  # None: the terms have no names to look for in a text
    terms: AnyArray


class TermCounts(Model):
    """A model of documents: reads them, learns their terms, and weighs these."""

    engine = "auto"  # the matrix is held in memory: no choice is offered
    n_jobs = None
    weighting: str
    column: str | None
    vocabulary: Any
    vectorizer_: CountVectorizer | None
    term_weights_: Array

    def _learn(self, X: Any, decisions: Decisions) -> Counted:
        """Return the counts to fit on, and note terms as the columns."""
        read = read_documents(X, self.column)
        if not isinstance(read, Texts):
            self._refuse_text_parameters()
            self._note_columns(X, read, reset=True)
            counts = self._gather(read)
            return Counted(counts, *self._named_columns(read))
        if read.missing:
            decisions.add("documents", "empty", f"{read.missing} are missing")
        if read.left_out:
            decisions.add("columns", read.column, f"it holds text; not read: {read.left_out}")
        vectorizer = self._vectorizer()
        counts = learn_terms(vectorizer, read.texts)
        self.n_features_in_ = counts.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        return Counted(counts, vectorizer, vectorizer.get_feature_names_out())

    def _vectorizer(self) -> CountVectorizer:
        parameters = self.get_params(deep=False).items()
        return vectorizer_for(**{k: v for k, v in parameters if k not in NOT_OF_TEXTS})

    def _refuse_text_parameters(self) -> None:
        """Raise where a parameter says how texts are read, and there are none."""
        known = (*NOT_OF_TEXTS, "vocabulary")
        for name, parameter in inspect.signature(type(self)).parameters.items():
            if name not in known and getattr(self, name) != parameter.default:
                raise ParameterError(
                    f"{name}={getattr(self, name)!r} says how texts are read, and X holds numbers. "
                    "Leave it out."
                )

    def _named_columns(self, source: Source) -> tuple[CountVectorizer | None, AnyArray]:
        names = [found.name for found in source.columns]
        if self.vocabulary is None:
            return None, np.array(names, dtype=object)
        vectorizer = self._vectorizer()
        vectorizer.fit([])
        terms = vectorizer.get_feature_names_out()
        if len(terms) != len(names):
            raise ShapeError(
                f"vocabulary has {len(terms)} terms, X {len(names)} columns. Give one a column."
            )
        return vectorizer, terms

    def _gather(self, source: Source) -> sp.csr_array:
        parts = [self._checked(source, chunk) for chunk in source.chunks()]
        return parts[0] if len(parts) == 1 else sp.vstack(parts, format="csr")

    def _checked(self, source: Source, chunk: Chunk) -> sp.csr_array:
        """Return the counts of a chunk: finite, and none negative where they are weighted."""
        require_finite(chunk.X, chunk.offset, source.columns)
        counts = sp.csr_array(chunk.X, dtype=np.float64)
        if self.weighting != "raw" and counts.nnz and counts.data.min() < 0:
            row, column = (part[0] for part in (counts < 0).nonzero())
            raise ParameterError(
                f"Negative values in data passed to LSA: {counts[row, column]:g} at row "
                f"{chunk.offset + row}, column {source.columns[column].name!r}, is no count. "
                "Give counts, or weighting='raw'."
            )
        return counts

    def _count(self, read: Texts) -> sp.csr_array:
        if self.vectorizer_ is None:
            raise ParameterTypeError(
                "Fitted on a matrix whose columns have no names, texts cannot be read. Give "
                "counts, or fit with vocabulary=[…]."
            )
        return count_terms(self.vectorizer_, read.texts)

    def _weigh(self, counts: sp.csr_array) -> sp.csr_array:
        return weighted(counts, self.weighting, self.term_weights_)

    def _rows(self, X: Any) -> sp.csr_array:
        """Return the weighted terms of documents that were not fitted."""
        read = read_documents(X, self.column)
        if isinstance(read, Texts):
            return self._weigh(self._count(read))
        self._note_columns(X, read, reset=False)
        return self._weigh(self._gather(read))

    def _query(self, query: Any) -> sp.csr_array:
        if isinstance(query, str):
            return self._weigh(self._count(Texts([query], 0)))
        return self._rows(query)
