"""PCA against other libraries: tall rows, a wide table, a file larger than memory.

Run: python -m benchmarks.bench_pca [--quick] [--only tall|leading|streamed]
A full run takes about 2 minutes on two cores.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import decomposition as theirs

from benchmarks.timing import BenchParser, heading, race
from lookalike import PCA
from lookalike.settings import config


def tall(n_rows: int, rounds: int) -> None:
    """60k x 784 to 50 components, float32."""
    X = digits(n_rows)
    ways: dict[str, Callable[[], Any]] = {"lookalike": lambda: PCA(n_components=50).fit(X)}
    try:
        from sklearnex import decomposition as intel

        ways["scikit-learn-intelex"] = lambda: intel.PCA(50, svd_solver="covariance_eigh").fit(X)
    except ImportError:
        print("scikit-learn-intelex is not installed: left out")
    ways["scikit-learn covariance_eigh"] = lambda: theirs.PCA(50, svd_solver="covariance_eigh").fit(
        X
    )
    race(f"PCA, {X.shape[0]} x {X.shape[1]} float32 -> 50, exact", ways, rounds=rounds)


def leading(size: int, rounds: int) -> None:
    """The 20 leading directions of a wide table, at the accuracy of scikit-learn's randomized."""
    X = decaying(size, size)
    rival = theirs.PCA(20, svd_solver="randomized", random_state=0)
    reached = residual(X, rival.fit(X).components_)
    ours = PCA(n_components=20, svd_solver="leading", tol=reached)
    ours_reached = residual(X, ours.fit(X).components_)
    print(f"\nresidual of scikit-learn randomized {reached:.1e}, of ours {ours_reached:.1e}")
    race(
        f"Leading 20 of {size} x {size} float32, no larger a residual",
        {"lookalike leading": lambda: ours.fit(X), "scikit-learn randomized": lambda: rival.fit(X)},
        rounds=min(3, rounds),
    )


def streamed(gigabytes: float, folder: Path) -> None:
    """One pass over a file, each rival in a process of its own whose peak memory is read.

    IncrementalPCA takes some 28 times as long as ours, as long for each row: it reads an eighth.
    """
    n_features = 784
    n_rows = int(gigabytes * 1e9 / 4 / n_features)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "rows.npy"
        write_rows(path, n_rows, n_features)
        print(f"\nPCA over a file of {path.stat().st_size / 1e9:.2f} GB, {n_rows} x {n_features}")
        for rival, share in (("lookalike", 1), ("IncrementalPCA", 8)):
            count = n_rows // share
            seconds, cpu, peak = measured(rival, path, count)
            print(
                f"  {rival:<14} {seconds:8.2f} s, CPU {cpu:8.2f} s, peak {peak / 1e6:6.0f} MB"
                f"{f'; of {count} rows, {share * seconds:.0f} s for all' if share > 1 else ''}"
            )


def digits(n_rows: int) -> np.ndarray:
    """Return MNIST where LOOKALIKE_DATA names it, rows of the same shape elsewhere."""
    folder = os.environ.get("LOOKALIKE_DATA")
    if folder:
        with np.load(Path(folder) / "mnist.npz") as archive:
            return archive["x_train"][:n_rows].reshape(n_rows, -1).astype(np.float32) / 255
    return decaying(n_rows, 784)


def decaying(n_rows: int, n_columns: int) -> np.ndarray:
    """Return rows whose variances fall as 1 / k along 100 directions, plus noise."""
    rng = np.random.default_rng(0)
    scale = (1.0 / np.sqrt(np.arange(1, 101))).astype(np.float32)
    X = rng.standard_normal((n_rows, n_columns), dtype=np.float32) * np.float32(0.05)
    X += (rng.standard_normal((n_rows, 100), dtype=np.float32) * scale) @ rng.standard_normal(
        (100, n_columns), dtype=np.float32
    )
    return X


def residual(X: np.ndarray, components: np.ndarray) -> float:
    """Return the largest |S u - v u| / v1 over the directions, in float64 blocks."""
    U, mean = components.astype(np.float64).T, X.mean(axis=0, dtype=np.float64)
    product = np.zeros_like(U)
    for start in range(0, len(X), 1000):
        block = X[start : start + 1000] - mean
        product += block.T @ (block @ U)
    values = (U * product).sum(axis=0)
    return float(np.linalg.norm(product - U * values, axis=0).max() / values.max())


def write_rows(path: Path, n_rows: int, n_features: int) -> None:
    """Write random float32 rows to an .npy file, block by block."""
    rng = np.random.default_rng(0)
    turn = rng.standard_normal((n_features, n_features), dtype=np.float32)
    turn *= (1.0 / np.arange(1, n_features + 1, dtype=np.float32))[:, None]
    rows = np.lib.format.open_memmap(path, "w+", np.float32, (n_rows, n_features))
    for start in range(0, n_rows, 10_000):
        stop = min(n_rows, start + 10_000)
        rows[start:stop] = rng.standard_normal((stop - start, n_features), dtype=np.float32) @ turn
    rows.flush()


def measured(rival: str, path: Path, n_rows: int) -> tuple[float, float, float]:
    """Run one rival in a process of its own; return its seconds, CPU seconds and peak bytes."""
    command = [sys.executable, "-m", "benchmarks.bench_pca", "--child", rival, "--file", str(path)]
    command += ["--rows", str(n_rows)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(answer[-3]), float(answer[-2]), float(answer[-1])


def child(rival: str, path: Path, most: int) -> None:
    """Fit one rival on the first rows, read in blocks: mapped pages do not count as memory."""
    start, used = time.perf_counter(), time.process_time()
    if rival == "lookalike":
        with config(memory="400MB"):
            PCA(n_components=50).fit(lambda: blocks(path, 2500, most))
    else:
        model = theirs.IncrementalPCA(n_components=50)
        for block in blocks(path, 4000, most):
            model.partial_fit(block)
    seconds, cpu = time.perf_counter() - start, time.process_time() - used
    status = Path("/proc/self/status").read_text()
    print(seconds, cpu, 1024 * float(status.split("VmHWM:")[1].split()[0]))


def blocks(path: Path, n_rows: int, most: int = sys.maxsize) -> Iterator[np.ndarray]:
    """Give the rows of an .npy file, at most `most`, in blocks that are read, not mapped."""
    with path.open("rb") as file:
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        end = min(shape[0], most)
        for start in range(0, end, n_rows):
            count = min(n_rows, end - start)
            yield np.fromfile(file, dtype, count * shape[1]).reshape(count, shape[1])


def main() -> None:
    sizes = {"rows": (60_000, 4_000), "wide": (20_000, 1_500), "gigabytes": (4.0, 0.2)}
    parser = BenchParser(__doc__, **sizes, rounds=(5, 1))
    parser.add_argument("--only", choices=["tall", "leading", "streamed"])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child, given.file, given.rows)
        return
    heading("PCA")
    if given.only in (None, "tall"):
        tall(given.rows, given.rounds)
    if given.only in (None, "leading"):
        leading(given.wide, given.rounds)
    if given.only in (None, "streamed"):
        streamed(given.gigabytes, given.folder)


if __name__ == "__main__":
    main()
