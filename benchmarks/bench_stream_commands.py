"""Commands from Parquet to Parquet: their share of the reader's own speed, and their most memory.

What is compared: a folder of Parquet files, larger than the memory budget, is read by every
command, which writes a Parquet file of its answers. The reader is a process that reads the same
files in the same chunks by the package's own source and writes a Parquet file of the same shape and
types, of random numbers, by the same writer, without any model. Each runs in a process of its own,
whose whole time counts, start included. A command that reads the rows twice is compared with two
readings.

The processor time of all threads is printed as well: where others use the machine, it says more
than the clock.

Run: python -m benchmarks.bench_stream_commands [--quick] [--gigabytes 4] [--memory 500MB]
[--folder FOLDER]
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.timing import BenchParser, heading
from lookalike import KMeans, LinearDiscriminantAnalysis, Ridge, save

COLUMNS, FILES, CLASSES, LEAST = 64, 8, 4, 0.7
NAMES = [f"x{j}" for j in range(COLUMNS)]
READ = """
import sys
from pathlib import Path
import numpy as np
from lookalike.data import open_source
from lookalike.data.write.atomic_write import replace_file
from lookalike.data.write.parquet import write_columns
from lookalike.settings import config

_, folder, out, memory, times, *types = sys.argv
config(memory=memory)
rng = np.random.default_rng(0)
numbers = [
    rng.random(1 << 20).astype(one) if one.startswith("f") else rng.integers(0, 8, 1 << 20, one)
    for one in types
]

def pieces():
    for number in range(int(times)):
        for chunk in open_source(folder).chunks():
            rows = len(chunk.X)
            if number == 0:
                columns = {str(j): np.resize(one, rows) for j, one in enumerate(numbers)}
                yield {"row": np.arange(chunk.offset, chunk.offset + rows), **columns}

replace_file(Path(out), lambda file: write_columns(file, pieces()))
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


class Used(NamedTuple):
    """What a process took."""

    seconds: float
    cpu: float  # seconds of all its threads
    memory: float  # the most, in MB


class Command(NamedTuple):
    """A command, how often it reads the rows, and the columns that it writes after the first."""

    arguments: tuple[object, ...]
    readings: int
    types: tuple[str, ...]


def run(runs: int, *arguments: object) -> Used:
    """Return what a process took: the shortest of some runs."""
    return min(_run(*arguments) for _ in range(runs))


def _run(*arguments: object) -> Used:
    start = time.perf_counter()
    running = subprocess.Popen([sys.executable, *map(str, arguments)], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(running.pid, 0)
    seconds = time.perf_counter() - start
    running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0, arguments
    return Used(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)


def commands(folder: Path, work: Path) -> dict[str, Command]:
    """Return the commands by name."""
    X, y = block(20_000, 99)
    train = pa.table(dict(zip(NAMES, X.T, strict=True)))
    models = {
        "k-means of 8": (KMeans(8, random_state=0).fit(train), "int32"),
        "discriminant analysis": (LinearDiscriminantAnalysis().fit(train, y), "int64"),
        "ridge regression": (Ridge().fit(train, X @ np.ones(COLUMNS)), "float64"),
    }
    few = work / "few.parquet"
    pq.write_table(pa.table(dict(zip(NAMES, X[:16].T, strict=True))), few)
    out = work / "out.parquet"
    found = {}
    for number, (title, (model, kind)) in enumerate(models.items()):
        path = work / f"{number}.lookalike"
        save(model, path)
        found[f"predict, {title}"] = Command(("predict", path, folder, "-o", out), 1, (kind,))
    found["reduce to 2 components"] = Command(("reduce", folder, "-o", out), 2, ("float64",))
    near = ("neighbors", few, "--query", folder, "-k", 1, "-o", out)
    found["neighbors among 16 rows"] = Command(near, 1, ("int64", "int64", "float32"))
    return found


def main() -> None:
    sizes = {"gigabytes": (4.0, 0.02), "memory": ("500MB", "500MB"), "runs": (2, 1)}
    parser = BenchParser(__doc__, **sizes)
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
        arrow = run(chosen.runs, "-c", ARROW, folder)
        print(f"  {'pyarrow, batches alone':30} {_taken(arrow, size)}")
        slow = []
        for title, command in commands(folder, work).items():
            program = ("-m", "lookalike", "--memory", chosen.memory, *command.arguments)
            used = run(chosen.runs, *program)
            read = (folder, work / "read.parquet", chosen.memory, command.readings)
            reader = run(chosen.runs, "-c", READ, *read, *command.types)
            share = reader.seconds / used.seconds
            times = f", {command.readings} readings" if command.readings > 1 else ""
            print(f"  {title:30} {_taken(used, command.readings * size)}")
            print(f"  {'    the reader' + times:30} {_taken(reader, command.readings * size)}")
            print(f"  {'    share':30} {share:6.0%} of the reader's speed", flush=True)
            slow += [title] if share < LEAST else []
        print(f"  less than {LEAST:.0%} of the reader's own speed: {', '.join(slow) or 'none'}")


def _taken(used: Used, size: float) -> str:
    return (
        f"{used.seconds:7.2f} s {size / used.seconds:6.2f} GB/s, processor {used.cpu:6.2f} s, "
        f"most memory {used.memory:5.0f} MB"
    )


if __name__ == "__main__":
    main()
