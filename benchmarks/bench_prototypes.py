"""Condensing and editing MNIST: how long, how many rows are kept, and what they still answer.

Run: LOOKALIKE_DATA=folder python -m benchmarks.bench_prototypes [--quick]
"""

from __future__ import annotations

import time

import numpy as np

from benchmarks.timing import BenchParser, heading
from lookalike import CondensedNearestNeighbour, EditedNearestNeighbours, KNeighborsClassifier
from lookalike.data import gather, sample


def main() -> None:
    options = BenchParser(__doc__, rows=(60_000, 3_000), others=(10_000, 500)).parse_args()
    heading("prototype selection")
    train, test = (gather(sample("mnist", part)) for part in ("train", "test"))
    X, y = train.X[: options.rows].astype(np.float32), train.y[: options.rows]
    later, truth = test.X[: options.others].astype(np.float32), test.y[: options.others]
    whole = np.mean(KNeighborsClassifier(1).fit(X, y).predict(later) == truth)
    print(f"  all {len(X)} rows: accuracy {whole:.4f} on {len(later)} others")
    for model in (CondensedNearestNeighbour(), EditedNearestNeighbours(repeats=1)):
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
        right = np.mean(model.predict(later) == truth)
        line = f"{type(model).__name__}: {seconds:.1f} s, {len(model.rows_)} rows kept"
        print(f"  {line}, accuracy {right:.4f}; fitted rows predicted alike {model.agreement_:.4f}")
        if hasattr(model, "consistent_"):
            print(f"  consistent: {model.consistent_}")


if __name__ == "__main__":
    main()
