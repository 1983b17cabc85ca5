"""How costs grow: `python -m benchmarks.bench_growth`, of a query and of work on all rows.

For every way to search, the processor time of a query is measured while one of n (rows), d
(columns) and k (neighbors) grows and the others stay. The exponent is the slope of the line of
least squares through the logarithms, time ~ size^exponent: 1 is a scan, 0 no growth at all.
Selection of the nearest takes O(dn) a query and no sorting [LUMS]; a KD-tree takes O(log n) in
few columns, whose exponent in n is near 0. Then the stages that `lookalike plan --rows` plans, with
the passes of a study over all rows of a folder: exponents in rows and columns, k-means by its
clusters, all of it on one and two workers, and the plan compared with runs at three sizes.
`--plot FILE` draws all of it; with `--quick` it is drawn too, and not kept.
A full run takes about 2 minutes on two cores.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from benchmarks.growth_workers import COLUMNS as WIDTH
from benchmarks.growth_workers import StudyPasses, work_on, write_rows
from benchmarks.timing import BenchParser, heading, require
from lookalike import KMeans
from lookalike.index import ExactIndex, KDTreeIndex, LSHIndex, ScanIndex
from lookalike.studies.scale_plan import measured, sample_rows, scale_plan

WAYS: dict[str, tuple[Callable[[Any], Any], int]] = {  # how it is built, and its columns
    "brute force": (lambda X: ScanIndex(X, threads=1), 16),
    "exact filter": (lambda X: ExactIndex(X, threads=1), 64),
    "KD-tree": (lambda X: KDTreeIndex(X, threads=1), 3),
    "LSH": (lambda X: LSHIndex(X, recall=0.9, threads=1), 64),
}
SIZES = {"n": (4_000, 8_000, 16_000, 32_000, 64_000), "k": (1, 4, 16, 64)}
QUICK = {"n": (500, 1_000, 2_000), "k": (1, 4, 16)}
COLUMNS = {3: (2, 3, 4, 6, 8), 16: (4, 8, 16, 32, 64), 64: (32, 64, 128, 256)}
QUERIES, ROUNDS, K = 1_000, 5, 10
Series: TypeAlias = tuple[tuple[int, ...], list[float]]  # sizes, and the time of each


def clusters(n: int, d: int, rng: np.random.Generator) -> Any:
    """Rows around 200 centers, as data have them that neighbors say something about."""
    centers = rng.normal(size=(200, d)) * 3
    return centers[rng.integers(0, 200, n)] + rng.normal(size=(n, d))


def seconds(build: Callable[[Any], Any], X: Any, Q: Any, k: int, rounds: int) -> float:
    """Return the least processor time of a query, of several rounds."""
    index = build(X)
    index.query(Q[:10], k, threads=1)
    times = []
    for _ in range(rounds):
        start = time.process_time()
        index.query(Q, k, threads=1)
        times.append((time.process_time() - start) / len(Q))
    return min(times)


def exponent(sizes: Iterable[float], times: Iterable[float]) -> float:
    """Return the slope of the logarithms."""
    slope, _ = np.polyfit(np.log(list(sizes)), np.log(np.maximum(list(times), 1e-9)), 1)
    return float(slope)


def growth(quick: bool = False) -> dict[tuple[str, str], float]:
    """Measure, print a line for every way and size, and return the exponents."""
    rng, rounds = np.random.default_rng(0), 2 if quick else ROUNDS
    grown = QUICK if quick else SIZES
    middle = grown["n"][len(grown["n"]) // 2]
    found = {}
    for name, (build, d) in WAYS.items():
        for what in ("n", "d", "k"):
            sizes = COLUMNS[d][:3] if quick and what == "d" else COLUMNS[d]
            sizes = sizes if what == "d" else grown[what]
            times = []
            for size in sizes:
                n, columns = (size if what == "n" else middle), (size if what == "d" else d)
                X = clusters(n + QUERIES, columns, rng)
                k = size if what == "k" else K
                times.append(seconds(build, X[QUERIES:], X[:QUERIES], k, rounds))
            found[name, what] = exponent(sizes, times)
            each = "  ".join(
                f"{size:,}: {1e6 * took:.1f}" for size, took in zip(sizes, times, strict=True)
            )
            print(f"{name:13} {what}^{found[name, what]:5.2f}   us a query at {what} = {each}")
    return found


def stages(quick: bool = False) -> dict[str, tuple[Series, Series]]:
    """Measure the stages of a plan while rows, and columns, grow; print times and exponents."""
    rows = (2_000, 4_000, 8_000) if quick else (50_000, 100_000, 200_000, 400_000)
    columns = (8, 16, 32) if quick else (16, 32, 64, 128)
    by_rows = [stage_seconds(n, columns[1]) for n in rows]
    by_columns = [stage_seconds(rows[0], d) for d in columns]
    print("processor time of the stages of a plan, least of 2")
    found = {}
    for title in by_rows[0]:
        times = [took[title] for took in by_rows]
        wider = [took[title] for took in by_columns]
        n_power, d_power = exponent(rows, times), exponent(columns, wider)
        each = "  ".join(f"{n:,}: {1e3 * t:.1f}" for n, t in zip(rows, times, strict=True))
        print(f"  {title:38} n^{n_power:5.2f} d^{d_power:5.2f}   ms at n = {each}")
        found[title] = (rows, times), (columns, wider)
    return found


def stage_seconds(n: int, d: int, seed: int = 0) -> dict[str, float]:
    """Return the processor time of every stage on `n` rows of `d` columns."""
    return {stage.title: took for stage, took in measured(sample_rows(n, d, seed), 2)}


def check_plan(quick: bool = False) -> None:
    """Compare the plan with runs at three sizes; the sum of all stages must be within 1.5 times."""
    sizes = (16_000,) if quick else (150_000, 300_000, 600_000)
    d = 32
    worst = 1.0
    print("plan compared with runs, processor seconds of all stages")
    for n in sizes:
        planned = sum(stage.cpu_seconds for stage in scale_plan(n, d))
        run = sum(stage_seconds(n, d, seed=1).values())
        ratio = max(planned / run, run / planned)
        worst = max(worst, ratio)
        print(f"  {n:,} x {d}: planned {planned:.2f}, run {run:.2f}, apart by {ratio:.2f} times")
    assert quick or worst <= 1.5, "the plan is more than 1.5 times from a run"


def study_passes(quick: bool = False) -> tuple[tuple[int, ...], list[float]]:
    """Measure the passes of a study over all rows of a folder while the rows grow."""
    sizes = (20_000, 40_000) if quick else (100_000, 200_000, 400_000)
    times = []
    for n in sizes:
        with tempfile.TemporaryDirectory() as name:
            passes = StudyPasses(write_rows(Path(name) / "rows", n), "auto")
            passes()
            start = time.process_time()
            passes()
            times.append(time.process_time() - start)
    each = "  ".join(f"{n:,}: {1e3 * t:.0f}" for n, t in zip(sizes, times, strict=True))
    title = "study, passes over all rows of files"
    print(f"  {title:38} n^{exponent(sizes, times):5.2f}           ms at n = {each}")
    return sizes, times


def by_clusters(quick: bool = False) -> tuple[tuple[int, ...], list[float]]:
    """Measure k-means while the clusters grow."""
    sizes, X = (5, 10, 20, 40, 80), sample_rows(2_000 if quick else 100_000, 32)
    times = []
    for k in sizes:
        model = KMeans(k, init=X[:k].copy(), max_iter=5, tol=0, n_init=1, n_jobs=1)
        taken = []
        for _ in range(2):
            start = time.process_time()
            model.fit(X)
            taken.append(time.process_time() - start)
        times.append(min(taken))
    each = "  ".join(f"{k}: {1e3 * t:.1f}" for k, t in zip(sizes, times, strict=True))
    title = "5 rounds of k-means"
    print(f"  {title:38} k^{exponent(sizes, times):5.2f}           ms at k = {each}")
    return sizes, times


def workers(n_rows: int) -> dict[str, list[float]]:
    """Measure the work on one and on two processes; print the exponent of the workers."""
    with tempfile.TemporaryDirectory() as name:
        folder = write_rows(Path(name) / "rows", n_rows // 2)
        one, two = (work_on(processes, n_rows, folder) for processes in (1, 2))
    print(f"seconds on one and two workers of one thread, {n_rows:,} x {WIDTH} (study: half of it)")
    for title, first in one.items():
        power = exponent((1, 2), (first, two[title]))
        print(f"  {title:38} w^{power:5.2f}           {first:.2f} s, {two[title]:.2f} s", end="")
        print(f": {first / two[title]:.2f} times as quick")
    return {title: [first, two[title]] for title, first in one.items()}


def plot(path: str, panels: dict[str, dict[str, tuple[Any, Any]]]) -> None:
    """Draw times against rows, columns, k and workers, on logarithmic scales."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 8), layout="constrained")
    for axes, (label, lines) in zip(figure.subplots(2, 2).flat, panels.items(), strict=True):
        for title, (sizes, took) in lines.items():
            axes.loglog(list(sizes), list(took), marker="o", label=title)
        axes.set(xlabel=label, ylabel="seconds")
        ticks = sorted({size for sizes, _ in lines.values() for size in sizes})
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks], rotation=30)
        axes.minorticks_off()
        axes.legend(fontsize=7)
    with mpl.rc_context({"svg.hashsalt": "growth"}):
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = BenchParser(__doc__, worker_rows=(800_000, 40_000))
    parser.add_argument("--plot", help="draw the stages into this file")
    chosen = parser.parse_args()
    if chosen.quick and chosen.plot:
        parser.error("--plot draws the figures of a full run. Leave out --quick.")
    require("dask", "distributed", "pyarrow", "matplotlib")
    heading("growth of the cost of a query, one thread")
    growth(chosen.quick)
    times = stages(chosen.quick)
    passes, clustered = study_passes(chosen.quick), by_clusters(chosen.quick)
    check_plan(chosen.quick)
    spread = workers(chosen.worker_rows)
    rows = {title: by_rows for title, (by_rows, _) in times.items()}
    panels = {
        "rows": {**rows, "study, passes over all rows": passes},
        "columns": {title: by_columns for title, (_, by_columns) in times.items()},
        "k (clusters)": {"5 rounds of k-means": clustered},
        "workers": {title: ((1, 2), took) for title, took in spread.items()},
    }
    if chosen.plot:
        plot(chosen.plot, panels)
    elif chosen.quick:
        with tempfile.TemporaryDirectory() as folder:
            plot(str(Path(folder) / "growth.svg"), panels)


if __name__ == "__main__":
    main()
