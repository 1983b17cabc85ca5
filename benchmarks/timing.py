"""Options that all benchmarks take, and several ways to do one thing, timed in turns in one run."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

RECORDS_VARIABLE = "LOOKALIKE_BENCH_RECORDS"  # of the environment: a file that tables are added to
LONG, FAR = 3.0, 5.0  # seconds of a round, and times ours, above which another way has two rounds


class BenchParser(argparse.ArgumentParser):
    """The options of a benchmark: `--quick`, and one for each size, (full run, quick run).

    A quick run takes the same path on small data, in seconds: it shows that the benchmark runs, and
    its figures say nothing. A size that is given counts in either.
    """

    def __init__(self, description: str | None, **sizes: tuple[Any, Any]) -> None:
        how = argparse.RawDescriptionHelpFormatter
        super().__init__(description=description, formatter_class=how)
        self.quick_sizes = {name: quick for name, (_, quick) in sizes.items()}
        self.add_argument("--quick", action="store_true", help="small data, every part, in seconds")
        for name, (full, quick) in sizes.items():
            option, told = f"--{name.replace('_', '-')}", f"default {full}; {quick} with --quick"
            self.add_argument(option, type=type(full), default=full, help=told)

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Return the options; those not given are of a full run, or of a quick one."""
        if super().parse_args(args).quick:
            self.set_defaults(**self.quick_sizes)
        return super().parse_args(args, namespace)


def race(title: str, ways: Mapping[str, Callable[[], Any]], *, rounds: int = 5) -> dict[str, float]:
    """Time each way `rounds` times, in turns; print the table; return the medians.

    Ratios are against the last way named: above 1 means quicker than it. The least CPU time, of
    all threads, says more than the clock where others are at work on the machine. The first way is
    ours; one that takes long, and many times as long as ours, has two rounds, and its line says so.
    """
    ours = next(iter(ways))
    times: dict[str, list[float]] = {name: [] for name in ways}
    cpu = dict.fromkeys(ways, float("inf"))
    for number in range(rounds):
        for name, way in ways.items():
            if number > 1 and min(times[name]) > max(LONG, FAR * times[ours][0]):
                continue
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
            f"{f'  {len(seconds)} of {rounds} rounds' if len(seconds) < rounds else ''}"
        )
    if len(times) > 1:
        record(title, times)
    return medians


def record(title: str, times: Mapping[str, Sequence[float]]) -> None:
    """Keep a table for the summary of `benchmarks.run`, where it asks for that."""
    if path := os.environ.get(RECORDS_VARIABLE):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"title": title, "times": times, "load": os.getloadavg()[0]}))
            file.write("\n")


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
            "Set TMPDIR to another disk, or give a smaller size: --help names the options."
        )


def data_folder() -> Path:
    """Return the folder of data sets; end with a sentence where LOOKALIKE_DATA names none."""
    folder = os.environ.get("LOOKALIKE_DATA")
    if not folder:
        sys.exit("This benchmark reads data sets. Set LOOKALIKE_DATA to the folder that has them.")
    return Path(folder)


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
