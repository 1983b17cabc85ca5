"""Documents as weighted words, pairs of words and parts of words, for linear classifiers."""

from __future__ import annotations

from typing import Self

import numpy as np
import scipy.sparse as sp

from lookalike.errors import ShapeError
from lookalike.models.text.tfidf import TermWeights
from lookalike.typing import AnyArray

WORD_NGRAMS = (1, 2)  # words in a row
CHARACTER_NGRAMS = (2, 5)  # characters in a row, within words
FEWEST_DOCUMENTS = 2  # that hold a term, where any term is in as many


class NgramWeights(TermWeights):
    """Turn documents into tf-idf weights of words, pairs of words and parts of words.

    Terms of one document alone do not count, unless all are. The weights of words and those of
    their parts each have half of the squared length of a row, which is 1.

    Attributes
    ----------
    characters_ : TermWeights
        The weights of parts of words, whose columns come after those of words.

    Examples
    --------
    >>> rows = NgramWeights().fit_transform(["red cars", "red car", "blue car"])
    >>> bool(np.allclose((rows.multiply(rows)).sum(axis=1), 1.0))
    True
    """

    characters_: TermWeights

    def fit(self, X: object, y: object = None) -> Self:
        """Learn the terms of the documents of `X`, and their weights; `y` is ignored."""
        for least in (FEWEST_DOCUMENTS, 1):
            try:
                self.set_params(ngram_range=WORD_NGRAMS, min_df=least)
                super().fit(X, y)
                self.characters_ = TermWeights(
                    column=self.column,
                    analyzer="char_wb",
                    ngram_range=CHARACTER_NGRAMS,
                    min_df=least,
                ).fit(X, y)
                break
            except ShapeError:
                if least == 1:
                    raise
        self.terms_: AnyArray = np.concatenate([self.terms_, self.characters_.terms_])
        self.n_features_in_: int = len(self.terms_)
        return self

    def _rows(self, X: object) -> sp.csr_array:
        parts = [super()._rows(X), self.characters_.transform(X)]
        rows = sp.csr_array(sp.hstack(parts, format="csr") * np.sqrt(0.5))
        length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        return sp.csr_array(sp.diags_array(1.0 / np.where(length > 0, length, 1.0)) @ rows)
