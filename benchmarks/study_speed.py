"""Seconds, peak memory and error of whole studies at the default budget, each in its own process.

The seconds are those of the whole command, in a process set up as it does: importing, the study,
and writing its files. Results are kept after each study in
``benchmarks/results/study_speed.jsonl``, and all of them are written as a table to
``study_speed.txt``. ``LOOKALIKE_DATA`` names the folder of larger tables; without it, those that
need it are left out.

Run: python -m benchmarks.study_speed [--quick] [STUDY ...]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.kept_results import KeptResults, current_commit
from benchmarks.timing import BenchParser

DATA = os.environ.get("LOOKALIKE_DATA")
TOPICS, WORDS, COMMON = 20, 60, 4000
LINEAR = 13.5 / 13  # times the error of a linear SVM that a study of documents may have
Problem = tuple[Any, Any, dict[str, Any]]


def digits() -> Problem:
    """1,797 images of 8 x 8."""
    return "digits", None, {}


def iris() -> Problem:
    """150 rows of 4 columns."""
    return "iris", None, {}


def documents(n: int) -> Problem:
    """Documents of 20 subjects, which share most of their words."""
    rng = np.random.default_rng(0)
    subject = rng.integers(TOPICS, size=n)
    words = np.array([f"word{number}" for number in range(COMMON + TOPICS * WORDS)])
    common = 1 / np.arange(1, COMMON + 1)
    common /= common.sum()
    texts = []
    for one in subject:
        of_subject = COMMON + one * WORDS + rng.integers(WORDS, size=rng.poisson(2.6))
        near = COMMON + ((one + 1) % TOPICS) * WORDS + rng.integers(WORDS, size=rng.poisson(0.8))
        others = rng.choice(COMMON, size=60 + rng.poisson(60), p=common)
        texts.append(" ".join(words[np.concatenate([of_subject, near, others])]))
    return texts, np.array([f"subject {one}" for one in subject]), {}


def numbers(n: int) -> Problem:
    """Rows of 9 columns with a number to predict."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 9))
    y = np.sin(2 * X[:, 0]) * X[:, 1] + np.abs(X[:, 2]) + 0.5 * X[:, 3] * (X[:, 4] > 0)
    return X, y + 0.3 * rng.normal(size=len(X)), {"task": "regression"}


def images() -> Problem:
    """60,000 images of 28 x 28 (MNIST)."""
    return str(Path(DATA or ".") / "mnist.npz"), None, {}


def surface(n: int) -> Problem:
    """Rows of 54 columns on a surface of three dimensions, in 2 GB."""
    from benchmarks.large_study import cover

    X, y = cover(n)
    return X, y, {"task": "classification", "memory": "2GB"}


class Must(NamedTuple):
    """What a study must keep to."""

    make: Callable[..., Problem]
    seconds: float
    rows: int | None = None  # of those that are drawn
    gigabytes: float | None = None
    by_nearest: float | None = None  # times the held-out error of 1-NN
    by_reference: float | None = None  # times the held-out error of the reference
    no_skips: bool = False


STUDIES = {
    "digits": Must(digits, 8.0),
    "iris": Must(iris, 5.0),
    "documents": Must(documents, 40.0, 4_000, by_reference=LINEAR),
    "numbers": Must(numbers, 60.0, 20_000),
    "images": Must(images, 300.0, no_skips=True),
    "surface": Must(surface, 300.0, 500_000, gigabytes=2.0, by_nearest=4.0 / 3.6),
}
QUICK_ROWS, QUICK_TIME = 1_000, "2s"  # at most, of a quick study


def run(name: str, quick: bool) -> dict[str, Any]:
    """Run one study, write its files, and return what it took and reached."""
    make, n_rows = STUDIES[name].make, STUDIES[name].rows
    size = () if n_rows is None else (min(n_rows, QUICK_ROWS) if quick else n_rows,)
    X, y, options = make(*size)
    if quick:
        options = {**options, "time": QUICK_TIME}
    start, before = time.perf_counter(), time.process_time()
    from lookalike.cli import set_up_process

    set_up_process()
    import lookalike

    study = lookalike.study(X, y, **options)
    studied = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        lookalike.write_study(study, folder)
    seconds, spent = time.perf_counter() - start, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    assert study.held_out is not None
    reference = next((one for one in study.candidates if one.reference), None)
    stages = sorted(study.stages.items(), key=lambda stage: -stage[1])[:4]
    return {
        "commit": current_commit(),
        "seconds": seconds,
        "study": studied,
        "cpu": spent,
        "gigabytes": peak,
        "winner": study.winner,
        "error": study.held_out.error,
        "reference": None if reference is None else reference.held_out_error,
        "nearest": next(
            (one.held_out_error for one in study.candidates if one.name == "nearest"), None
        ),
        "skipped": [one.name for one in study.candidates if one.skipped],
        "longest": {stage: round(seconds, 1) for stage, seconds in stages},
        "candidates": {one.name: round(one.seconds, 1) for one in study.candidates},
    }


