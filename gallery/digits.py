"""The digits of the book: test images of MNIST, the first to learn from, the next to test with.

Data: LOOKALIKE_DATA names the folder of mnist.npz.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from lookalike.data import gather, sample


def digits(*wanted, train=300, test=300):
    """Return rows and labels to learn from, then rows and labels to test with."""
    chunk = gather(sample("mnist", "test"))
    X, y = np.asarray(chunk.X, np.float64), np.asarray(chunk.y)
    rows = [np.flatnonzero(y == digit)[: train + test] for digit in wanted]
    learn = np.concatenate([own[:train] for own in rows])
    reference = np.concatenate([own[train:] for own in rows])
    return X[learn], y[learn], X[reference], y[reference]


def folder() -> Path:
    """Return the folder of the pictures, --out."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("build/gallery"))
    return parser.parse_args().out
