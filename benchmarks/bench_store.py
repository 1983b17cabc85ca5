"""Save and load compared with joblib and pickle, which run what a file says and check nothing.

Run: python -m benchmarks.bench_store [--quick]
"""

from __future__ import annotations

import pickle
import tempfile
import time
from pathlib import Path

import joblib
import numpy as np
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline

from benchmarks.timing import BenchParser, heading, race
from lookalike import PCA, KNeighborsClassifier, StandardScaler, load, save
from lookalike.index import ExactIndex


def main() -> None:
    options = BenchParser(__doc__, rows=(60_000, 2_000), rounds=(5, 1)).parse_args()
    heading("Model files")
    X, y = load_digits(return_X_y=True)
    wide = np.random.default_rng(0).standard_normal((options.rows, 784), np.float32)
    models = {
        "digits, nearest neighbors": KNeighborsClassifier().fit(X, y),
        "digits, pipeline of three": make_pipeline(
            StandardScaler(), PCA(20), KNeighborsClassifier()
        ).fit(X, y),
        f"{options.rows} x 784 float32, exact index": ExactIndex(wide),
    }
    with tempfile.TemporaryDirectory() as folder:
        for title, model in models.items():
            compare(title, model, Path(folder), options.rounds)


def compare(title: str, model: object, folder: Path, rounds: int) -> None:
    ours, plain, mapped = folder / "model.lookalike", folder / "pickle", folder / "joblib"
    race(
        f"save: {title}",
        {
            "lookalike (checksum, fsync)": lambda: save(model, ours),
            "pickle": lambda: plain.write_bytes(pickle.dumps(model, protocol=5)),
            "joblib": lambda: joblib.dump(model, mapped),
        },
        rounds=rounds,
    )
    race(
        f"load: {title}, {ours.stat().st_size / 1e6:.2f} MB",
        {
            "lookalike (checksum)": lambda: load(ours),
            "pickle": lambda: pickle.loads(plain.read_bytes()),
            "joblib": lambda: joblib.load(mapped),
        },
        rounds=rounds,
    )
    start = time.process_time()
    for _ in range(5):
        load(ours)
    print(f"  processor time of one load: {(time.process_time() - start) / 5 * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
