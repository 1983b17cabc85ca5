"""PCA over files larger than the memory budget: time, and the most memory used.

Run: python -m benchmarks.bench_stream [--quick] [--gigabytes 4] [--folder FOLDER]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.timing import BenchParser, heading

COLUMNS = 250
FIT = """
import sys, time
import lookalike
lookalike.config(memory="500MB")
start = time.perf_counter()
pca = lookalike.PCA(10, engine="stream").fit(sys.argv[1])
seconds = time.perf_counter() - start
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(seconds, int(status["VmHWM"].split()[0]) / 1000, pca.n_samples_)
"""


def write_npy(path: Path, rows: int) -> None:
    rng = np.random.default_rng(0)
    file = np.lib.format.open_memmap(path, "w+", np.float32, (rows, COLUMNS))
    for start in range(0, rows, 100_000):
        stop = min(rows, start + 100_000)
        file[start:stop] = rng.standard_normal((stop - start, COLUMNS), dtype=np.float32)
    file.flush()


def write_parquet(path: Path, rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = [f"c{j}" for j in range(COLUMNS)]
    schema = pa.schema([(name, pa.float32()) for name in names])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for start in range(0, rows, 50_000):
            block = rng.standard_normal(
                (min(rows, start + 50_000) - start, COLUMNS), dtype=np.float32
            )
            writer.write_table(pa.table(dict(zip(names, block.T, strict=True)), schema=schema))


def main() -> None:
    parser = BenchParser(__doc__, gigabytes=(4.0, 0.05))
    parser.add_argument("--folder")
    chosen = parser.parse_args()
    heading("stream")
    rows = int(chosen.gigabytes * 1e9 / (4 * COLUMNS))
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        for name, write in (("rows.npy", write_npy), ("rows.parquet", write_parquet)):
            path = Path(folder) / name
            write(path, rows)
            done = subprocess.run(
                [sys.executable, "-c", FIT, str(path)], capture_output=True, text=True, check=True
            )
            seconds, peak, seen = map(float, done.stdout.split())
            assert seen == rows
            size = path.stat().st_size / 1e9
            print(f"  {name:14} {size:5.2f} GB {seconds:7.2f} s {size / seconds:5.2f} GB/s", end="")
            print(f"  most memory {peak:.0f} MB (at most 500)")
            path.unlink()


if __name__ == "__main__":
    main()
