"""Plots of latent semantic analysis draw documents, terms and contributions."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import LSA
from lookalike.errors import ParameterError
from lookalike.report.plots.lsa import (
    plot_documents_and_terms,
    plot_precision_recall,
    plot_term_contributions,
)
from lookalike.text import ranking_precision_recall

DOCUMENTS = ["car truck", "truck lorry", "car lorry truck", "flower petal", "flower garden petal"]


def test_documents_lie_where_they_are_and_the_heaviest_terms_are_named():
    lsa = LSA(3).fit(DOCUMENTS)
    ax = plot_documents_and_terms(lsa, directions=(1, 0), n_terms=3)
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), lsa.documents_[:, [1, 0]])
    length = np.linalg.norm(lsa.components_[:2], axis=0)
    named = [text.get_text() for text in ax.texts if text.get_text()]
    assert named == lsa.terms_[np.argsort(-length, kind="stable")[:3]].tolist()
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    assert all(left < x < right and low < y < high for x, y in (text.xy for text in ax.texts))


def test_components_out_of_range_are_refused():
    with pytest.raises(ParameterError, match="directions=5 is out of range"):
        plot_documents_and_terms(LSA(2).fit(DOCUMENTS), directions=(0, 5))


def test_bars_of_query_and_document_each_add_up_to_the_score():
    match = LSA(2).fit(DOCUMENTS).explain("car truck lorry flower", 2)
    ax = plot_term_contributions(match, n_terms=2)
    query, document = ax.containers
    for bars in (query, document):
        assert sum(bar.get_width() for bar in bars) == pytest.approx(match.score)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == [
        *(term for term, _ in match.query_terms[:2]),
        "2 others",
        *(term for term, _ in match.document_terms[:2]),
        "1 others",
    ]


def test_precision_is_drawn_against_recall_with_the_name_of_each_search():
    curve = ranking_precision_recall([0, 3], [3, 1, 0, 2])
    ax = plot_precision_recall({"LSA": curve, "terms": curve})
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), np.column_stack(curve[::-1]))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["LSA", "terms"]
