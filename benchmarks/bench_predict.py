"""`lookalike predict` on files larger than its memory: rows a second, and its most memory.

Run: python -m benchmarks.bench_predict [--quick] [--gigabytes 2] [--memory 300MB]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from sklearn.datasets import load_digits

from benchmarks.timing import BenchParser, heading
from lookalike import KNeighborsClassifier, save
from lookalike.data import open_source

BLOCK = 20_000  # rows that are written again and again


def main() -> None:
    sizes = {"gigabytes": (2.0, 0.05), "memory": ("300MB", "300MB")}
    options = BenchParser(__doc__, **sizes).parse_args()
    heading(f"predict, {options.gigabytes:g} GB files, --memory {options.memory}")
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    rows = X[rng.integers(len(X), size=BLOCK)] + rng.normal(size=(BLOCK, X.shape[1]))
    block = pa.table({f"x{j}": column for j, column in enumerate(rows.T)})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train = open_source(pa.table({f"x{j}": column for j, column in enumerate(X.T)}))
        save(KNeighborsClassifier().fit(train, y), folder / "model.lookalike")
        expected = KNeighborsClassifier().fit(X, y).predict(rows)
        for write in (write_csv, write_parquet):
            path, count = write(block, folder, options.gigabytes * 1e9)
            ask(path, count, folder, options.memory, expected)
            path.unlink()


def write_csv(block: pa.Table, folder: Path, size: float) -> tuple[Path, int]:
    path, part = folder / "rows.csv", folder / "part.csv"
    pa.csv.write_csv(block, part, pa.csv.WriteOptions(include_header=False))
    lines = part.read_bytes()
    times = int(size // len(lines)) + 1
    with path.open("wb") as file:
        file.write((",".join(block.column_names) + "\n").encode())
        for _ in range(times):
            file.write(lines)
    return path, times * len(block)


def write_parquet(block: pa.Table, folder: Path, size: float) -> tuple[Path, int]:
    path = folder / "rows.parquet"
    times = 0
    with pa.parquet.ParquetWriter(path, block.schema, compression="none") as writer:
        while path.stat().st_size < size:
            writer.write_table(block)
            times += 1
    return path, times * len(block)


def ask(path: Path, count: int, folder: Path, memory: str, expected: np.ndarray) -> None:
    out = folder / "answers.csv"
    command = [sys.executable, "-m", "lookalike", "--memory", memory, "predict"]
    start = time.perf_counter()
    running = subprocess.Popen([*command, folder / "model.lookalike", path, "-o", out])
    _, status, used = os.wait4(running.pid, 0)
    seconds = time.perf_counter() - start
    running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0
    answers = np.loadtxt(out, delimiter=",", skiprows=1, usecols=1, max_rows=3 * BLOCK, dtype=int)
    same = np.array_equal(answers, np.tile(expected, 3)[: len(answers)])
    print(f"{path.suffix[1:]}, {path.stat().st_size / 1e9:.2f} GB, {count} rows")
    print(f"  {seconds:.1f} s, {count / seconds:,.0f} rows a second")
    print(f"  most memory of the process: {used.ru_maxrss / 1024:.0f} MiB")
    print(f"  first {len(answers)} answers as of the rows in memory: {'yes' if same else 'NO'}")


if __name__ == "__main__":
    main()
