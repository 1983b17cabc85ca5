"""A study of a folder of 50 Parquet files that is larger than its memory, 10 GB by default.

The rows are made by this script: numbers around a center for each class, some copied, one column
with missing values, one of categories. The study runs by the threads of one process, then on a
cluster of processes. Printed are the time, the peak memory of each process, and what the study
says of all rows.

Run: python -m benchmarks.bench_scale_study [--quick] [--gigabytes 10] [--time 90s]
[--folder FOLDER] [--engines auto dask] [--workers 2] [--rows FOLDER_MADE_BEFORE]
A full run is estimated at 33 minutes on two cores, and 10 GB of disk.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import BenchParser, heading, require

COLUMNS, FILES, CLASSES, MEMORY = 40, 50, 3, 2.0
ROW_BYTES = 8 * COLUMNS + 8
STUDY = """
import json, sys, time
import lookalike

def peak():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(status["VmHWM"].split()[0]) / 1e6

if __name__ == "__main__":
    folder, engine, memory, limit, count = sys.argv[1:]
    options, workers = {}, []
    if engine == "dask":
        from distributed import Client, LocalCluster
        from lookalike.engines.local_cluster import keeping_memory
        with keeping_memory():
            cluster = LocalCluster(
                n_workers=int(count), threads_per_worker=1, memory_limit=2 * 10**9,
                dashboard_address=":0",
            )
        client = Client(cluster)
        options = {"engine": "dask", "scheduler": cluster.scheduler_address}
    start = time.perf_counter()
    study = lookalike.study(folder, target="y", memory=memory, time=limit, **options)
    seconds, cpu = time.perf_counter() - start, time.process_time()
    if engine == "dask":
        workers = list(client.run(peak).values())
        cpu += sum(client.run(time.process_time).values())
        client.close()
        cluster.close()
    rows = study.all_rows
    print(json.dumps({
        "seconds": seconds, "cpu": cpu, "peak": peak(), "workers": workers, "rows": rows.n_rows,
        "compared": rows.n_compared, "winner": study.winner, "duplicates": rows.n_duplicates,
        "error": rows.scores.error, "n": rows.scores.n_rows, "interval": rows.scores.interval,
        "sampled": study.held_out.error, "stages": study.stages,
        "stopped": [str(one) for one in study.decisions if one.choice == "stopped"],
    }, default=str))
"""


def write_file(path: Path, rows: int, seed: int) -> None:
    """Write one file: classes overlap, so that a best error near 6% exists."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    centers = np.random.default_rng(0).normal(size=(CLASSES, COLUMNS)) * 0.45
    y = rng.integers(0, CLASSES, rows)
    X = rng.standard_normal((rows, COLUMNS))
    X += centers[y]
    X[: rows // 100] = X[rows // 100 : 2 * (rows // 100)]  # copies
    y[: rows // 100] = y[rows // 100 : 2 * (rows // 100)]
    X[rng.random(rows) < 0.01, 1] = np.nan
    columns: dict[str, Any] = {f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(COLUMNS)}
    columns["y"] = np.array(["red", "green", "blue"])[y]
    table = pa.table(columns)
    pq.write_table(
        table, path, compression="none", use_dictionary=["y"], row_group_size=max(1, rows // 4)
    )


def write_folder(folder: Path, rows: int) -> None:
    for number in range(FILES):
        write_file(folder / f"part-{number:03d}.parquet", rows // FILES, number)


def main() -> None:
    sizes = {"gigabytes": (10.0, 0.02), "memory": ("2GB", "8MB"), "time": ("90s", "5s")}
    parser = BenchParser(__doc__, **sizes)
    parser.add_argument("--folder")
    parser.add_argument("--engines", nargs="+", default=["auto", "dask"])
    parser.add_argument("--workers", type=int, default=2, help="processes of the cluster")
    parser.add_argument("--rows", type=Path, help="a folder that was made before")
    chosen = parser.parse_args()
    written = 0.0 if chosen.rows else chosen.gigabytes
    require("dask", "distributed", "pyarrow", gigabytes=written, folder=chosen.folder)
    how = f"memory={chosen.memory!r}, time={chosen.time!r} for the sample"
    heading(f"study of {FILES} Parquet files, {how}")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        folder, script = Path(name) / "rows", Path(name) / "study.py"
        folder.mkdir()
        script.write_text(STUDY)
        start = time.perf_counter()
        if chosen.rows is not None:
            measure(chosen.rows, script, chosen)
            return
        spawn = multiprocessing.get_context("spawn")
        maker = spawn.Process(
            target=write_folder, args=(folder, int(chosen.gigabytes * 1e9 / ROW_BYTES))
        )
        maker.start()
        maker.join()
        print(f"  written in {time.perf_counter() - start:.0f} s", flush=True)
        measure(folder, script, chosen)


def measure(folder: Path, script: Path, chosen: argparse.Namespace) -> None:
    size = sum(file.stat().st_size for file in folder.iterdir()) / 1e9
    print(f"  {size:.2f} GB in {len(list(folder.iterdir()))} files", flush=True)
    for engine in chosen.engines:
        run(folder, script, engine, chosen, size=size)


def run(folder: Path, script: Path, engine: str, chosen: argparse.Namespace, size: float) -> None:
    cluster = f"a cluster of {chosen.workers} processes"
    title = "threads of one process" if engine == "auto" else cluster
    done = subprocess.run(
        [sys.executable, script, folder, engine, chosen.memory, chosen.time, str(chosen.workers)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    print(
        f"  {title}: {found['seconds']:.0f} s, {size / found['seconds']:.3f} GB/s; processor time "
        f"of all processes {found['cpu']:.0f} s",
        flush=True,
    )
    each = "".join(f", worker {used:.2f} GB" for used in found["workers"])
    print(f"    peak memory: study {found['peak']:.2f} GB{each} (at most {MEMORY:g} each)")
    print(f"    {found['rows']:,} rows read, models compared on {found['compared']:,}")
    low, high = found["interval"]
    print(
        f"    {found['winner']}: held-out error {found['error']:.4%} ({low:.4%}–{high:.4%}) on "
        f"{found['n']:,} rows; {found['sampled']:.2%} on those of the sample"
    )
    print(f"    {found['duplicates']:,.0f} duplicates")
    stages = found["stages"]
    pairs = stages.items() if isinstance(stages, dict) else [tuple(one) for one in stages]
    longest = sorted(pairs, key=lambda one: -float(one[1]))[:6]
    print("    longest stages: " + ", ".join(f"{name} {float(s):.0f} s" for name, s in longest))
    assert chosen.quick or not found["stopped"], found["stopped"]
    assert max(found["peak"], *found["workers"], 0) <= MEMORY, "more than 2 GB of memory"


if __name__ == "__main__":
    main()
