"""How many injected leaks are found, and how many columns of clean tables are reported.

Run: python -m benchmarks.bench_leakage [--quick] [--rows 1000]

Eight kinds of leaks are put into ten tables (--injected), one at a time; then twenty tables
(--clean) are searched as they are. LOOKALIKE_DATA names the folder of the tables that scikit-learn
does not bring.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
import pandas as pd
from sklearn import datasets

from benchmarks.timing import BenchParser, data_folder
from lookalike.decisions import Decisions
from lookalike.studies.analyze.leakage import find_leaks
from lookalike.studies.context import StudyOptions, load_context
from lookalike.studies.select.budget import Budget


def shared(name: str, target: str) -> tuple[pd.DataFrame, str]:
    return pd.read_csv(data_folder() / name), target


def bundled(load) -> tuple[pd.DataFrame, str]:
    frame = load(as_frame=True).frame
    labels = getattr(load(), "target_names", None)
    if load is not datasets.load_diabetes and labels is not None:
        frame = frame.assign(target=np.asarray(labels)[frame["target"]].astype(str))
    return frame, "target"


def drawn(kind: str, seed: int) -> tuple[pd.DataFrame, str]:
    """Return a table whose target depends on some of its columns, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(800, 8))
    town = rng.choice(["Graz", "Linz", "Wien"], 800)
    signal = X[:, 0] + 0.7 * X[:, 1] * X[:, 2] + (town == "Wien")
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)]).assign(town=town)
    if kind == "numbers":
        return frame.assign(y=signal + 0.7 * rng.normal(size=800)), "y"
    shown = np.where(signal + 0.7 * rng.normal(size=800) > 0.3, "yes", "no")
    if kind == "rare":
        shown = np.where(signal + 0.5 * rng.normal(size=800) > 2.6, "yes", "no")
    return frame.assign(y=shown), "y"


TABLES = {
    "iris": lambda: bundled(datasets.load_iris),
    "wine": lambda: bundled(datasets.load_wine),
    "breast cancer": lambda: bundled(datasets.load_breast_cancer),
    "diabetes": lambda: bundled(datasets.load_diabetes),
    "abalone": lambda: shared("abalone.csv.gz", "rings"),
    "adult": lambda: shared("adult.csv.gz", "income"),
    "heart": lambda: shared("heart_cleveland.csv", "num"),
    "phoneme": lambda: shared("phoneme.csv.gz", "class"),
    "drawn classes": lambda: drawn("classes", 0),
    "drawn numbers": lambda: drawn("numbers", 0),
    "sonar": lambda: shared("sonar.csv.gz", "class"),
    "vote": lambda: shared("vote.csv", "class"),
    "soybean": lambda: shared("soybean.csv", "class"),
    "letter": lambda: shared("letter_recognition.csv.gz", "letter"),
    "digits": lambda: bundled(datasets.load_digits),
    "higgs": lambda: shared("higgs_sample.csv.gz", "label"),
    "drawn classes 2": lambda: drawn("classes", 1),
    "drawn numbers 2": lambda: drawn("numbers", 1),
    "drawn rare class": lambda: drawn("rare", 2),
    "drawn numbers 3": lambda: drawn("numbers", 3),
}


def codes_of(y: pd.Series) -> np.ndarray:
    if y.dtype.kind in "if" and y.nunique() > 20:
        return y.to_numpy(float)
    return np.unique(y.to_numpy().astype(str), return_inverse=True)[1].astype(float)


def inject(kind: str, frame: pd.DataFrame, target: str, rng: np.random.Generator) -> pd.DataFrame:
    """Return the table with a leak of one kind."""
    y, n = frame[target], len(frame)
    code = codes_of(y)
    spread = max(float(code.std()), 1e-9)
    if kind == "copy":
        return frame.assign(leak=3.0 * code - 7.0)
    if kind == "noisy copy":
        noise = 0.03 * spread if len(np.unique(code)) > 30 else 0.12
        return frame.assign(leak=code + noise * rng.normal(size=n))
    if kind == "text copy":
        return frame.assign(leak=[f"result: {value} ({rng.integers(10**6)})" for value in y])
    if kind == "sum of two":
        part = rng.normal(size=n) * 2 * spread
        return frame.assign(leak_a=part, leak_b=code - part)
    if kind == "additive":
        part = rng.normal(size=n)
        return frame.assign(leak_a=part, leak_b=np.cbrt(code - spread * part**2))
    if kind == "identifier":
        rank = np.argsort(np.argsort(code + 1e-6 * rng.random(n)))
        return frame.assign(case_number=10_000 + 3 * rank)
    if kind == "filled for one class":
        share = np.bincount(code.astype(int)).argmin() if len(np.unique(code)) <= 30 else None
        one = code == share if share is not None else code > np.median(code)
        return frame.assign(leak=np.where(one & (rng.random(n) < 0.9), rng.normal(size=n), np.nan))
    start = np.datetime64("2020-01-01") + rng.integers(500, size=n)
    days = np.round(200 * (code - code.min()) / max(np.ptp(code), 1e-9)).astype(int)
    return frame.assign(opened=start, closed=start + days)


KINDS = ("copy", "noisy copy", "text copy", "sum of two", "additive", "identifier",
         "filled for one class", "future timestamp")  # fmt: skip
ADDED = {"leak", "leak_a", "leak_b", "case_number", "opened", "closed"}


def search(frame: pd.DataFrame, target: str) -> set[str]:
    context = load_context(StudyOptions(frame, target=target), Budget(None))
    assert context.task is not None
    leaks = find_leaks(context.dataset, context.task, context.features, 0)
    assert isinstance(context.decisions, Decisions)
    return {name for one in leaks for name in one.columns}


def main() -> None:
    sizes = {"rows": (1000, 100), "injected": (10, 3), "clean": (20, 6)}
    options = BenchParser(__doc__, **sizes).parse_args()
    most = options.rows
    warnings.simplefilter("ignore")
    begin = time.monotonic()
    tables = {}
    for name, make in list(TABLES.items())[: options.clean]:
        frame, target = make()
        if len(frame) > most:
            frame = frame.sample(most, random_state=0).reset_index(drop=True)
        tables[name] = (frame, target)
    print(f"tables of at most {most} rows; found: 1, reported beside it: +1")
    print(f"{'table':18s} " + " ".join(f"{kind[:12]:>12s}" for kind in KINDS))
    found = []
    for name in list(tables)[: options.injected]:
        line = []
        for kind in KINDS:
            frame, target = tables[name]
            named = search(inject(kind, frame, target, np.random.default_rng(7)), target)
            found.append(bool(named & ADDED))
            line.append(f"{int(found[-1])}{'+' + str(len(named - ADDED)) if named - ADDED else ''}")
        print(f"{name:18s} " + " ".join(f"{cell:>12s}" for cell in line), flush=True)
    print(f"found {sum(found)} of {len(found)} ({np.mean(found):.0%})")
    alarms = {name: search(*table) for name, table in tables.items()}
    raised = {name: sorted(named) for name, named in alarms.items() if named}
    print(f"false alarms: {len(raised)} of {len(alarms)} clean tables {raised or ''}")
    print(f"({time.monotonic() - begin:.0f} s)")


if __name__ == "__main__":
    main()
