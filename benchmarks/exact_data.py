"""The rows and queries of the tables of exact search, kind and hostile."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

DATA_FILES = {
    **dict.fromkeys(("mnist", "images"), "mnist.npz"),
    **dict.fromkeys(("sift", "sift_million"), "siftsmall.npz"),
}


def load(name: str, quick: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and queries of the data set `name`, fewer of both when `quick`."""
    return DATA[name](quick, np.random.default_rng(0))


def lacks_file(name: str) -> bool:
    """Return whether the data set lies in a file that is not there."""
    file = DATA_FILES.get(name)
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


def images(quick, rng):
    """Blends of digits with noise: about twice as many directions matter as in digits."""
    X, Q = mnist(quick, rng)

    def blend(A):
        others = X[rng.integers(0, len(X), (len(A), 3))].sum(axis=1)
        return (0.5 * A + 0.3 * others + rng.normal(0, 0.04, A.shape)).astype(np.float32)

    return blend(X), blend(Q)


def sift_million(quick, rng):
    with np.load(Path(os.environ["LOOKALIKE_DATA"]) / "siftsmall.npz") as data:
        rows = np.concatenate([data["base"], data["learn"]]).astype(np.float32)
    n = 30_000 if quick else 1_000_000
    X = np.resize(rows, (n, 128)) + 8 * rng.standard_normal((n, 128), np.float32)
    picked = rows[rng.choice(len(rows), 100 if quick else 1000)]
    return X, picked + 8 * rng.standard_normal(picked.shape, np.float32)


def unit_vectors(quick, rng):
    """Unit vectors near 500 centers, as of texts: Euclidean neighbors are those by cosine."""
    n, queries = (20_000, 100) if quick else (300_000, 1000)
    axes = rng.standard_normal((256, 768), np.float32) / np.sqrt(np.arange(1, 257))[:, None]
    centers = rng.standard_normal((500, 256), np.float32)

    def draw(count):
        inner = 0.8 * centers[rng.integers(0, 500, count)]
        inner += 0.7 * rng.standard_normal((count, 256), np.float32)
        rows = inner @ axes.astype(np.float32)
        rows += 0.15 * rng.standard_normal((count, 768), np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    return draw(n), draw(queries)


def lengths(quick, rng):
    X, Q = gaussian(quick, rng)
    return tuple((A * 10 ** rng.uniform(-3, 3, (len(A), 1))).astype(np.float32) for A in (X, Q))


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
    "images": images,
    "sift": sift,
    "sift_million": sift_million,
    "unit_vectors": unit_vectors,
    "lengths": lengths,
    "gaussian": gaussian,
    "outlier": outlier,
    "grid": grid,
    "copies": copies,
    "offset": offset,
}
