"""Run benchmarks one after the other, though one of them fails, and list how each ended.

Run: python -m benchmarks.run [--quick] [NAME ...], or ``make bench QUICK=1 BENCH="pca lsa"``
Names are those of the files, without `bench_`. By default a full run takes all of `bench_*.py` that
need no GPU, and a quick one the studies as well. What each prints is kept in build/bench, of a
quick run in build/bench/quick. A full run of all writes benchmarks/results/README.md: every table
in a line, beside the quickest peer.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.summary import write_summary
from benchmarks.timing import RECORDS_VARIABLE, BenchParser

HERE = Path(__file__).parent
STUDIES = (
    "compare_trees",
    "label_errors",
    "large_study",
    "scale_simulation",
    "study_speed",
    "winner_study",
)


def measured_by_default() -> list[str]:
    """Return the names of what a full run takes."""
    names = (path.stem.removeprefix("bench_") for path in sorted(HERE.glob("bench_*.py")))
    return [name for name in names if not name.startswith("gpu_")]


def module_of(name: str) -> str:
    """Return the module of a benchmark."""
    return f"benchmarks.{name}" if name in STUDIES else f"benchmarks.bench_{name}"


class Ended(NamedTuple):
    """What a benchmark took, and how it ended."""

    seconds: float
    cpu: float  # seconds of all its processes, which a busy machine disturbs less
    status: int


def run(name: str, quick: bool, folder: Path) -> Ended:
    """Run one benchmark, show and keep what it prints; return how it ended."""
    start, used = time.perf_counter(), os.times()
    command = [sys.executable, "-u", "-m", module_of(name), *["--quick"] * quick]
    records = folder / f"{name}.jsonl"
    records.unlink(missing_ok=True)
    environment = os.environ | {RECORDS_VARIABLE: str(records)}
    with (
        (folder / f"{name}.txt").open("wb") as file,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
        ) as running,
    ):
        assert running.stdout is not None
        for line in running.stdout:
            sys.stdout.buffer.write(line)
            sys.stdout.flush()
            file.write(line)
    now = os.times()
    cpu = now.children_user + now.children_system - used.children_user - used.children_system
    return Ended(time.perf_counter() - start, cpu, running.returncode)


def main() -> None:
    parser = BenchParser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    known = [*measured_by_default(), *STUDIES]
    names = options.names or (known if options.quick else measured_by_default())
    if unknown := sorted(set(names) - set(known)):
        parser.error(f"no benchmark is called {', '.join(unknown)}. There are: {', '.join(known)}")
    folder = HERE.parent / "build" / "bench" / ("quick" if options.quick else "")
    folder.mkdir(parents=True, exist_ok=True)
    ended = {}
    for name in names:
        print(f"\n=== {name}", flush=True)
        ended[name] = run(name, options.quick, folder)
    print(f"\n{'benchmark':20} {'seconds':>8} {'CPU s':>8} {'exit status':>12}")
    for name, one in ended.items():
        print(f"{name:20} {one.seconds:8.1f} {one.cpu:8.1f} {one.status:12}")
    failed = [name for name, one in ended.items() if one.status]
    seconds, cpu, _ = map(sum, zip(*ended.values(), strict=True))
    print(f"{'all':20} {seconds:8.1f} {cpu:8.1f} {f'{len(failed)} failed':>12}")
    print(f"What they printed is in {os.path.relpath(folder)}; kept figures: benchmarks/results.")
    if not options.quick and not options.names:
        write_summary(folder, names, HERE / "results" / "README.md")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
