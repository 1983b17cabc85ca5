"""One search in a process of its own: its peak memory, and its instructions by callgrind or perf.

Run by bench_exact as: python -m benchmarks.exact_child NAME lookalike|FAISS QUERIES [--quick]
Prints what the process needed in addition to rows and queries, as a multiple of the rows.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import lookalike
from benchmarks.exact_data import load
from benchmarks.exact_peers import faiss_flat
from lookalike.index.exact import ExactIndex

K = 10
PERF = ["perf", "stat", "-x,", "-e", "instructions:u"]


def peak_memory(name: str, quick: bool) -> float:
    """Return the most memory that building and searching took, as a multiple of the rows."""
    return float(_run([], name, "lookalike", 0, *["--quick"] * quick).stdout)


def instructions(name: str, who: str) -> tuple[int, str] | None:
    """Return instructions of a search of the small data, and who counted; None where nobody can."""
    if _perf_counts():
        return _by_perf(name, who, 0) - _by_perf(name, who, 1), "perf"
    if shutil.which("callgrind_control"):
        return _by_callgrind(name, who), "callgrind"
    return None


def _perf_counts() -> bool:
    if not shutil.which("perf"):
        return False
    tried = subprocess.run([*PERF, "true"], capture_output=True, text=True, check=False)
    return re.search(r"^\d+,", tried.stderr, re.MULTILINE) is not None


def _by_perf(name: str, who: str, queries: int) -> int:
    """Return the instructions of the whole process; the build is that of a single query."""
    done = _run(PERF, name, who, queries, "--quick", "--count")
    match = re.search(r"^(\d+),", done.stderr, re.MULTILINE)
    assert match is not None, done.stderr
    return int(match.group(1))


def _by_callgrind(name: str, who: str) -> int:
    """Return the instructions since the process started counting."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"--callgrind-out-file={Path(folder) / 'out'}"
        done = _run(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", out],
            name,
            who,
            0,
            "--quick",
            "--count",
        )
    match = re.search(r"Collected : (\d+)", done.stderr)
    assert match is not None, done.stderr
    return int(match.group(1))


def _count_from_here() -> None:
    """Ask callgrind to count; it does where the process runs under it."""
    command = ["callgrind_control", "-i", "on", str(os.getpid())]
    subprocess.run(command, capture_output=True, check=False)


def _run(before, name, who, queries, *flags):
    """Run this file: on one thread where it is counted, for waiting threads count too."""
    child = [sys.executable, "-m", "benchmarks.exact_child", name, who, str(queries), *flags]
    alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} if before else {}
    return subprocess.run(
        [*before, *child], capture_output=True, text=True, check=True, env={**os.environ, **alone}
    )


def _status(field: str) -> int:
    """Return a figure of this process in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(dict(line.split(":", 1) for line in lines)[field].split()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name")
    parser.add_argument("who", choices=("lookalike", "FAISS"))
    parser.add_argument("queries", type=int, help="0 for all")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--count", action="store_true", help="one thread, searches are counted")
    options = parser.parse_args()
    if options.count:
        lookalike.config(threads=1)
    X, Q = load(options.name, options.quick)
    Q = Q[: options.queries or len(Q)]
    ExactIndex(X[:1000]).query(Q[:1], K)  # threads and libraries are there before it counts
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts here
    search = ExactIndex(X).build().query if options.who == "lookalike" else faiss_flat(X)
    if options.count and shutil.which("callgrind_control"):
        _count_from_here()
    search(Q, K)
    print((_status("VmHWM") - before) / X.nbytes)


if __name__ == "__main__":
    main()
