"""The Dask engine on one and on two local processes.

Run: python -m benchmarks.bench_dask
"""

from __future__ import annotations

import time

from benchmarks.timing import heading

ROWS, COLUMNS, CHUNK = 300_000, 784, 5_000


def seconds_on(processes: int) -> float:
    import dask.array as da
    from distributed import Client, LocalCluster

    from lookalike import PCA

    cluster = LocalCluster(n_workers=processes, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster):
        X = da.random.default_rng(0).random((ROWS, COLUMNS), chunks=(CHUNK, COLUMNS))
        PCA(10).fit(X[:CHUNK])  # the workers have imported everything
        start = time.perf_counter()
        PCA(10).fit(X)
        return time.perf_counter() - start


def main() -> None:
    heading("dask")
    one, two = (min(seconds_on(processes) for _ in range(3)) for processes in (1, 2))
    print(
        f"  PCA of {ROWS} x {COLUMNS} made on the workers: one process {one:.2f} s, two {two:.2f} s"
    )
    print(f"  two processes are {one / two:.2f} times as quick as one (at least 1.5)")


if __name__ == "__main__":
    main()
