"""The digits of the books: images of MNIST, and two features that describe an image."""

from __future__ import annotations

import numpy as np

from lookalike.data import gather, sample

SIDE = 28


def digits(*wanted, train=300, test=300):
    """Return rows and labels to learn from, then rows and labels to test with [Barber, ex. 14.1].

    They are test images of MNIST: the first of each digit to learn from, the next to test with.
    """
    chunk = gather(sample("mnist", "test"))
    X, y = np.asarray(chunk.X, np.float64), np.asarray(chunk.y)
    rows = [np.flatnonzero(y == digit)[: train + test] for digit in wanted]
    learn = np.concatenate([own[:train] for own in rows])
    later = np.concatenate([own[train:] for own in rows])
    return X[learn], y[learn], X[later], y[later]


def two_features(n_rows: int):
    """Return intensity and symmetry of the first training images of MNIST, and their labels.

    The features of the pictures of [UGR]: the mean of the pixels, and how much the image is like
    its mirror image (0 is the same). Both are brought to deviation 1.
    """
    chunk = gather(sample("mnist"))
    images = np.asarray(chunk.X[:n_rows], np.float64).reshape(-1, SIDE, SIDE) / 255
    intensity = images.mean(axis=(1, 2))
    symmetry = -np.abs(images - images[:, :, ::-1]).mean(axis=(1, 2))
    X = np.column_stack([(intensity - 0.131) / 0.044, (symmetry + 0.117) / 0.044])
    return X, np.asarray(chunk.y[:n_rows], int)
