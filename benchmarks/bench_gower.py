"""Gower's distance and scaled columns on mixed tables, complete and with missing cells.

Run: python -m benchmarks.bench_gower [--quick] [--repeats N] [TABLE ...]

Half of the rows of each table, 2,000 at most, are training rows, and as many others held out; the
mean over several draws. Errors are those of K-NN whose K has the lowest leave-one-out error: the
share of wrong classes, or the RMSE over the standard deviation of the target. Rows are compared by

scaled   z-scores, one-hot categories, missing numbers imputed with the mean
before   Gower's distance over the columns that both rows have
gower    Gower's distance, a missing cell at the expected difference of its column
half     the same, rows at distance 1 that share less than half of the columns
chosen   scaled or gower, by the lower leave-one-out error on the training rows

"+ 30%" marks tables of which so many cells were emptied at random, "+ rows" those of which 10% of
the rows lost all columns but the first category: a row that is nearly empty must not be
everyone's neighbor.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd

from benchmarks.timing import BenchParser, data_folder
from lookalike import KNeighborsClassifier, KNeighborsRegressor
from lookalike.kernels.metrics.gower import Gower
from lookalike.models.preprocessing.table import TablePreprocessor

MOST_TRAINING_ROWS = 2000
WAYS = ("scaled", "before", "gower", "half")


class Task(NamedTuple):
    """A table and its target."""

    X: pd.DataFrame
    y: np.ndarray


def read_table(file: str, target: str, drop: tuple[str, ...] = ()) -> Task:
    """Return a table of the folder of data sets."""
    frame = pd.read_csv(data_folder() / file)
    frame = frame[frame[target].notna()].drop(columns=list(drop))
    X = frame.drop(columns=target)
    X = X.drop(columns=[name for name in X if X[name].nunique() < 2])
    return Task(X, frame[target].to_numpy())


def penguins() -> Task:
    """Return three species by four measures, an island and a sex, two rows without measures."""
    rng = np.random.default_rng(0)
    species = rng.choice(3, 344, p=[0.44, 0.2, 0.36])
    means = np.array([[39, 18.3, 190, 3700], [49, 18.4, 196, 3733], [47.5, 15, 217, 5076]])
    measures = means[species] + rng.normal(size=(344, 4)) * [2.8, 1.1, 6.5, 450]
    X = pd.DataFrame(measures, columns=["bill", "depth", "flipper", "mass"])
    island = np.where(species == 0, rng.choice(3, 344), species % 2)
    X["island"], X["sex"] = np.array(list("xyz"))[island], rng.choice(["f", "m"], 344)
    X.iloc[[3, 271], :4] = np.nan
    return Task(X, species)


def with_empty_cells(task: Task, share: float) -> Task:
    """Return a table with a share of its cells emptied at random."""
    rng = np.random.default_rng(1)
    return Task(
        task.X.astype(object).mask(rng.random(task.X.shape) < share).infer_objects(), task.y
    )


def with_empty_rows(task: Task, share: float = 0.1) -> Task:
    """Return a table of which a share of the rows lost all but their first category."""
    words = [name for name in task.X if task.X[name].dtype == object]
    others = [name for name in task.X if name != (words or [task.X.columns[0]])[0]]
    X = task.X.astype(dict.fromkeys(others, object))
    X.loc[X.index[np.random.default_rng(2).random(len(X)) < share], others] = None
    return Task(X.infer_objects(), task.y)


TABLES: dict[str, Callable[[], Task]] = {
    "penguins": penguins,
    "adult": lambda: read_table("adult.csv.gz", "income", ("split",)),
    "titanic": lambda: read_table(
        "titanic.csv.gz", "Survived", ("PassengerId", "Name", "Ticket", "Cabin")
    ),
    "heart": lambda: read_table("heart_cleveland.csv", "num"),
    "telco": lambda: read_table("telco_churn.csv.gz", "Churn", ("customerID",)),
    "soybean": lambda: read_table("soybean.csv", "class"),
    "vote": lambda: read_table("vote.csv", "class"),
    "ames": lambda: read_table("ames_house_prices.csv.gz", "SalePrice", ("Id",)),
}


def features(way: str, train: pd.DataFrame, new: pd.DataFrame) -> tuple[object, object, dict]:
    """Return training rows and new ones prepared, and the options of the search."""
    kinds = {name: "number" if train[name].dtype.kind in "fiu" else "category" for name in train}
    encoding = "onehot" if way == "scaled" else "codes"
    made = TablePreprocessor(
        kinds, scale="zscore" if way == "scaled" else "none", encoding=encoding
    )
    Z, Q = (np.asarray(made.fit(train).transform(part)) for part in (train, new))
    if way == "scaled":
        return Z, Q, {}
    params = {"categorical": list(made.categorical_), "min_shared": 0.5 if way == "half" else 0.0}
    return Z, Q, {"metric": "gower", "metric_params": params, "missing": "present"}


def errors(way: str, task: Task, train: np.ndarray, new: np.ndarray) -> tuple[float, float]:
    """Return the leave-one-out error of the training rows, and the error of the held-out ones."""
    Z, Q, options = features(way, task.X.iloc[train], task.X.iloc[new])
    numbers = task.y.dtype.kind == "f" or len(np.unique(task.y)) > 50
    y = task.y.astype(float) if numbers else task.y.astype(str)
    maker = KNeighborsRegressor if numbers else KNeighborsClassifier
    without = patch.object(Gower, "expect") if way == "before" else nullcontext()
    with without:
        model = maker("loo", **options).fit(Z, y[train])
    predicted, chosen = model.predict(Q), model.selection_
    loss = float(chosen.curves["loo", "uniform"].scores[chosen.score].min())
    if numbers:
        return loss, float(np.sqrt(np.mean((predicted - y[new]) ** 2)) / y[new].std())
    return loss, float(np.mean(predicted != y[new]))


def measure(task: Task, repeats: int) -> dict[str, float]:
    """Return the mean held-out error of each way, and of the one chosen by leave-one-out."""
    results: dict[str, list[float]] = {way: [] for way in (*WAYS, "chosen")}
    size = min(len(task.y) // 2, MOST_TRAINING_ROWS)
    for seed in range(repeats):
        order = np.random.default_rng(seed).permutation(len(task.y))
        pairs = {way: errors(way, task, order[:size], order[size : 2 * size]) for way in WAYS}
        for way, (_, held_out) in pairs.items():
            results[way].append(held_out)
        chosen = min(("scaled", "gower"), key=lambda way: pairs[way][0])
        results["chosen"].append(pairs[chosen][1])
    return {way: float(np.mean(values)) for way, values in results.items()}


def main() -> None:
    parser = BenchParser(__doc__, repeats=(5, 1))
    parser.add_argument("tables", nargs="*", metavar="TABLE")
    arguments = parser.parse_args()
    names = arguments.tables or (["penguins", "vote"] if arguments.quick else list(TABLES))
    begin, totals = time.monotonic(), []
    print(f"{'table':18}" + "".join(f"{way:>9}" for way in (*WAYS, "chosen")))
    for name in names:
        task = TABLES[name]()
        for title, changed in (
            (name, task),
            (f"{name} + 30%", with_empty_cells(task, 0.3)),
            (f"{name} + rows", with_empty_rows(task)),
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = measure(changed, arguments.repeats)
            totals.append(list(result.values()))
            print(f"{title:18}" + "".join(f"{one:9.3f}" for one in result.values()), flush=True)
    print(f"{'mean':18}" + "".join(f"{one:9.3f}" for one in np.mean(totals, axis=0)))
    print(f"({time.monotonic() - begin:.0f} s)")


if __name__ == "__main__":
    main()
