"""Gaussian mixtures against scikit-learn: same start, same iterations, same likelihood.

Run: python -m benchmarks.bench_mixture [--quick] [--only separated|overlapping|streamed]
A full run takes about 2 minutes on two cores.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.mixture import GaussianMixture as Theirs

from benchmarks.timing import BenchParser, heading, race
from lookalike import GaussianMixture
from lookalike.settings import config

BLOCK = 500_000  # rows written at once


def em(chosen: argparse.Namespace, spread: float, title: str) -> None:
    """32 full components in 32 columns, as many iterations of both from one start."""
    d = k = 32
    n_rows, iterations = chosen.rows, chosen.iterations
    X = rows_of(n_rows, d, k, spread)
    start: dict[str, Any] = {
        "weights_init": np.full(k, 1 / k),
        "means_init": X[:k],
        "precisions_init": np.stack([np.eye(d) / X.var()] * k),
        "max_iter": iterations,
        "tol": 0.0,
    }
    ours, theirs = GaussianMixture(k, **start), Theirs(k, **start)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that few iterations do not converge
        race(
            f"EM, {n_rows} x {d}, {k} full components, {iterations} iterations, {title}",
            {"lookalike": lambda: ours.fit(X), "scikit-learn": lambda: theirs.fit(X)},
            rounds=chosen.rounds,
        )
    gap = np.abs(np.array(ours.lower_bounds_) - theirs.lower_bounds_).max()
    print(f"  log-likelihood a row {ours.lower_bound_:.9f} and {theirs.lower_bound_:.9f},")
    print(f"  differ by at most {gap:.1e} in any iteration")


def rows_of(n_rows: int, d: int, k: int, spread: float) -> np.ndarray:
    """Return rows around k centers, `spread` standard deviations of the centers."""
    rng = np.random.default_rng(0)
    centers = spread * rng.normal(size=(k, d))
    return centers[rng.integers(0, k, n_rows)] + rng.normal(size=(n_rows, d))


def streamed(gigabytes: float) -> None:
    """Three iterations over a file, in a process of its own whose peak memory is read."""
    d = 32
    n_rows = int(gigabytes * 1e9 / 4 / d)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "rows.npy"
        write_rows(path, n_rows, d)
        output = subprocess.run(
            [sys.executable, "-m", "benchmarks.bench_mixture", "--file", str(path)],
            capture_output=True,
            text=True,
            check=True,
        )
        print(f"\nEM over a file of {path.stat().st_size / 1e9:.2f} GB, {n_rows} x {d}")
        print(output.stdout, end="")


def write_rows(path: Path, n_rows: int, d: int) -> None:
    """Write rows around 8 centers as float32: one block of noise, each time about other centers."""
    rng = np.random.default_rng(0)
    centers = 3 * rng.standard_normal((8, d), np.float32)
    noise = rng.standard_normal((min(n_rows, BLOCK), d), np.float32)
    with path.open("wb") as file:
        shape = {"descr": "<f4", "fortran_order": False, "shape": (n_rows, d)}
        np.lib.format.write_array_header_1_0(file, shape)
        for begin in range(0, n_rows, BLOCK):
            size = min(BLOCK, n_rows - begin)
            (noise[:size] + centers[rng.integers(0, 8, size)]).tofile(file)


def of_file(path: str) -> None:
    """Print the time and the peak memory of three iterations over a file."""
    begin = time.perf_counter()
    with warnings.catch_warnings(), config(memory="400MB"):
        warnings.simplefilter("ignore")
        model = GaussianMixture(
            8, init_params="random_from_data", random_state=0, max_iter=3, tol=0.0, engine="stream"
        ).fit(path)
    seconds = time.perf_counter() - begin
    status = Path("/proc/self/status").read_text()  # ru_maxrss would count the parent's memory
    peak = float(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6
    print(
        f"  lookalike {seconds:.1f} s, {model.n_iter_} iterations, peak {peak:.0f} MB (at most 500)"
    )


def main() -> None:
    """Run the chosen parts."""
    sizes = {"rows": (60_000, 12_000), "iterations": (20, 3), "rounds": (2, 1)}
    parser = BenchParser(__doc__, **sizes, gigabytes=(4.0, 0.05))
    parser.add_argument("--only", choices=["separated", "overlapping", "streamed"])
    parser.add_argument("--file", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.file:
        of_file(chosen.file)
        return
    heading("Gaussian mixture")
    if chosen.only in (None, "separated"):
        em(chosen, 3.0, "components separated")
    if chosen.only in (None, "overlapping"):
        em(chosen, 1.0, "components overlapping")
    if chosen.only in (None, "streamed"):
        streamed(chosen.gigabytes)


if __name__ == "__main__":
    main()
