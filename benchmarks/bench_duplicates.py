"""How many injected duplicates, near duplicates and outliers the audit finds, and how precisely.

Run: python -m benchmarks.bench_duplicates [--quick] [--seeds N] [TABLE ...]

Each table loses its own exact duplicates. Then rows are injected, 2% of the rows and 0.5% of
outliers, at least 5:

duplicates       copies of rows
near duplicates  copies with a thousandth of a standard deviation added to every number that is no
                 integer, and one unit to one integer where there is no other number; of tables of
                 categories alone one cell is changed
outliers         every number is 10 to 20 standard deviations from the mean, on either side, and
                 every category is drawn from those of its column, each as probable; of tables of
                 categories alone half of the cells hold one that no other row has

Precision is the share of injected rows among the flagged ones that are not flagged in the table as
it was; of near duplicates and duplicates, both rows of a pair count as injected. The last columns
are the shares of the rows of the table as it was that are flagged. Rows are prepared as in a study
without a target, with Gower's distance where that is said, or given to `lookalike.audit` as an
array of numbers and one-hot columns.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

import lookalike
from benchmarks.label_errors import as_numbers, bundled, framed, shared
from benchmarks.timing import BenchParser
from lookalike.studies.audit import audit_data

INJECTED = {"duplicate": 0.02, "near_duplicate": 0.02, "outlier": 0.005}  # of the rows
LEAST = 5
KINDS = ("duplicate", "near_duplicate", "outlier")


class Task(NamedTuple):
    """A table and how its rows are given to the audit."""

    kind: str
    table: Callable[[], pd.DataFrame]
    how: str = "study"


class Tally(NamedTuple):
    """Rows that were flagged, that were injected, and both."""

    flagged: int
    injected: int
    hits: int


def adult() -> pd.DataFrame:
    """Return 2,000 rows of adult, without target and split."""
    return shared("adult.csv.gz", "income", ("split",)).X


def towns() -> pd.DataFrame:
    """Return three numbers, and one of 61 towns, most of them rare."""
    rng = np.random.default_rng(0)
    town = np.minimum(rng.geometric(0.08, size=1500) - 1, 60)
    numbers = pd.DataFrame(rng.normal(size=(1500, 3)), columns=["a", "b", "c"])
    return numbers.assign(town=[f"town {one}" for one in town])


def answers() -> pd.DataFrame:
    """Return the answers to 40 questions, four to choose from, by three kinds of people."""
    rng = np.random.default_rng(1)
    share = rng.dirichlet(np.ones(4), size=(3, 40)).cumsum(axis=2)
    who = rng.integers(3, size=1200)
    drawn = (rng.random((1200, 40, 1)) > share[who]).sum(axis=2)
    return pd.DataFrame(np.array(list("abcd"))[np.minimum(drawn, 3)]).add_prefix("q")


def questions() -> pd.DataFrame:
    """Return the answers to 12 questions, yes or no."""
    rng = np.random.default_rng(2)
    share = np.where(rng.integers(2, size=1000)[:, None] == 1, 0.75, 0.3)
    return pd.DataFrame(np.where(rng.random((1000, 12)) < share, "yes", "no")).add_prefix("q")


def visits() -> pd.DataFrame:
    """Return a mixed table with missing cells."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, size=1500),
            "weight": np.round(rng.normal(75, 12, size=1500), 1),
            "cost": np.round(rng.lognormal(5, 1, size=1500), 2),
            "ward": rng.choice(["a", "b", "c", "d"], 1500),
            "urgent": rng.choice(["yes", "no"], 1500),
        }
    )
    return frame.mask(rng.random(frame.shape) < 0.05)


def clusters() -> pd.DataFrame:
    """Return four normal groups of unequal density."""
    rng = np.random.default_rng(4)
    group = rng.integers(4, size=1500)
    spread = np.array([0.3, 0.7, 1.0, 2.0])[group, None]
    return framed(8 * np.eye(5)[group] + spread * rng.normal(size=(1500, 5)), group).X


TABLES: dict[str, Task] = {
    "wine": Task("numbers", lambda: bundled("wine").X),
    "breast cancer": Task("numbers", lambda: bundled("breast_cancer").X),
    "phoneme": Task("numbers", lambda: shared("phoneme.csv.gz", "class").X),
    "sonar": Task("numbers", lambda: shared("sonar.csv.gz", "class").X),
    "four groups": Task("numbers", clusters),
    "letter": Task("integers", lambda: shared("letter_recognition.csv.gz", "letter").X),
    "abalone": Task("mixed", lambda: shared("abalone.csv.gz", "rings").X),
    "adult": Task("mixed", adult),
    "adult, Gower": Task("mixed", adult, "gower"),
    "heart": Task("mixed", lambda: shared("heart_cleveland.csv", "num").X),
    "visits": Task("mixed", visits),
    "visits, Gower": Task("mixed", visits, "gower"),
    "towns": Task("mixed", towns),
    "vote": Task("categories", lambda: shared("vote.csv", "class").X),
    "soybean": Task("categories", lambda: shared("soybean.csv", "class").X),
    "soybean, Gower": Task("categories", lambda: shared("soybean.csv", "class").X, "gower"),
    "12 questions": Task("categories", questions),
    "40 answers": Task("categories", answers),
    "adult, array": Task("one-hot", adult, "array"),
    "towns, array": Task("one-hot", towns, "array"),
    "soybean, array": Task("one-hot", lambda: shared("soybean.csv", "class").X, "array"),
    "40 answers, array": Task("one-hot", answers, "array"),
}


