"""Seconds and peak memory of whole studies at the default budget, each in a process of its own.

Run as ``python -m benchmarks.study_speed``; arguments name some of the studies. ``LOOKALIKE_DATA``
names the folder of larger tables; without it those that need it are left out.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.large_study import cover
from benchmarks.timing import heading

FOLDER = os.environ.get("LOOKALIKE_DATA")
TOPICS, WORDS, COMMON = 20, 60, 4000


def digits() -> tuple[Any, Any, dict[str, Any]]:
    """1,797 images of 8 x 8."""
    return "digits", None, {}


def iris() -> tuple[Any, Any, dict[str, Any]]:
    """150 rows of 4 columns, by nested cross-validation."""
    return "iris", None, {}


def documents() -> tuple[Any, Any, dict[str, Any]]:
    """4,000 documents of 20 subjects, which share most of their words."""
    rng = np.random.default_rng(0)
    subject = rng.integers(TOPICS, size=4000)
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


def numbers() -> tuple[Any, Any, dict[str, Any]]:
    """20,000 rows of 9 columns with a number to predict."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 9))
    y = np.sin(2 * X[:, 0]) * X[:, 1] + np.abs(X[:, 2]) + 0.5 * X[:, 3] * (X[:, 4] > 0)
    return X, y + 0.3 * rng.normal(size=len(X)), {"task": "regression"}


def images() -> tuple[Any, Any, dict[str, Any]]:
    """60,000 images of 28 x 28 (MNIST)."""
    return str(Path(FOLDER or ".") / "mnist.npz"), None, {}


def surface() -> tuple[Any, Any, dict[str, Any]]:
    """500,000 rows of 54 columns on a surface of three dimensions, in 2 GB."""
    X, y = cover(500_000)
    return X, y, {"task": "classification", "memory": "2GB"}


STUDIES: dict[str, tuple[Callable[[], tuple[Any, Any, dict[str, Any]]], float]] = {
    "digits": (digits, 10.0),
    "iris": (iris, 10.0),
    "documents": (documents, 40.0),
    "numbers": (numbers, 60.0),
    "images": (images, 300.0),
    "surface": (surface, 300.0),
}


def run(name: str) -> None:
    """Run one study and print its line."""
    import lookalike

    make, allowed = STUDIES[name]
    X, y, options = make()
    start, before = time.perf_counter(), time.process_time()
    study = lookalike.study(X, y, **options)
    seconds, spent = time.perf_counter() - start, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    assert study.held_out is not None
    skipped = [one.name for one in study.candidates if one.skipped]
    error, other = study.held_out.error, ""
    reference = [one for one in study.candidates if one.reference and one.validation_error]
    if reference:
        own = next(one for one in study.candidates if one.name == study.winner)
        other = f"{own.validation_error:.4f} by {reference[0].validation_error:.4f}"
    print(
        f"{name:10} {seconds:7.1f} {allowed:7.0f} {spent:7.1f} {peak:6.2f} {study.winner:14} "
        f"{error:8.4f} {other:18} {', '.join(skipped) or 'none'}",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    if len(sys.argv) == 3 and sys.argv[1] == "--one":
        run(sys.argv[2])
        return
    heading("seconds of whole studies at the default budget of 5 minutes")
    print("error: held out; validation: of the winner by that of the reference")
    heads = ("study", "s", "allowed", "CPU s", "GB", "winner", "error", "validation", "skipped")
    print("{:10} {:>7} {:>7} {:>7} {:>6} {:14} {:>8} {:18} {}".format(*heads), flush=True)
    for name in sys.argv[1:] or STUDIES:
        if name == "images" and not FOLDER:
            continue
        subprocess.run([sys.executable, "-m", "benchmarks.study_speed", "--one", name], check=True)


if __name__ == "__main__":
    main()
