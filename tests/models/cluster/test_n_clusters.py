"""The number of clusters that rows are made of is found."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from lookalike import KMeans
from lookalike.cluster import choose_clusters
from lookalike.errors import LookalikeError
from lookalike.models.cluster.n_clusters import mean_silhouette

rng = np.random.default_rng(5)


def groups(k, n=400, d=3):
    return rng.normal(size=(n, d)) + 30 * np.eye(max(k, d))[np.arange(n) % k][:, :d]


@pytest.mark.parametrize("k", [2, 3])
def test_clear_groups_are_counted_right_by_every_criterion(k):
    choice = choose_clusters(groups(k), range(1, 6), draws=4)
    assert choice.chosen == {"silhouette": k, "gap": k, "bic": k}
    assert (np.diff(choice.inertia) < 0).all()
    assert np.isnan(choice.silhouette[0])


def test_one_group_is_one_by_gap_and_bic():
    choice = choose_clusters(rng.normal(size=(300, 2)), range(1, 5), draws=6)
    assert choice.chosen["gap"] == 1
    assert choice.chosen["bic"] == 1


def test_the_silhouette_is_that_of_scikit_learn():
    X = rng.normal(size=(150, 4))
    labels = KMeans(4).fit_predict(X)
    assert mean_silhouette(X, labels) == pytest.approx(silhouette_score(X, labels), rel=1e-12)


def test_more_rows_than_the_sample_are_drawn_from_and_that_is_said():
    choice = choose_clusters(groups(3, n=900), range(2, 5), sample=300, draws=2)
    assert choice.decisions.about("sample")[0].choice == "300 rows"
    assert choice.chosen["silhouette"] == 3


def test_numbers_that_the_rows_cannot_fill_are_an_error():
    with pytest.raises(LookalikeError, match="cannot all be tried on 5 rows"):
        choose_clusters(rng.normal(size=(5, 2)), [2, 5])