def missed(must: Must, part: dict[str, Any]) -> list[str]:
    """Return what the study did not keep to."""
    found = []
    if part["seconds"] > must.seconds:
        found.append(f"{must.seconds:g} s")
    if must.gigabytes is not None and part["gigabytes"] > must.gigabytes:
        found.append(f"{must.gigabytes:g} GB")
    nearest, known = part["nearest"], part["reference"]
    if None not in (must.by_nearest, nearest) and part["error"] > must.by_nearest * nearest:
        found.append(f"{must.by_nearest:.3f} times the error of 1-NN")
    if must.by_reference is not None and known and part["error"] > must.by_reference * known:
        found.append(f"{must.by_reference:.3f} times the reference's error")
    if must.no_skips and part["skipped"]:
        found.append("no candidate missing")
    return found


def table(kept: KeptResults) -> str:
    """Return the results as a table."""
    heads = ("study", "s", "must", "CPU s", "GB", "must", "winner", "error", "reference")
    lines = [
        "python -m benchmarks.study_speed: whole studies at the default budget of 5 minutes, with",
        "importing and writing all files; 2 cores; errors are held out, of numbers the RMSE",
        "{:10} {:>6} {:>5} {:>6} {:>5} {:>4} {:14} {:>7} {:>9}  missed; skipped".format(*heads),
    ]
    for name, part in zip((n for n in kept.order if n in kept.parts), kept.ordered(), strict=True):
        must = STUDIES[name]
        most = "" if must.gigabytes is None else f"{must.gigabytes:g}"
        reference = "" if part["reference"] is None else f"{part['reference']:.4f}"
        lines.append(
            f"{name:10} {part['seconds']:6.1f} {must.seconds:5.0f} {part['cpu']:6.1f} "
            f"{part['gigabytes']:5.2f} {most:>4} {part['winner']:14} {part['error']:7.4f} "
            f"{reference:>9}  {', '.join(missed(must, part)) or 'nothing'}; "
            f"{', '.join(part['skipped']) or 'none'}"
        )
        stages = ", ".join(f"{stage} {seconds:g}" for stage, seconds in part["longest"].items())
        lines.append(f"{'':10} longest: {stages} ({part['commit']})")
    return "\n".join(lines)


def main() -> None:
    """Run the studies, each in a process, and print and write the table."""
    parser = BenchParser(__doc__)
    parser.add_argument("names", nargs="*", default=list(STUDIES), metavar="STUDY")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        part = run(options.names[0], options.quick)
        options.one.write_text(json.dumps(part), encoding="utf-8")
        return
    kept = KeptResults("study_speed", {}, list(STUDIES), quick=options.quick)
    for name in options.names:
        if name == "images" and not DATA:
            continue
        kept.keep(name, in_own_process(name, options.quick))
        kept.write_table(table(kept))
        print(table(kept), flush=True)


def in_own_process(name: str, quick: bool) -> dict[str, Any]:
    """Return the result of one study; a quick one of images finds a small file of them."""
    with tempfile.TemporaryDirectory() as place:
        folder, environment = Path(place), dict(os.environ)
        if quick and name == "images":
            with np.load(Path(DATA or ".") / "mnist.npz") as file:
                np.savez(folder / "mnist.npz", **{key: file[key][:QUICK_ROWS] for key in file})
            environment["LOOKALIKE_DATA"] = place
        result = folder / "result.json"
        command = [sys.executable, "-m", "benchmarks.study_speed", name, "--one", str(result)]
        subprocess.run([*command, *["--quick"] * quick], check=True, env=environment)
        return json.loads(result.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
