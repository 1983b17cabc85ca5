"""Label errors found by the audit and by cleanlab with a random forest, in one run.

Run: python -m benchmarks.label_errors [--quick] [--repeats N] [--seed FIRST] [--jobs N] [TABLE ...]

Of each table 5% of the labels are changed to another class, drawn with a seed; three seeds, six of
tables below 600 rows. The audit of lookalike has the probabilities of the model that a study
selects, of a random forest, and of neighbors, each without the row: by folds, out-of-bag or
leave-one-out; cleanlab (find_label_issues, its defaults) those of a random forest of 200 trees by 5
folds. Precision, recall and F1 are means over the
seeds; *clean* is the share of rows that is flagged where no label was changed; *calibration* is
the sum of P(wrong) over the number of changed labels.
"""

from __future__ import annotations

import warnings
from argparse import Namespace
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

import lookalike
from benchmarks.timing import BenchParser, data_folder
from lookalike.explain import out_of_fold_probabilities
from lookalike.studies.audit import audit_data

CHANGED = 0.05  # of the labels
TREES = 200
ROWS = 2000  # of larger tables, drawn with seed 0
SMALL = 600  # rows below which a table is repeated twice as often
QUICK = ("wine", "adult (mixed)", "vote (categories)")  # tables of a quick run


class Labeled(NamedTuple):
    """A table and its labels."""

    X: pd.DataFrame
    y: np.ndarray


class Found(NamedTuple):
    """How well changed labels were found."""

    precision: float
    recall: float
    f1: float


class Trial(NamedTuple):
    """Scores of one draw of changed labels, and the parts of the rows that were flagged."""

    ours: Found
    theirs: Found
    flagged: float
    flagged_theirs: float
    calibration: float


def main() -> None:
    parser = BenchParser(__doc__, repeats=(3, 1), rows=(ROWS, 150), jobs=(1, 2))
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("names", nargs="*", metavar="TABLE")
    options = parser.parse_args()
    names = options.names or (QUICK if options.quick else TABLES)
    print(
        f"{'table':22}{'rows':>6}{'classes':>8}  "
        f"{'lookalike P/R/F1':18}{'cleanlab P/R/F1':18}{'F1 gain':>8}"
        f"{'clean':>8}{'cleanlab':>9}{'calibration':>12}"
    )
    gains, scores = [], []
    with ProcessPoolExecutor(options.jobs) as pool:
        tables = {name: drawn(TABLES[name](), options.rows) for name in names}
        limit = 8.0 if options.quick else None
        lines = {
            name: [pool.submit(trial, table, seed, limit) for seed in seeds(table, options)]
            for name, table in tables.items()
        }
        results = {name: joined(tables[name], futures) for name, futures in lines.items()}
    for name, line in results.items():
        gains.append(line["gain"])
        scores.append((line["ours"].f1, line["theirs"].f1))
        ours, theirs = ("{:.2f} {:.2f} {:.2f}".format(*line[who]) for who in ("ours", "theirs"))
        print(
            f"{name:22}{line['rows']:6}{line['classes']:8}  {ours:18}{theirs:18}"
            f"{line['gain']:+8.2f}{line['clean']:8.2%}{line['clean_theirs']:9.2%}"
            f"{line['calibration']:12.2f}",
            flush=True,
        )
    mean = np.mean(scores, axis=0)
    print(
        f"mean F1 {mean[0]:.3f}, cleanlab {mean[1]:.3f}: gain {mean[0] - mean[1]:+.3f}, "
        f"smallest gain {min(gains):+.3f}"
    )


def seeds(table: Labeled, options: Namespace) -> tuple[int | None, ...]:
    """Return the seeds of the trials of a table, the first of them without changed labels."""
    repeats = options.repeats * (2 if len(table.y) < SMALL and not options.quick else 1)
    return (None, *range(options.seed, options.seed + repeats))


def joined(table: Labeled, futures: list[Future[Trial]]) -> dict[str, Any]:
    """Return the scores of both on one table."""
    clean, *changed = (future.result() for future in futures)
    ours, theirs = (
        Found(*np.mean([getattr(one, who) for one in changed], axis=0))
        for who in ("ours", "theirs")
    )
    return {
        "rows": len(table.y),
        "classes": len(np.unique(table.y)),
        "ours": ours,
        "theirs": theirs,
        "gain": ours.f1 - theirs.f1,
        "clean": clean.flagged,
        "clean_theirs": clean.flagged_theirs,
        "calibration": np.mean([one.calibration for one in changed]),
    }


def trial(table: Labeled, seed: int | None, limit: float | None) -> Trial:
    """Return the scores of both with the labels that a seed changes; with none for None."""
    y, changed = (table.y, np.zeros(len(table.y), bool)) if seed is None else flipped(table.y, seed)
    with threadpool_limits(1), lookalike.config(threads=1):
        flagged, probability = audited(table.X, y, limit)
        theirs = cleanlab_flags(table.X, y)
    return Trial(
        scores_of(flagged, changed),
        scores_of(theirs, changed),
        float(flagged.mean()),
        float(theirs.mean()),
        float(probability.sum() / max(changed.sum(), 1)),
    )


