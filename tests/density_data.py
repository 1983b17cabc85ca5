"""Eight data sets on which density models are compared with scikit-learn's."""

from __future__ import annotations

import numpy as np
from sklearn import datasets


def _scaled(X):
    return (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)


def _uneven():
    rng = np.random.default_rng(3)
    dense, loose = rng.normal(size=(200, 3)) * 0.05, rng.normal(size=(150, 3)) * 0.4 + 3.0
    return np.concatenate([dense, loose, rng.uniform(-6, 6, (30, 3))])


DATA_SETS = {
    "iris": lambda: _scaled(datasets.load_iris().data) + _jitter(150, 4),
    "wine": lambda: _scaled(datasets.load_wine().data),
    "breast cancer": lambda: _scaled(datasets.load_breast_cancer().data),
    "digits": lambda: datasets.load_digits().data[:500] / 16.0 + _jitter(500, 64),
    "moons": lambda: datasets.make_moons(400, noise=0.06, random_state=0)[0],
    "circles": lambda: datasets.make_circles(400, noise=0.04, factor=0.5, random_state=0)[0],
    "blobs": lambda: datasets.make_blobs(500, 8, centers=6, cluster_std=1.2, random_state=0)[0],
    "uneven": _uneven,
}


def _jitter(n_rows, n_columns):
    """Return noise that tells copies apart, so that no tie decides."""
    return np.random.default_rng(0).normal(size=(n_rows, n_columns)) * 1e-6