def main() -> None:
    parser = BenchParser(__doc__, seeds=(5, 1), rows=(2000, 200))
    parser.add_argument("names", nargs="*", default=list(TABLES))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"python -m benchmarks.bench_duplicates --seeds {options.seeds}")
    print(
        f"{'':33}{'duplicates':>14}{'near duplicates':>17}{'outliers':>14}"
        f"{'as it was, flagged':>22}"
    )
    print(
        f"{'table':19}{'kind':11}{'rows':>5}"
        + f"{'precision':>10} recall" * 3
        + f"{'near':>9}{'outliers':>9}"
    )
    begin, every = time.monotonic(), {kind: Tally(0, 0, 0) for kind in KINDS}
    for name in options.names:
        task = TABLES[name]
        frame = task.table().drop_duplicates().head(options.rows).reset_index(drop=True)
        before = flagged(task, frame)
        found = {kind: Tally(0, 0, 0) for kind in KINDS}
        for seed in range(options.seeds):
            for kind in KINDS:
                one = trial(task, frame, kind, seed, before)
                found[kind] = add(found[kind], one)
                every[kind] = add(every[kind], one)
        near, far = (before[kind].mean() for kind in KINDS[1:])
        cells = "".join(shown(found[kind]) for kind in KINDS)
        print(f"{name:19}{task.kind:11}{len(frame):5}{cells}{near:9.2%}{far:9.2%}", flush=True)
    print(f"{'all':35}" + "".join(shown(every[kind]) for kind in KINDS))
    print(f"({time.monotonic() - begin:.0f} s)")


def add(first: Tally, second: Tally) -> Tally:
    return Tally(*(a + b for a, b in zip(first, second, strict=True)))


def shown(tally: Tally) -> str:
    """Return precision and recall; no precision where nothing was flagged."""
    precision = f"{tally.hits / tally.flagged:.3f}" if tally.flagged else "-"
    return f"{precision:>10}{tally.hits / tally.injected:7.2f}"


def trial(
    task: Task, frame: pd.DataFrame, kind: str, seed: int, before: dict[str, np.ndarray]
) -> Tally:
    """Return how many rows of one kind were injected and flagged."""
    rng = np.random.default_rng(seed)
    many = max(round(INJECTED[kind] * len(frame)), LEAST)
    source = rng.permutation(len(frame))[:many]
    copies = frame.iloc[source].reset_index(drop=True)
    if kind == "near_duplicate":
        copies = nearly(copies, frame, rng)
    elif kind == "outlier":
        copies = far_away(copies, frame, rng)
    everything = pd.concat([frame, copies], ignore_index=True)
    true = np.arange(len(everything)) >= len(frame)
    if kind != "outlier":
        true[source] = True
    found = flagged(task, everything)[kind]
    found[: len(frame)] &= ~before[kind] | true[: len(frame)]
    return Tally(int(found.sum()), int(true.sum()), int((found & true).sum()))


def nearly(copies: pd.DataFrame, frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return rows that differ a little from those they copy."""
    numbers = list(frame.select_dtypes("number"))
    if not numbers:
        for place, column in enumerate(rng.integers(frame.shape[1], size=len(copies))):
            others = frame.iloc[:, column].dropna().unique()
            others = others[others != copies.iat[place, column]]
            copies.iat[place, column] = rng.choice(others)
        return copies
    real = [name for name in numbers if (frame[name].dropna() % 1 != 0).any()]
    for name in real:
        copies[name] += 1e-3 * frame[name].std() * rng.normal(size=len(copies))
    if not real:
        for place, name in enumerate(rng.choice(numbers, size=len(copies))):
            copies.loc[place, name] += 1
    return copies


def far_away(copies: pd.DataFrame, frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return rows that are unlike all others."""
    mixed = frame.select_dtypes("number").shape[1] > 0
    for name, column in frame.items():
        if column.dtype.kind in "if":
            side = rng.choice([-1.0, 1.0], len(copies)) * rng.uniform(10, 20, len(copies))
            copies[name] = column.mean() + side * column.std()
        elif mixed:
            copies[name] = rng.choice(column.dropna().unique(), len(copies))
        else:
            new = rng.random(len(copies)) < 0.5
            copies[name] = np.where(new, [f"new {i}" for i in range(len(copies))], copies[name])
    return copies


def flagged(task: Task, frame: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return which rows the audit flags, by kind."""
    if task.how == "array":
        rows = as_numbers(frame)
        numbers = frame.select_dtypes("number").shape[1]
        rows[:, :numbers] /= rows[:, :numbers].std(axis=0)
        found = lookalike.audit(rows)
        every = np.arange(len(frame))
        return {kind: np.isin(every, found.rows(kind)) for kind in KINDS}
    metric = "gower" if task.how == "gower" else "auto"
    flags = audit_data(frame, time=None, metric=metric)[0].table.flags
    return {kind: np.array([kind in one.split() for one in flags]) for kind in KINDS}


if __name__ == "__main__":
    main()
