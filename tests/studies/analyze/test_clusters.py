"""Clusters are claimed where rows have them, and not where k-means divides one group."""

from __future__ import annotations

import time

import numpy as np
import pytest

from lookalike import study
from lookalike.studies.analyze.clusters import compare_numbers

WITHOUT_CLUSTERS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "uniform": lambda rng, shape: rng.uniform(size=shape),
    "t": lambda rng, shape: rng.standard_t(3, size=shape),
    "t with common scale": lambda rng, shape: (
        rng.normal(size=shape) / np.sqrt(rng.chisquare(3, size=(shape[0], 1)))
    ),
    "exponential": lambda rng, shape: rng.exponential(size=shape),
    "lognormal": lambda rng, shape: rng.lognormal(size=shape),
    "correlated normal": lambda rng, shape: (
        rng.normal(size=shape) @ rng.normal(size=[shape[1]] * 2)
    ),
    "correlated exponential": lambda rng, shape: (
        rng.exponential(size=(shape[0], 1)) + 0.5 * rng.exponential(size=shape)
    ),
    "correlated lognormal": lambda rng, shape: np.exp(
        0.8 * rng.normal(size=(shape[0], 1)) + 0.6 * rng.normal(size=shape)
    ),
    "independent categories": lambda rng, shape: rng.integers(2, size=shape).astype(float),
}


def scaled(X):
    """Return the columns with mean 0 and variance 1."""
    return (X - X.mean(axis=0)) / X.std(axis=0)


def has_clusters(X, seed):
    """Return whether silhouettes of the rows exceed those of chance."""
    numbers = compare_numbers(scaled(X), seed)
    return numbers.silhouette.max() > numbers.chance


@pytest.mark.parametrize("kind", WITHOUT_CLUSTERS)
def test_rows_of_one_distribution_have_no_clusters(kind):
    draw = WITHOUT_CLUSTERS[kind]
    claims = [
        has_clusters(draw(np.random.default_rng(seed), (250, width)), seed)
        for seed in range(4)
        for width in (2, 8)
    ]
    assert not any(claims)


def blobs(rng, n_clusters, width):
    """Return rows around centers that are at least 6 standard deviations apart."""
    centers = rng.normal(size=(n_clusters, width))
    gaps = np.sqrt(((centers[:, None] - centers[None]) ** 2).sum(axis=2))
    centers *= 6 / gaps[np.triu_indices(n_clusters, 1)].min()
    label = rng.integers(n_clusters, size=300)
    return centers[label] + rng.normal(size=(300, width))


@pytest.mark.parametrize("width", [2, 6, 20])
def test_separate_groups_are_clusters(width):
    found = [
        has_clusters(blobs(np.random.default_rng(seed), n_clusters, width), seed)
        for seed in range(4)
        for n_clusters in (2, 3, 6)
    ]
    assert all(found)


def test_the_sentence_says_what_rows_without_clusters_reach():
    skewed = study(np.random.default_rng(0).exponential(size=(300, 3)), time=None)
    (text,) = (one.text for one in skewed.summary if one.topic == "clustering")
    assert "no clear clusters" in text
    assert "without clusters" in text
    rng = np.random.default_rng(0)
    centers = np.repeat([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]], 60, axis=0)
    found = study(centers + rng.normal(size=centers.shape), time=None)
    assert "3 clearly separated clusters" in str(found)
    assert max(found.clustering.silhouette) > found.clustering.chance_silhouette


def test_comparing_numbers_takes_about_a_second():
    Z = np.random.default_rng(0).normal(size=(2000, 20))
    begin = time.process_time()
    compare_numbers(Z, 0)
    assert time.process_time() - begin < 4  # half a second where no other program runs
