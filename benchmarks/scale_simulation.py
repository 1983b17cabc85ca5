"""A search on 100 workers, simulated: stragglers, and workers that are lost in the middle.

Run: python -m benchmarks.scale_simulation [--quick]
"""

from __future__ import annotations

import numpy as np

from benchmarks.timing import BenchParser

WORKERS, PARTITIONS = 100, 1_000
SECONDS = 1.0  # of a partition, on a worker that is not slow
SPREAD = 0.2  # of the logarithm of its time


def makespan(
    rng: np.random.Generator, *, slow: float = 0.0, lost: int = 0, rebuild: float = 3.0
) -> float:
    """Return when the last partition is done; those of a lost worker are made again elsewhere.

    `slow` is the share of workers that take four times as long. A lost worker fails at a random
    moment; its partitions are spread over the others, which build each index again first.
    """
    speed = np.where(rng.random(WORKERS) < slow, 4.0, 1.0)
    each = PARTITIONS // WORKERS
    times = SECONDS * rng.lognormal(0.0, SPREAD, (WORKERS, each)) * speed[:, None]
    finish = times.sum(axis=1)
    failed = rng.choice(WORKERS, lost, replace=False)
    moment = rng.random(lost) * finish[failed]
    alive = np.setdiff1d(np.arange(WORKERS), failed)
    for at in moment:
        takers = alive[np.argsort(finish[alive])[:each]]  # all its partitions are searched again
        finish[takers] = np.maximum(finish[takers], at) + (1 + rebuild) * SECONDS * speed[takers]
    return float(finish[alive].max())


def main() -> None:
    draws = BenchParser(__doc__, draws=(400, 20)).parse_args().draws
    print(f"{WORKERS} workers, {PARTITIONS:,} partitions of {SECONDS:g} s, {draws} draws each")
    ideal = PARTITIONS * SECONDS / WORKERS
    cases = {
        "no failures": {},
        "5% of workers four times as slow": {"slow": 0.05},
        "1 worker lost": {"lost": 1},
        "5 workers lost": {"lost": 5},
        "5 lost, and 5% slow": {"lost": 5, "slow": 0.05},
    }
    for title, options in cases.items():
        rng = np.random.default_rng(0)
        times = [makespan(rng, **options) for _ in range(draws)]
        median, high = np.quantile(times, [0.5, 0.95])
        print(f"  {title:34} median {median:5.1f} s, 95% below {high:5.1f} s, ideal {ideal:.1f} s")


if __name__ == "__main__":
    main()
