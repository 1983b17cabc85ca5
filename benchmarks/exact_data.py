"""The rows and queries of the tables of exact search, kind and hostile."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np


def load(name: str, quick: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and queries of the data set `name`, fewer of both when `quick`."""
    return DATA[name](quick, np.random.default_rng(0))


def lacks_file(name: str) -> bool:
    """Return whether the data set lies in a file that is not there."""
    file = {"mnist": "mnist.npz", "sift": "siftsmall.npz"}.get(name)
    return file is not None and not (Path(os.environ.get("LOOKALIKE_DATA", "")) / file).is_file()


def mnist(quick, rng):  # noqa: ARG001 - nothing is drawn
    with np.load(Path(os.environ["LOOKALIKE_DATA"]) / "mnist.npz") as data:
        X, Q = (data[name].reshape(-1, 784) for name in ("x_train", "x_test"))
    X, Q = (part.astype(np.float32) / 255 for part in (X, Q))
    return (X[:10_000], Q[:500]) if quick else (X, Q)


def sift(quick, rng):
    with np.load(Path(os.environ["LOOKALIKE_DATA"]) / "siftsmall.npz") as data:
        rows = np.concatenate([data["base"], data["learn"]]).astype(np.float32)
    n = 30_000 if quick else 300_000
    X = np.resize(rows, (n, 128)) + rng.normal(0, 2, (n, 128)).astype(np.float32)
    picked = rows[rng.choice(len(rows), 500 if quick else 5000)]
    return X, picked + rng.normal(0, 4, picked.shape).astype(np.float32)


def gaussian(quick, rng):
    n, queries = (20_000, 300) if quick else (100_000, 5000)
    return tuple(rng.standard_normal((size, 128)).astype(np.float32) for size in (n, queries))


def outlier(quick, rng):
    X, Q = gaussian(quick, rng)
    X[777] = 1e5
    return X, Q


def grid(quick, rng):
    return tuple(np.rint(part).clip(-1, 1) for part in gaussian(quick, rng))


def copies(quick, rng):
    X, Q = gaussian(quick, rng)
    return np.repeat(X[: len(X) // 5], 5, axis=0), Q


def offset(quick, rng):
    return tuple(part + np.float32(1e4) for part in gaussian(quick, rng))


DATA = {
    "mnist": mnist,
    "sift": sift,
    "gaussian": gaussian,
    "outlier": outlier,
    "grid": grid,
    "copies": copies,
    "offset": offset,
}
