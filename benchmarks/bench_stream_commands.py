"""Commands from Parquet to Parquet: their share of the reader's own speed, and their most memory.

A folder of Parquet files, larger than the memory budget, is read by the package's reader alone and
by every command; each in a process of its own, whose whole time counts. A command that reads the
rows several times is compared with as many readings.

Run: python -m benchmarks.bench_stream_commands [--gigabytes 4] [--memory 500MB] [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.timing import heading
from lookalike import KMeans, LinearDiscriminantAnalysis, save

COLUMNS, FILES, CLASSES, LEAST = 64, 8, 4, 0.7
NAMES = [f"x{j}" for j in range(COLUMNS)]
READ = """
import sys
from lookalike.data import open_source
print(sum(len(chunk.X) for chunk in open_source(sys.argv[1]).chunks()))
"""
ARROW = """
import glob, sys
import pyarrow.parquet as pq
files = sorted(glob.glob(sys.argv[1] + "/*.parquet"))
for file in map(pq.ParquetFile, files):
    print(sum(len(batch) for batch in file.iter_batches(100_000, use_threads=False)))
"""


def block(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows around one center a class, and the classes."""
    rng = np.random.default_rng(seed)
    centers = np.random.default_rng(0).normal(size=(CLASSES, COLUMNS)).astype(np.float32)
    y = rng.integers(0, CLASSES, n)
    return centers[y] + rng.standard_normal((n, COLUMNS), dtype=np.float32), y


def write_folder(folder: Path, rows: int) -> None:
    for number in range(FILES):
        schema = pa.schema([pa.field(name, pa.float32(), nullable=False) for name in NAMES])
        with pq.ParquetWriter(
            folder / f"{number:03d}.parquet", schema, compression="none", use_dictionary=False
        ) as writer:
            X, _ = block(rows // FILES, number)
            for part in np.array_split(X, max(1, len(X) // 100_000)):
                columns = dict(zip(NAMES, map(np.ascontiguousarray, part.T), strict=True))
                writer.write_table(pa.table(columns, schema=schema))


def run(*arguments: object) -> tuple[float, float]:
    """Return the seconds and the most memory, in MB, of a process."""
    start = time.perf_counter()
    running = subprocess.Popen([sys.executable, *map(str, arguments)], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(running.pid, 0)
    seconds = time.perf_counter() - start
    running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0, arguments
    return seconds, used.ru_maxrss / 1000


def commands(folder: Path, work: Path) -> dict[str, tuple[int, tuple[object, ...]]]:
    """Return the name of each command, how often it reads the rows, and its arguments."""
    X, y = block(20_000, 99)
    train = pa.table(dict(zip(NAMES, X.T, strict=True)))
    save(KMeans(8, random_state=0).fit(train), work / "kmeans.lookalike")
    save(LinearDiscriminantAnalysis().fit(train, y), work / "lda.lookalike")
    few = work / "few.parquet"
    pq.write_table(pa.table(dict(zip(NAMES, X[:16].T, strict=True))), few)
    out = work / "out.parquet"
    return {
        "predict, k-means of 8": (1, ("predict", work / "kmeans.lookalike", folder, "-o", out)),
        "predict, discriminant analysis": (
            1,
            ("predict", work / "lda.lookalike", folder, "-o", out),
        ),
        "reduce to 2 components": (2, ("reduce", folder, "-o", out)),
        "neighbors among 16 rows": (1, ("neighbors", few, "--query", folder, "-k", 1, "-o", out)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--memory", default="500MB")
    parser.add_argument("--folder")
    chosen = parser.parse_args()
    heading(f"commands from Parquet to Parquet, --memory {chosen.memory}")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        folder, work = Path(name) / "rows", Path(name) / "work"
        folder.mkdir()
        work.mkdir()
        rows = int(chosen.gigabytes * 1e9 / (4 * COLUMNS))
        maker = multiprocessing.get_context("spawn").Process(
            target=write_folder, args=(folder, rows)
        )
        maker.start()  # what it takes is not counted as memory of the commands
        maker.join()
        size = sum(file.stat().st_size for file in folder.iterdir()) / 1e9
        print(f"  {rows:,} rows x {COLUMNS} float32 in {FILES} files, {size:.2f} GB, in page cache")
        run("-c", READ, folder)
        arrow, _ = run("-c", ARROW, folder)
        reader, peak = min(run("-c", READ, folder) for _ in range(2))
        print(f"  {'pyarrow, batches alone':32} {arrow:7.2f} s {size / arrow:6.2f} GB/s")
        print(f"  {'the reader alone':32} {reader:7.2f} s {size / reader:6.2f} GB/s", end="")
        print(f"                                          most memory {peak:5.0f} MB")
        shares = {}
        for title, (times, arguments) in commands(folder, work).items():
            program = ("-m", "lookalike", "--memory", chosen.memory, *arguments)
            seconds, peak = min(run(*program) for _ in range(2))
            shares[title] = times * reader / seconds
            print(f"  {title:32} {seconds:7.2f} s {times * size / seconds:6.2f} GB/s", end="")
            print(f"  {shares[title]:4.0%} of the reader", end="")
            print(f" ({times} readings)" if times > 1 else " (one reading)", end="")
            print(f"  most memory {peak:5.0f} MB")
        slow = [title for title, share in shares.items() if share < LEAST]
        print(f"  less than {LEAST:.0%} of the reader's own speed: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