def flipped(y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels of which 5% are changed to another class, and which those are."""
    classes, codes = np.unique(y, return_inverse=True)
    rng = np.random.default_rng(seed)
    changed = np.zeros(len(y), bool)
    changed[rng.permutation(len(y))[: round(CHANGED * len(y))]] = True
    other = (codes + rng.integers(1, len(classes), size=len(y))) % len(classes)
    return classes[np.where(changed, other, codes)], changed


def audited(X: pd.DataFrame, y: np.ndarray, limit: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Return which labels our audit flags, and the probability that each is wrong."""
    text = "text" if list(X.columns) == ["text"] else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = audit_data(X, y, text=text, task="classification", time=limit)[0].table
    return np.array(["mislabel" in f.split() for f in table.flags]), table.scores[
        "mislabel_probability"
    ]


def cleanlab_flags(X: pd.DataFrame, y: np.ndarray) -> np.ndarray:
    """Return which labels cleanlab flags, from the probabilities of a random forest."""
    from cleanlab.filter import find_label_issues

    codes = np.unique(y, return_inverse=True)[1]
    forest = RandomForestClassifier(TREES, random_state=0, n_jobs=1)
    probability = out_of_fold_probabilities(forest, as_numbers(X), codes)
    return np.asarray(find_label_issues(codes, probability, n_jobs=1))


def as_numbers(X: pd.DataFrame) -> Any:
    """Return the columns as numbers: missing ones as the mean, categories one-hot, texts tf-idf."""
    if list(X.columns) == ["text"]:
        from sklearn.feature_extraction.text import TfidfVectorizer

        return TfidfVectorizer(min_df=2).fit_transform(X["text"])
    numbers = X.select_dtypes("number")
    other = X.drop(columns=numbers.columns)
    parts = [numbers.fillna(numbers.mean())]
    if other.shape[1]:
        parts.append(pd.get_dummies(other.fillna("(missing)")).astype(float))
    return pd.concat(parts, axis=1).to_numpy(float)


def scores_of(flagged: np.ndarray, changed: np.ndarray) -> Found:
    """Return precision, recall and F1."""
    hits = np.count_nonzero(flagged & changed)
    return Found(
        hits / max(flagged.sum(), 1),
        hits / max(changed.sum(), 1),
        2 * hits / max(flagged.sum() + changed.sum(), 1),
    )


def bundled(name: str) -> Labeled:
    """Return a table of scikit-learn."""
    bunch = getattr(datasets, f"load_{name}")()
    X = pd.DataFrame(bunch.data, columns=[str(one) for one in bunch.feature_names])
    return Labeled(X, bunch.target)


def shared(file: str, target: str, drop: tuple[str, ...] = ()) -> Labeled:
    """Return a table of the folder LOOKALIKE_DATA, at most 2000 rows of it."""
    frame = pd.read_csv(data_folder() / file).drop(columns=list(drop))
    return drawn(Labeled(frame.drop(columns=target), frame[target].to_numpy()), ROWS)


def drawn(table: Labeled, most: int) -> Labeled:
    """Return at most so many rows of a table, drawn at random."""
    if len(table.y) <= most:
        return table
    rows = np.random.default_rng(0).permutation(len(table.y))[:most]
    return Labeled(table.X.iloc[rows].reset_index(drop=True), table.y[rows])


def groups() -> Labeled:
    """Return three normal groups whose means are 2.5 deviations apart."""
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=1500)
    corner = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.87]])
    return framed(2.5 * corner[y] + rng.normal(size=(1500, 2)), y)


def moons() -> Labeled:
    """Return two half circles with noise, and four columns of noise."""
    X, y = datasets.make_moons(1500, noise=0.25, random_state=0)
    return framed(np.column_stack([X, np.random.default_rng(1).normal(size=(1500, 4))]), y)


def framed(X: np.ndarray, y: np.ndarray) -> Labeled:
    """Return an array as a table."""
    return Labeled(pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]), y)


TABLES: dict[str, Callable[[], Labeled]] = {
    "wine": lambda: bundled("wine"),
    "breast cancer": lambda: bundled("breast_cancer"),
    "digits": lambda: bundled("digits"),
    "letter": lambda: shared("letter_recognition.csv.gz", "letter"),
    "phoneme": lambda: shared("phoneme.csv.gz", "class"),
    "adult (mixed)": lambda: shared("adult.csv.gz", "income", ("split",)),
    "vote (categories)": lambda: shared("vote.csv", "class"),
    "soybean (categories)": lambda: shared("soybean.csv", "class"),
    "three groups": groups,
    "moons, noise columns": moons,
}

if __name__ == "__main__":
    main()
