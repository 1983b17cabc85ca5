"""How often the estimated Bayes error holds the truth, on rows whose Bayes error is known.

Run: python -m benchmarks.bench_bayes_error [--quick] [--seeds N] [--rows N] [--studies] …

By default the estimate alone is tried, with the references as the only models; with --studies
whole studies, in which every candidate bounds it as well.
"""

from __future__ import annotations

import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import lookalike
from benchmarks.known_problems import PROBLEMS
from benchmarks.timing import BenchParser
from lookalike.engines.blas import single_threaded_blas
from lookalike.explain.bayes_error import BayesErrorEstimate, estimate_bayes_error


def trial(name: str, rows: int, seed: int, studies: bool, limit: str | None) -> BayesErrorEstimate:
    warnings.simplefilter("ignore")
    X, y = PROBLEMS[name][0](rows, np.random.default_rng(1000 + seed))
    with single_threaded_blas():
        if studies:
            return _of_study(lookalike.study(X, y, seed=seed, time=limit))
        scaled = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
        return estimate_bayes_error(scaled, y, random_state=seed)


def _of_study(study: lookalike.Study) -> BayesErrorEstimate:
    ends = [one.held_out_interval[1] for one in study.candidates if one.held_out_interval]
    if study.bayes_error is None:
        raise SystemExit("A study had no time for the estimate: give more by --time.")
    assert study.bayes_error.high <= min(ends) + 1e-12
    return study.bayes_error


def main() -> None:
    parser = BenchParser(__doc__, seeds=(20, 2), rows=(500, 200))
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--jobs", type=int, default=2, help="processes, each of one thread")
    parser.add_argument("--studies", action="store_true")
    parser.add_argument("--time", help="of each study, such as 40s; no limit by default")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    how = f"--seeds {options.seeds} --rows {options.rows} --first {options.first}"
    how += " --studies" * options.studies + (f" --time {options.time}" if options.time else "")
    print(f"python -m benchmarks.bench_bayes_error {how}")
    print("how often the interval holds the Bayes error, how often a lower end is stated, and the")
    print("mean ends")
    print(f"{'problem':34s} {'Bayes':>6s} {'inside':>7s} {'stated':>7s} {'low':>7s} {'high':>7s}")
    everyone = []
    begin = time.monotonic()
    pool = ProcessPoolExecutor(options.jobs)
    seeds = range(options.first, options.first + options.seeds)
    running = {
        name: [
            pool.submit(trial, name, options.rows, seed, options.studies, options.time)
            for seed in seeds
        ]
        for name in PROBLEMS
    }
    for name, (_, truth) in PROBLEMS.items():
        found = [one.result() for one in running[name]]
        low, high = np.array([one.low for one in found]), np.array([one.high for one in found])
        inside = (low <= truth) & (truth <= high)
        everyone.append(inside.mean())
        stated = np.mean([one.converged for one in found])
        print(
            f"{name:34s} {truth:6.3f} {inside.mean():7.2f} {stated:7.2f} {low.mean():7.3f} "
            f"{high.mean():7.3f}",
            flush=True,
        )
    seconds = time.monotonic() - begin
    print(f"{'all':34s} {'':6s} {np.mean(everyone):7.2f}   ({seconds:.0f} s)")


if __name__ == "__main__":
    main()
