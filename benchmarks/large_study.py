"""A study of 500,000 rows x 54 columns whose classes lie on a surface of few dimensions.

Ten columns are smooth functions of three numbers, the others one-hot, as of forest cover. Prints
the held-out errors, the seconds and the peak memory.

Run: python -m benchmarks.large_study [--quick] [--rows 500000]
"""

from __future__ import annotations

import resource
import time

import numpy as np

import lookalike
from benchmarks.timing import BenchParser

CLASSES = 7
SOILS, AREAS = 40, 4


def cover(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and classes: regions of the three numbers behind the columns."""
    rng = np.random.default_rng(0)
    place = rng.uniform(size=(n, 3))
    smooth = np.sin(place @ rng.normal(size=(3, 10)) * 2)
    soil = (place[:, 0] * SOILS).astype(int)
    area = (place[:, 1] * AREAS).astype(int)
    one_hot = [np.eye(SOILS)[soil] * 0.5, np.eye(AREAS)[area] * 0.5]
    X = np.hstack([smooth, *one_hot]).astype(np.float32)
    waves = np.sin(place @ rng.normal(size=(3, CLASSES)) * 8)
    return X, waves.argmax(axis=1)


def main() -> None:
    """Print the result."""
    options = BenchParser(__doc__, rows=(500_000, 1_500), time=("5m", "8s")).parse_args()
    n = options.rows
    X, y = cover(n)
    start = time.perf_counter()
    study = lookalike.study(X, y, task="classification", memory="2GB", time=options.time)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    assert study.held_out is not None
    print(f"{n:,} rows x {X.shape[1]} columns, winner {study.winner}")
    print(f"held-out error {study.held_out.error:.4f}, {seconds:.0f} s, peak {peak:.2f} GB")
    for one in study.candidates:
        error = "" if one.validation_error is None else f"{one.validation_error:.4f}"
        print(f"  {one.title:50} {error:8} {one.seconds:6.1f} s  {one.skipped}")


if __name__ == "__main__":
    main()
