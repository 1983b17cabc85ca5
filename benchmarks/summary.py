"""All tables of a full run in one page: ours beside the quickest peer, with spread and load."""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

PEERS = (
    "faiss-cpu",
    "hnswlib",
    "numpy",
    "pykdtree",
    "scikit-learn",
    "scikit-learn-intelex",
    "scipy",
)


class Ratio(NamedTuple):
    """How many times as long as ours the quickest peer takes."""

    peer: str
    seconds: float  # ours, the median
    median: float
    least: float  # over the rounds
    most: float


def ratio_of(times: Mapping[str, Sequence[float]]) -> Ratio:
    """Return the ratio of a table: the first way is ours, the peer is the quickest of the others.

    Examples
    --------
    >>> ratio_of({"lookalike": [1.0, 2.0, 1.0], "slow": [9.0, 9.0, 9.0], "peer": [3.0, 4.0, 5.0]})
    Ratio(peer='peer', seconds=1.0, median=4.0, least=2.0, most=5.0)
    """
    (_, ours), *others = times.items()
    peer, theirs = min(others, key=lambda other: statistics.median(other[1]))
    each = [their / our for our, their in zip(ours, theirs, strict=False)]
    seconds = statistics.median(ours)
    return Ratio(peer, seconds, statistics.median(theirs) / seconds, min(each), max(each))


def write_summary(folder: Path, names: Sequence[str], page: Path) -> None:
    """Write the page of the records that benchmarks left in `folder`."""
    lines = [
        "# Figures of the last full run",
        "",
        "`make bench` writes this page. Ratios are those of medians in one run, ways in turns,",
        "beside the quickest peer of each table; the spread is the least and most of any round.",
        "",
        *_machine(),
        "",
        "| benchmark | table | ours | quickest peer | ratio | spread | load |",
        "|---|---|---|---|---|---|---|",
    ]
    page.parent.mkdir(parents=True, exist_ok=True)
    for name in names:
        for title, ratio, load in _records(folder / f"{name}.jsonl"):
            lines.append(
                f"| {name} | {title} | {ratio.seconds:.3g} s | {ratio.peer} "
                f"| {ratio.median:.2g}× | {ratio.least:.2g} to {ratio.most:.2g} | {load:.1f} |"
            )
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _records(path: Path) -> Iterator[tuple[str, Ratio, float]]:
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        record = json.loads(line)
        yield record["title"].replace("|", "/"), ratio_of(record["times"]), record["load"]


def _machine() -> list[str]:
    from lookalike import _core

    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return [
        f"- {_processor()}, {_core.default_threads()} threads, {_core.simd_level()}, "
        f"Python {platform.python_version()}, commit {commit or 'unknown'}",
        "- " + ", ".join(f"{name} {_version(name)}" for name in PEERS),
    ]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    return next((x.partition(":")[2].strip() for x in lines if "model name" in x), "unknown")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
