"""Whether whole commands keep to --time and --memory, alone and beside busy processes.

Run: python -m benchmarks.bench_study_limits [--quick] [--cases TEXT]

Each case is ``lookalike study`` in processes of its own, with all files written. The seconds are
those of the command; the memory is the largest sum over its processes of what no file holds,
looked at ten times a second. ``LOOKALIKE_DATA`` names the folder of shared tables; without it
drawn ones alone are studied.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.kept_results import FOLDER, current_commit
from benchmarks.timing import BenchParser
from lookalike.workers.usage import process_usage

DATA = Path(os.environ.get("LOOKALIKE_DATA", ""))
BUSY = "while True: pass"
TIME_FACTOR, TIME_SLACK = 1.15, 3.0  # seconds that a command may take, by those it was given
POLL_SECONDS = 0.1


class Case(NamedTuple):
    """A table, the limits it is studied with, and how many busy processes are beside it."""

    table: str
    target: str
    seconds: float
    memory: float | None = None  # gigabytes
    busy: int = 0

    @property
    def name(self) -> str:
        """What the case is called."""
        limit = f", {self.memory:g} GB" if self.memory else ""
        beside = f", {self.busy} busy processes" if self.busy else ""
        return f"{self.table}, {self.seconds:g} s{limit}{beside}"


CASES = (
    Case("titanic.csv.gz", "Survived", 10.0),
    Case("titanic.csv.gz", "Survived", 20.0, busy=2),
    Case("numbers.csv", "y", 10.0),
    Case("numbers.csv", "y", 20.0, busy=2),
    Case("adult.csv.gz", "income", 30.0, memory=1.0),
    Case("numbers.csv", "y", 30.0, memory=1.0),
)
QUICK_CASES = (Case("few.csv", "y", 3.0), Case("few.csv", "y", 3.0, memory=1.0, busy=1))
DRAWN = {"numbers.csv": (20_000, 9), "few.csv": (300, 4)}


def draw(path: Path) -> Path:
    """Write a drawn table whose target is a number."""
    n_rows, columns = DRAWN[path.name]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, columns))
    y = np.sin(2 * X[:, 0]) * X[:, 1] + np.abs(X[:, 2]) + 0.3 * rng.normal(size=n_rows)
    frame = pd.DataFrame(X, columns=[f"x{place}" for place in range(columns)])
    frame.assign(y=y).to_csv(path, index=False)
    return path


@contextmanager
def busy_processes(number: int) -> Iterator[None]:
    """Keep so many processes computing within the block."""
    processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(number)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def descendants(pid: int) -> list[int]:
    """Return a process and those that it started, by /proc."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue  # it has just ended
        children.setdefault(parent, []).append(int(path.parent.name))
    found, waiting = [], [pid]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def run(case: Case, folder: Path) -> tuple[float, float, str]:
    """Return the seconds of a command, the gigabytes of its processes, and its winner."""
    path = draw(folder / case.table) if case.table in DRAWN else DATA / case.table
    command = [sys.executable, "-m", "lookalike", "study", str(path), "--target", case.target]
    command += ["--time", f"{case.seconds:g}s", "--out", str(folder / "study")]
    command += ["--memory", f"{case.memory:g}GB"] if case.memory else []
    peak = 0
    with busy_processes(case.busy):
        begin = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None:
                used = [process_usage(pid) for pid in descendants(process.pid)]
                peak = max(peak, sum(one.memory for one in used if one is not None))
                time.sleep(POLL_SECONDS)
        seconds = time.monotonic() - begin
    assert process.returncode == 0, f"{case.name}: the command ended with {process.returncode}"
    result = json.loads((folder / "study" / "study.json").read_text(encoding="utf-8"))
    skipped = sum(bool(one["skipped"]) for one in result["candidates"])
    return seconds, peak / 1e9, f"{result['winner']}, {skipped} of the models skipped"


def missed(case: Case, seconds: float, gigabytes: float) -> str:
    """Return which limits a command did not keep to."""
    late = seconds > TIME_FACTOR * case.seconds + TIME_SLACK
    large = case.memory is not None and gigabytes > case.memory
    return " and ".join(["time"] * late + ["memory"] * large) or "nothing"


def main() -> None:
    parser = BenchParser(__doc__)
    parser.add_argument("--cases", default="", help="those whose names have this text")
    given = parser.parse_args()
    lines = [
        "python -m benchmarks.bench_study_limits: whole commands; seconds may be 1.15 times the",
        f"limit and 3 s more; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before; commit "
        f"{current_commit()}",
        f"{'case':48s}{'s':>7s}{'GB':>7s}  missed; kept model",
    ]
    print("\n".join(lines))
    for case in QUICK_CASES if given.quick else CASES:
        known = case.table in DRAWN or (DATA / case.table).is_file()
        if given.cases not in case.name or not known:
            continue
        with tempfile.TemporaryDirectory() as folder:
            seconds, gigabytes, kept = run(case, Path(folder))
        figures = f"{case.name:48s}{seconds:7.1f}{gigabytes:7.2f}"
        lines.append(f"{figures}  {missed(case, seconds, gigabytes)}; {kept}")
        print(lines[-1], flush=True)
    if not given.quick and not given.cases:
        (FOLDER / "study_limits.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
