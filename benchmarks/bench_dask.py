"""The Dask engine on one and on two local processes.

Run: python -m benchmarks.bench_dask [--quick]
"""

from __future__ import annotations

import statistics
import time

from benchmarks.timing import BenchParser, heading

SIZES, QUICK, COLUMNS = (120_000, 300_000), (6_000,), 784
CHUNKS = 24  # of the smaller size


def seconds_on(processes: int, rows: int, chunk: int) -> float:
    import dask.array as da
    from distributed import Client, LocalCluster

    from lookalike import PCA

    cluster = LocalCluster(n_workers=processes, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster):
        X = da.random.default_rng(0).random((rows, COLUMNS), chunks=(chunk, COLUMNS))
        PCA(10).fit(X[:chunk])  # the workers have imported everything
        start = time.perf_counter()
        PCA(10).fit(X)
        return time.perf_counter() - start


def main() -> None:
    options = BenchParser(__doc__, rounds=(3, 1)).parse_args()
    heading("dask")
    sizes = QUICK if options.quick else SIZES
    for rows in sizes:
        one, two = (
            statistics.median(
                seconds_on(processes, rows, sizes[0] // CHUNKS) for _ in range(options.rounds)
            )
            for processes in (1, 2)
        )
        print(f"  PCA of {rows} x {COLUMNS} made on the workers, medians of {options.rounds}:")
        print(f"  one process {one:.2f} s, two {two:.2f} s: {one / two:.2f} times as quick")


if __name__ == "__main__":
    main()
