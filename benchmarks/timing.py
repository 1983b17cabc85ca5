"""Several ways to do one thing, timed in turns in one run: medians, spread, ratios."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any


def race(title: str, ways: Mapping[str, Callable[[], Any]], *, rounds: int = 5) -> dict[str, float]:
    """Time each way `rounds` times, in turns; print the table; return the medians.

    Ratios are against the last way named: above 1 means quicker than it. The least CPU time, of
    all threads, says more than the clock where others are at work on the machine.
    """
    times: dict[str, list[float]] = {name: [] for name in ways}
    cpu = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            start, used = time.perf_counter(), time.process_time()
            way()
            times[name].append(time.perf_counter() - start)
            cpu[name] = min(cpu[name], time.process_time() - used)
    medians = {name: statistics.median(seconds) for name, seconds in times.items()}
    base = medians[list(ways)[-1]]
    print(f"\n{title}")
    print(f"  {'':34} {'median':>9} {'least':>9} {'most':>9} {'ratio':>7} {'CPU':>9}")
    for name, seconds in times.items():
        print(
            f"  {name:34} {medians[name]:8.3f}s {min(seconds):8.3f}s {max(seconds):8.3f}s"
            f" {base / medians[name]:6.2f}x {cpu[name]:8.3f}s"
        )
    return medians


def rows_of_run(default: int) -> int:
    """Return how many rows to measure: LOOKALIKE_BENCH_ROWS, for a quick look, or the default."""
    return min(default, int(os.environ.get("LOOKALIKE_BENCH_ROWS", default)))


def require(*packages: str, gigabytes: float = 0.0, folder: str | None = None) -> None:
    """End with a sentence where a package is not installed or the disk has too little room."""
    if lacking := [name for name in packages if importlib.util.find_spec(name) is None]:
        sys.exit(
            f"This benchmark needs {', '.join(lacking)}, which is not installed. Run `make bench`, "
            "which installs everything, or: pip install -e '.[dev,bench]'"
        )
    place = folder or tempfile.gettempdir()
    free = shutil.disk_usage(place).free / 1e9
    if free < gigabytes:
        sys.exit(
            f"This benchmark writes {gigabytes:.1f} GB into {place}, where {free:.1f} GB are free. "
            "Set TMPDIR to another disk, or LOOKALIKE_BENCH_ROWS to fewer rows, such as 1000000."
        )


def heading(title: str) -> None:
    """Print what ran where."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    from lookalike import _core

    print(
        f"{title}: {platform.machine()}, {_core.default_threads()} threads, "
        f"{_core.simd_level()}, commit {commit or 'unknown'}"
    )
