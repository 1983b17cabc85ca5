"""Two studies of the same rows, in processes of one and of two threads, write the same bytes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

STUDIES = """
import json, sys
from lookalike.cli.program import run
sys.exit(any(run(arguments) for arguments in json.loads(sys.argv[1])))
"""
TESTS = str(Path(__file__).parents[1])
WORDS = ["motor", "wheel", "brake", "road", "leaf", "root", "stem", "petal", "the", "and", "for"]


def table(folder):
    rng = np.random.default_rng(0)
    lines = ["age,town,ill"]
    for row in range(60):
        ill = row % 2
        age = "" if row % 9 == 0 else f"{40 + 9 * ill + 9 * rng.normal():.1f}"
        lines.append(f"{age},{rng.choice(['Graz', 'Linz', ''])},{('no', 'yes')[ill]}")
    (folder / "ill.csv").write_text("\n".join(lines))
    return ["ill.csv", "--target", "ill"]


def pictures(folder):
    from PIL import Image

    rng = np.random.default_rng(0)
    for number in range(30):
        name = ("rising", "falling")[number % 2]
        (folder / "pictures" / name).mkdir(parents=True, exist_ok=True)
        gray = np.linspace(40, 160, 8) * np.ones((7, 1)) + rng.integers(0, 70, (7, 8))
        gray = gray if number % 2 else gray[:, ::-1]
        Image.fromarray(gray.astype(np.uint8)).save(folder / "pictures" / name / f"{number}.png")
    return ["pictures"]


def texts(folder):
    rng = np.random.default_rng(0)
    words = np.array(WORDS)
    with open(folder / "texts.jsonl", "w") as file:
        for row in range(40):
            chosen = [*rng.choice(words[4 * (row % 2) :][:5], 4), *rng.choice(words[8:], 3)]
            line = {"text": " ".join(chosen), "about": ("cars", "plants")[row % 2]}
            file.write(json.dumps(line) + "\n")
    return ["texts.jsonl", "--text", "text", "--target", "about"]


def without_timings(name: str, written: bytes) -> object:
    if name == "study.json":
        found = json.loads(written)
        del found["seconds"], found["stages"]
        for one in found["candidates"]:
            del one["seconds"]
        return found
    if name == "report.html":
        return re.sub(rb"<p class=\"under\">[0-9.]+ s in all:.*?</p>", b"", written)
    return written


MAKERS = (table, pictures, texts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All studies of one thread and of two, those of a number of threads in one process."""
    folder = tmp_path_factory.mktemp("same")
    asked = {make.__name__: make(folder) for make in MAKERS}
    path = os.pathsep.join([TESTS, os.environ.get("PYTHONPATH", "")])
    for threads in ("1", "2"):
        studies = [
            ["study", *arguments, "--seed", "3", "--out", f"{name}{threads}"]
            for name, arguments in asked.items()
        ]
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
        subprocess.run(
            [sys.executable, "-c", STUDIES, json.dumps(studies)],
            cwd=folder,
            env=os.environ | dict.fromkeys(names, threads) | {"PYTHONPATH": path},
            check=True,
            capture_output=True,
        )
    return folder


@pytest.mark.parametrize("make", MAKERS)
def test_the_same_seed_writes_the_same_bytes_but_for_timings(folder, make):
    one, two = (
        {f.name: without_timings(f.name, f.read_bytes()) for f in (folder / name).iterdir()}
        for name in (f"{make.__name__}1", f"{make.__name__}2")
    )
    assert set(one) == set(two)
    assert {"audit.csv", "model.lookalike", "predictions.csv", "report.html"} <= set(one)
    for name, found in one.items():
        assert found == two[name], name
