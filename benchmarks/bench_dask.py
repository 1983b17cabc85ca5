"""The Dask engine on one and on two local processes.

Run: python -m benchmarks.bench_dask
"""

from __future__ import annotations

import statistics
import time

from benchmarks.timing import heading

SIZES, COLUMNS, CHUNK = (120_000, 300_000), 784, 5_000


def seconds_on(processes: int, rows: int) -> float:
    import dask.array as da
    from distributed import Client, LocalCluster

    from lookalike import PCA

    cluster = LocalCluster(n_workers=processes, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster):
        X = da.random.default_rng(0).random((rows, COLUMNS), chunks=(CHUNK, COLUMNS))
        PCA(10).fit(X[:CHUNK])  # the workers have imported everything
        start = time.perf_counter()
        PCA(10).fit(X)
        return time.perf_counter() - start


def main() -> None:
    heading("dask")
    for rows in SIZES:
        one, two = (
            statistics.median(seconds_on(processes, rows) for _ in range(3)) for processes in (1, 2)
        )
        print(f"  PCA of {rows} x {COLUMNS} made on the workers, medians of 3:")
        print(f"  one process {one:.2f} s, two {two:.2f} s: {one / two:.2f} times as quick")


if __name__ == "__main__":
    main()
