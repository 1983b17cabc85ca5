"""PCA against other libraries: tall rows, a wide table, a file larger than memory.

Run: python -m benchmarks.bench_pca [--quick] [--only tall|leading|streamed]
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

from benchmarks.timing import heading, race
from lookalike import PCA
from lookalike.settings import config


def tall(quick: bool) -> None:
    """60k x 784 to 50 components, float32."""
    X = digits(10_000 if quick else 60_000)
    ways: dict[str, Callable[[], Any]] = {"lookalike": lambda: PCA(n_components=50).fit(X)}
    try:
        from sklearnex import decomposition as intel

        ways["scikit-learn-intelex"] = lambda: intel.PCA(50, svd_solver="covariance_eigh").fit(X)
    except ImportError:
        print("scikit-learn-intelex is not installed: left out")
    ways["scikit-learn covariance_eigh"] = lambda: theirs.PCA(50, svd_solver="covariance_eigh").fit(
        X
    )
    race(f"PCA, {X.shape[0]} x {X.shape[1]} float32 -> 50, exact", ways)


def leading(size: int) -> None:
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
        rounds=3,
    )


def streamed(gigabytes: float, folder: Path) -> None:
    """One pass over a file, each rival in a process of its own whose peak memory is read."""
    n_features = 784
    n_rows = int(gigabytes * 1e9 / 4 / n_features)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "rows.npy"
        write_rows(path, n_rows, n_features)
        print(f"\nPCA over a file of {path.stat().st_size / 1e9:.2f} GB, {n_rows} x {n_features}")
        for rival in ("lookalike", "IncrementalPCA"):
            seconds, cpu, peak = measured(rival, path)
            print(f"  {rival:<14} {seconds:8.2f} s, CPU {cpu:8.2f} s, peak {peak / 1e6:6.0f} MB")


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


def measured(rival: str, path: Path) -> tuple[float, float, float]:
    """Run one rival in a process of its own; return its seconds, CPU seconds and peak bytes."""
    command = [sys.executable, "-m", "benchmarks.bench_pca", "--child", rival, "--file", str(path)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(answer[-3]), float(answer[-2]), float(answer[-1])


def child(rival: str, path: Path) -> None:
    """Fit one rival on the file, read in blocks so that mapped pages do not count as memory."""
    start, used = time.perf_counter(), time.process_time()
    if rival == "lookalike":
        with config(memory="400MB"):
            PCA(n_components=50).fit(lambda: blocks(path, 2500))
    else:
        model = theirs.IncrementalPCA(n_components=50)
        for block in blocks(path, 4000):
            model.partial_fit(block)
    seconds, cpu = time.perf_counter() - start, time.process_time() - used
    status = Path("/proc/self/status").read_text()
    print(seconds, cpu, 1024 * float(status.split("VmHWM:")[1].split()[0]))


def blocks(path: Path, n_rows: int) -> Iterator[np.ndarray]:
    """Give the rows of an .npy file in blocks that are read, not mapped."""
    with path.open("rb") as file:
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        for start in range(0, shape[0], n_rows):
            count = min(n_rows, shape[0] - start)
            yield np.fromfile(file, dtype, count * shape[1]).reshape(count, shape[1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=["tall", "leading", "streamed"])
    parser.add_argument("--gigabytes", type=float)
    parser.add_argument("--size", type=int, help="rows and columns of the wide table")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child, given.file)
        sys.exit()
    heading("PCA")
    if given.only in (None, "tall"):
        tall(given.quick)
    if given.only in (None, "leading"):
        leading(given.size or (4000 if given.quick else 20_000))
    if given.only in (None, "streamed"):
        streamed(given.gigabytes or (0.4 if given.quick else 4.0), given.folder)
