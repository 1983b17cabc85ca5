"""Compare the winner of a study with six models of scikit-learn at their defaults, row by row.

Every table is split once; the study and its competitors are fitted on the same rows and scored on
the same held-out ones. Run as ``python -m benchmarks.winner_study``; ``LOOKALIKE_DATA`` names the
folder of larger tables, and without it scikit-learn's own are used.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

import lookalike

MOST_ROWS = 20_000  # of a table; more are drawn from at random
ALLOWED = 1.03  # of the best competitor's error


class TableToCompare(NamedTuple):
    """A table with its target, numbers or classes."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    regression: bool


CLASSIFIERS: dict[str, Callable[[], object]] = {
    "random forest": lambda: RandomForestClassifier(random_state=0, n_jobs=-1),
    "extra trees": lambda: ExtraTreesClassifier(random_state=0, n_jobs=-1),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    "SVC": SVC,
    "logistic": lambda: LogisticRegression(max_iter=1000),
    "K-NN": KNeighborsClassifier,
}
REGRESSORS: dict[str, Callable[[], object]] = {
    "random forest": lambda: RandomForestRegressor(random_state=0, n_jobs=-1),
    "extra trees": lambda: ExtraTreesRegressor(random_state=0, n_jobs=-1),
    "boosting": lambda: HistGradientBoostingRegressor(random_state=0),
    "SVR": SVR,
    "ridge": RidgeCV,
    "K-NN": KNeighborsRegressor,
}
FILES = {
    "abalone.csv.gz": ("rings", True),
    "adult.csv.gz": ("income", False),
    "heart_cleveland.csv": ("num", False),
    "letter_recognition.csv.gz": ("letter", False),
    "phoneme.csv.gz": ("class", False),
    "sonar.csv.gz": ("class", False),
    "soybean.csv": ("class", False),
    "vote.csv": ("class", False),
    "higgs_sample.csv.gz": ("label", False),
}


def bundled() -> Iterator[TableToCompare]:
    """Give the tables that come with scikit-learn."""
    for load, regression in (
        (datasets.load_iris, False),
        (datasets.load_wine, False),
        (datasets.load_breast_cancer, False),
        (datasets.load_digits, False),
        (datasets.load_diabetes, True),
    ):
        X, y = load(return_X_y=True, as_frame=True)
        yield TableToCompare(load.__name__.removeprefix("load_"), X, y.to_numpy(), regression)


def shared() -> Iterator[TableToCompare]:
    """Give the tables of ``LOOKALIKE_DATA`` that are there."""
    folder = os.environ.get("LOOKALIKE_DATA")
    for file, (target, regression) in FILES.items() if folder else ():
        path = Path(folder) / file
        if not path.exists():
            continue
        table = pd.read_csv(path, na_values="?", skipinitialspace=True)
        table = table.dropna(subset=[target])
        if len(table) > MOST_ROWS:
            table = table.sample(MOST_ROWS, random_state=0)
        y = table.pop(target).to_numpy()
        yield TableToCompare(
            file.split(".")[0], table, y if regression else y.astype(str), regression
        )


def prepared(model: object) -> object:
    """Return a competitor behind the usual steps: fill, scale, one-hot."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    others = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    number = make_column_selector(dtype_include="number")
    other = make_column_selector(dtype_exclude="number")
    return make_pipeline(make_column_transformer((numbers, number), (others, other)), model)


def error(predicted: np.ndarray, y: np.ndarray, regression: bool) -> float:
    """Return the share of wrong labels, or the root mean squared error."""
    if regression:
        return float(np.sqrt(np.mean((predicted - y) ** 2)))
    return float(np.mean(predicted.astype(str) != y.astype(str)))


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    heads = ("table", "rows", "winner", "error", "best other", "error", "ratio", "s")
    print("{:20} {:>6} {:26} {:>8} {:16} {:>8} {:>6} {:>5}".format(*heads))
    ratios = []
    for table in (*bundled(), *shared()):
        stratify = None if table.regression else table.y
        parts = train_test_split(table.X, table.y, test_size=0.3, random_state=0, stratify=stratify)
        X, Q, y, truth = parts
        models = REGRESSORS if table.regression else CLASSIFIERS
        others = {
            name: error(prepared(build()).fit(X, y).predict(Q), truth, table.regression)
            for name, build in models.items()
        }
        best = min(others, key=others.__getitem__)
        task = "regression" if table.regression else "classification"
        start = time.perf_counter()
        study = lookalike.study(X.reset_index(drop=True), y, task=task)
        seconds = time.perf_counter() - start
        ours = error(np.asarray(study.model.predict(Q)), truth, table.regression)
        ratio = ours / others[best] if others[best] else 1.0 if ours == 0 else np.inf
        ratios.append(ratio)
        print(
            f"{table.name:20} {len(table.y):6} {study.winner:26} {ours:8.4g} {best:16} "
            f"{others[best]:8.4g} {ratio:6.2f} {seconds:5.0f}",
            flush=True,
        )
    within = np.mean(np.array(ratios) <= ALLOWED)
    print(f"within 3 % of the best of six: {within:.0%} of {len(ratios)} tables")


if __name__ == "__main__":
    main()
