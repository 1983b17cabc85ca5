"""An index on a cluster of two processes: building, two calls, a lazy one, a lost worker.

Then the neighbors of all rows of a fifth of the partitions among themselves, written to Parquet
while they are found: the process that asks never has the rows.

Run: python -m benchmarks.bench_cluster [--quick] [--rows 400000] [--columns 64]
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import BenchParser, heading, require

QUERIES, K, CLUSTERS = 1_000, 10, 20


def rows_of(part: int, n: int, d: int) -> Any:
    """Rows of one partition: around some of the centers, as files by date or region have them."""
    rng = np.random.default_rng(part)
    centers = np.random.default_rng(0).normal(size=(CLUSTERS, d)) * 4
    near = centers[(part * 2 + np.arange(2)) % CLUSTERS]
    return (near[rng.integers(0, 2, n)] + rng.normal(size=(n, d))).astype(np.float32)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def worker_memory(client: Any) -> float:
    """Return the most memory that a worker has used so far, in MB."""
    return max(client.run(peak).values()) / 1000


def self_search(some: Any, n_columns: int) -> None:
    """Write the neighbors of all rows among themselves; compare them with those in memory."""
    import pyarrow.parquet as pq

    from lookalike import NearestNeighbors
    from lookalike.neighbors import save_neighbors

    model, built = timed(lambda: NearestNeighbors(K).fit(some))
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "neighbors.parquet"
        before = peak()
        count, took = timed(lambda: save_neighbors(model, path))
        more = (peak() - before) / 1000
        written = pq.read_table(path)
    print(
        f"  {count:,} rows among themselves, to Parquet {took:6.2f} s after {built:.2f} s of "
        f"building; the asking process grew by {more:.0f} MB"
    )
    whole = some.compute()
    near = NearestNeighbors(K).fit(whole).kneighbors()
    assert written["neighbor"].to_numpy().reshape(-1, K).tolist() == near[1].tolist()
    assert (written["distance"].to_numpy().reshape(-1, K) == near[0]).all()
    assert whole.shape == (count, n_columns)


def lazy_search(model: Any, queries: Any) -> None:
    """Search queries of one partition, all near rows of that partition: as arrays, then lazily.

    The first lazy call of a worker imports scikit-learn there, with which the model arrives.
    """
    import dask

    values = queries.compute()
    found, eager = timed(lambda: model.kneighbors(values))
    times = []
    for _ in range(3):
        lazy = model.kneighbors(queries)
        again, took = timed(lambda lazy=lazy: dask.compute(*lazy))
        assert all((a == b).all() for a, b in zip(found, again, strict=True))
        times.append(took)
    print(
        f"  {len(values):,} queries near one partition {eager:6.2f} s; of a Dask array, computed "
        f"lazily {times[0]:.2f} s at first, when a worker imports scikit-learn, then "
        f"{min(times[1:]):.2f} s"
    )


def peak() -> int:
    """Return the most memory that this process has used so far, in kB."""
    with open("/proc/self/status") as file:
        status = dict(line.split(":", 1) for line in file)
    return int(status["VmHWM"].split()[0])


def measure(n_rows: int, n_columns: int, partitions: int) -> None:
    import dask
    import dask.array as da
    from dask.delayed import delayed
    from distributed import Client, LocalCluster

    from lookalike import NearestNeighbors

    size = n_rows // partitions
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        client = Client(cluster)
        before = worker_memory(client)
        parts = [
            da.from_delayed(delayed(rows_of)(j, size, n_columns), (size, n_columns), np.float32)
            for j in range(partitions)
        ]
        rows = da.concatenate(parts)
        queries = np.concatenate(
            [
                rows_of(j, size, n_columns)[:: size * partitions // QUERIES]
                for j in range(partitions)
            ]
        )
        queries = queries + np.float32(0.1)
        model, built = timed(lambda: NearestNeighbors(K).fit(rows))
        _, first = timed(lambda: model.kneighbors(queries))
        found, second = timed(lambda: model.kneighbors(queries))
        index = model.space_.index
        pairs = index.searched + index.skipped
        nbytes = n_rows * n_columns * 4
        print(
            f"  {n_rows:,} x {n_columns} float32 ({nbytes / 1e6:.0f} MB) in {partitions} partitions"
        )
        print(f"  building              {built:8.2f} s")
        print(f"  {len(queries):,} queries, first   {first:8.2f} s")
        quicker = f"{built / second:.1f} times as quick as building"
        print(f"  {len(queries):,} queries, second  {second:8.2f} s: {quicker}")
        print(f"  partitions skipped    {index.skipped / pairs:8.1%} of all pairs with a query")
        print(
            f"  most memory of a worker {worker_memory(client) - before:6.0f} MB more than at first"
        )
        self_search(da.concatenate(parts[: max(1, partitions // 5)]), n_columns)
        lazy_search(model, rows[: size // 4])
        whole = np.concatenate(dask.compute(parts)[0])
        expected = NearestNeighbors(K).fit(whole).kneighbors(queries)
        assert all((a == b).all() for a, b in zip(found, expected, strict=True))
        victim = next(iter(client.run(os.getpid).values()))
        os.kill(victim, signal.SIGKILL)
        again, healed = timed(lambda: model.kneighbors(queries))
        assert all((a == b).all() for a, b in zip(again, expected, strict=True))
        print(f"  after one worker was killed {healed:6.2f} s, the same bits")
        quick = built / second >= 5 or n_rows < 400_000  # fewer rows are built too quickly to tell
        assert quick, "the second call is less than 5 times as quick as building"
        client.close()


def main() -> None:
    sizes = {"rows": (400_000, 20_000), "columns": (64, 16), "partitions": (10, 10)}
    chosen = BenchParser(__doc__, **sizes).parse_args()
    require("dask", "distributed", "pyarrow")
    heading("cluster of two processes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        measure(chosen.rows, chosen.columns, chosen.partitions)


if __name__ == "__main__":
    main()
