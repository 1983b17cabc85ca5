"""How often the estimated Bayes error holds the truth, on rows whose Bayes error is known.

Run: python -m benchmarks.bench_bayes_error [seeds] [rows] [--studies]

By default the estimate alone is tried, with the references as the only models; with --studies
whole studies, in which every candidate bounds it as well.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np

import lookalike
from benchmarks.known_problems import PROBLEMS, Draw
from lookalike.engines.blas import single_threaded_blas
from lookalike.explain.bayes_error import BayesErrorEstimate, estimate_bayes_error


def trial(draw: Draw, rows: int, seed: int, *, studies: bool) -> BayesErrorEstimate:
    X, y = draw(rows, np.random.default_rng(1000 + seed))
    if studies:
        study = lookalike.study(X, y, seed=seed)
        reached = [one.validation_interval for one in study.candidates]
        ends = [study.held_out.interval[1], *(one[1] for one in reached if one)]
        assert study.bayes_error.high <= min(ends) + 1e-12
        return study.bayes_error
    scaled = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    with single_threaded_blas():
        return estimate_bayes_error(scaled, y, random_state=seed)


def main() -> None:
    numbers = [int(one) for one in sys.argv[1:] if one.isdigit()]
    seeds, rows = (*numbers, *(20, 600)[len(numbers) :])[:2]
    studies = "--studies" in sys.argv
    warnings.simplefilter("ignore")
    print(f"{rows} rows, {seeds} seeds: how often the interval holds the Bayes error, how often a")
    print("lower end is stated, and the mean ends")
    print(f"{'problem':34s} {'Bayes':>6s} {'inside':>7s} {'stated':>7s} {'low':>7s} {'high':>7s}")
    everyone = []
    begin = time.monotonic()
    for name, (draw, truth) in PROBLEMS.items():
        found = [trial(draw, rows, seed, studies=studies) for seed in range(seeds)]
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
