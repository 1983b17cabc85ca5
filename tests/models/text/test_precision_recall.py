"""Measures of retrieval."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import lookalike
from lookalike import LSA
from lookalike.errors import ParameterError, ShapeError
from lookalike.text import (
    mean_average_precision,
    mean_precision_recall_curve,
    ranking_average_precision,
    ranking_precision_recall,
)


def ranked(seed, n=40):
    rng = np.random.default_rng(seed)
    relevant, scores = rng.random(n) < 0.3, rng.random(n)
    relevant[0] = True
    return relevant, scores, np.argsort(-scores)


@pytest.mark.parametrize("seed", range(20))
def test_of_a_whole_ranking_it_is_scikit_learns_average_precision(seed):
    relevant, scores, ranking = ranked(seed)
    expected = average_precision_score(relevant, scores)
    assert ranking_average_precision(relevant, ranking) == pytest.approx(expected, rel=1e-12)
    assert ranking_average_precision(np.flatnonzero(relevant), ranking) == pytest.approx(expected)


def test_relevant_documents_that_were_not_retrieved_count_as_zero():
    assert ranking_average_precision([0, 3], [3, 1]) == 0.5
    assert ranking_average_precision([0, 3, 9], [3, 1, 0]) == pytest.approx((1 + 2 / 3) / 3)


def test_the_mean_is_over_queries_of_different_lengths():
    relevant, rankings = [[0], [1, 2]], [[0, 1, 2], [0, 1]]
    assert mean_average_precision(relevant, rankings) == pytest.approx((1 + 0.25) / 2)


def test_precision_and_recall_after_each_document_are_their_definitions():
    relevant, _, ranking = ranked(3)
    precision, recall = ranking_precision_recall(relevant, ranking)
    for i in range(1, len(ranking) + 1):
        hits = relevant[ranking[:i]].sum()
        assert precision[i - 1] == hits / i
        assert recall[i - 1] == hits / relevant.sum()


def test_the_precision_at_a_recall_is_the_largest_at_that_recall_or_above():
    precision, _ = mean_precision_recall_curve([[0, 3]], [[1, 3, 0, 2]], recall=[0, 0.5, 0.6, 1])
    np.testing.assert_allclose(precision, [2 / 3, 2 / 3, 2 / 3, 2 / 3])
    cut, _ = mean_precision_recall_curve([[0, 3]], [[3, 1]], recall=[0.5, 0.6])
    np.testing.assert_allclose(cut, [1.0, 0.0])  # the ranking ends before


def test_the_mean_curve_is_the_mean_of_the_curves_of_the_queries():
    one, other = ranked(1), ranked(2)
    both, _ = mean_precision_recall_curve([one[0], other[0]], [one[2], other[2]])
    each = [mean_precision_recall_curve([q[0]], [q[2]])[0] for q in (one, other)]
    np.testing.assert_allclose(both, np.mean(each, axis=0))


def test_a_search_is_measured_as_it_returns():
    lsa = LSA(2).fit(["red car", "blue car", "a rose", "a red rose"])
    rankings, _ = lsa.search(["car", "rose"], k=4)
    assert lookalike.text.mean_average_precision([[0, 1], [2, 3]], rankings) == 1.0


@pytest.mark.parametrize(
    ("relevant", "ranking", "error", "words"),
    [
        ([], [0, 1], ParameterError, "no relevant document"),
        ([False, False], [0, 1], ParameterError, "no relevant document"),
        ([0], [1, 1], ParameterError, "twice"),
        ([0], [], ShapeError, "best first"),
        ([0], [0.5, 0.1], ShapeError, "row numbers"),
        ([0.5], [1, 2], ShapeError, "True and False"),
    ],
)
def test_what_has_no_precision_is_an_error(relevant, ranking, error, words):
    with pytest.raises(error, match=words):
        ranking_average_precision(relevant, ranking)


def test_as_many_rankings_as_queries_are_wanted():
    with pytest.raises(ShapeError, match="2 queries, rankings 1"):
        mean_average_precision([[0], [1]], [[0, 1]])
    with pytest.raises(ParameterError, match="from 0 to 1"):
        mean_precision_recall_curve([[0]], [[0, 1]], recall=[2.0])
