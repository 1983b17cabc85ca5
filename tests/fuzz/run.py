"""Runs every fuzz target in a process of its own, again and again, and counts what was drawn.

A finding ends its target, not the run: the output is kept in build/fuzz, and the run fails at its
end. `build/fuzz/counts.txt` has the numbers after every target: `make fuzz MINUTES=60`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

TOP = Path(__file__).parents[2]
RESULTS = TOP / "build" / "fuzz"
EXAMPLE_FACTOR = "8"  # times as many examples of a target in one process as in the tests


def main() -> int:
    """Draw until the time is over; return 1 if a target failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    minutes = parser.parse_args().minutes
    start = time.monotonic()
    end = start + 60 * minutes
    RESULTS.mkdir(parents=True, exist_ok=True)
    targets = sorted((TOP / "tests" / "fuzz").glob("test_*.py"))
    targets.append(TOP / "tests" / "test_bad_arguments.py")  # all arguments, and not some
    counts: Counter[str] = Counter()
    findings: list[Path] = []
    while time.monotonic() < end:
        for target in targets:
            findings += draw_examples(target, counts, len(findings))
            write_counts(counts, findings, time.monotonic() - start)
            if time.monotonic() >= end:
                break
    print((RESULTS / "counts.txt").read_text())
    return 1 if findings else 0


def draw_examples(target: Path, counts: Counter[str], number: int) -> list[Path]:
    """Run one target and add its examples to `counts`; return its output if it failed."""
    log, drawn = RESULTS / f"{target.stem}.log", RESULTS / "drawn.json"
    drawn.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", str(target)]
    with log.open("w") as output:
        code = subprocess.run(
            command,
            check=False,
            cwd=TOP,
            env={
                **os.environ,
                "LOOKALIKE_FUZZ": EXAMPLE_FACTOR,
                "LOOKALIKE_FUZZ_COUNTS": str(drawn),
                "LOOKALIKE_ALL_ARGUMENTS": "1",
            },
            stdout=output,
            stderr=subprocess.STDOUT,
        ).returncode
    counts.update(json.loads(drawn.read_text()) if drawn.exists() else {})
    if code == 0:
        return []
    finding = log.with_name(f"finding-{number + 1}-{target.stem}.log")
    log.rename(finding)
    return [finding]


def write_counts(counts: Counter[str], findings: list[Path], seconds: float) -> None:
    """Write how many examples every test has drawn, and where findings are."""
    lines = [f"{sum(counts.values()):,} examples in {seconds / 60:.1f} minutes"]
    lines += [f"{count:>10,}  {name}" for name, count in sorted(counts.items())]
    lines += [f"finding: {path.relative_to(TOP)}" for path in findings] or ["no finding"]
    (RESULTS / "counts.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
