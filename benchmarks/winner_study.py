"""Compare the winner of a study with models at their defaults, row by row.

These are six of scikit-learn, and CatBoost, LightGBM and XGBoost where they are installed.

Every table is split at random; the study and its competitors are fitted on the same rows and scored
on the same held-out ones, which are the test rows of the study. Of fewer than 1,000 rows it is not
given these: it then selects by cross-validation, and fits on all rows it has. With
``--single`` a study without an ensemble is one more competitor. ``--results`` names the files.

Run: python -m benchmarks.winner_study [--quick] [--tables wine,adult] [--repeats N] [--again]
``--repeats`` splits tables of fewer than 1,000 rows N times. The result of every table is kept as
soon as it is known, in ``benchmarks/results/winner_study.jsonl``, and the table of all of them in
``winner_study.txt``: started again with the same options, it goes on where it was stopped, and
``--again`` takes tables again. ``LOOKALIKE_DATA`` names the folder of larger tables; without it
scikit-learn's own are used.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

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
from benchmarks.kept_results import KeptResults, current_commit
from benchmarks.timing import BenchParser
from lookalike.studies.effort import Effort

MOST_ROWS, TIME = 20_000, "5m"  # of a table, whose other rows are not drawn, and of its study
QUICK = ("iris", "diabetes", "heart_cleveland", "abalone")  # few and many rows, both tasks
QUICK_ROWS, QUICK_TIME = 1_500, "3s"
ALLOWED = 1.03  # of the best competitor's error
NORMAL = 1.96
LEAST_PROBABILITY = 1e-15  # of a log loss
SINGLE = "single candidate"  # the winner of a study without an ensemble
NO_ENSEMBLE = replace(Effort.full(), ensemble=False)


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
BOOSTING_LIBRARIES: dict[str, tuple[str, str, dict[str, object]]] = {  # classifier, regressor
    "catboost": (
        "CatBoostClassifier",
        "CatBoostRegressor",
        {"verbose": False, "allow_writing_files": False},
    ),
    "lightgbm": ("LGBMClassifier", "LGBMRegressor", {"verbose": -1}),
    "xgboost": ("XGBClassifier", "XGBRegressor", {}),
}
FILES = {  # the smallest first
    "sonar.csv.gz": ("class", False),
    "concrete.csv.gz": ("strength", True),
    "titanic.csv.gz": ("Survived", False),
    "segment.csv.gz": ("class", False),
    "heart_cleveland.csv": ("num", False),
    "vote.csv": ("class", False),
    "soybean.csv": ("class", False),
    "abalone.csv.gz": ("rings", True),
    "ames_house_prices.csv.gz": ("SalePrice", True),
    "telco_churn.csv.gz": ("Churn", False),
    "phoneme.csv.gz": ("class", False),
    "adult.csv.gz": ("income", False),
    "electricity.csv.gz": ("target", False),
    "diamonds.csv.gz": ("price", True),
    "letter_recognition.csv.gz": ("letter", False),
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


def shared(most: int) -> Iterator[TableToCompare]:
    """Give the tables of ``LOOKALIKE_DATA`` that are there, at most so many rows of each."""
    folder = os.environ.get("LOOKALIKE_DATA")
    for file, (target, regression) in FILES.items() if folder else ():
        path = Path(folder) / file
        if not path.exists():
            continue
        table = pd.read_csv(path, na_values="?", skipinitialspace=True)
        table = table.dropna(subset=[target])
        if len(table) > most:
            table = table.sample(most, random_state=0)
        y = table.pop(target).to_numpy()
        yield TableToCompare(
            file.split(".")[0], table, y if regression else y.astype(str), regression
        )


def competitors(regression: bool) -> dict[str, object]:
    """Return the models at their defaults, those of other libraries where they are installed."""
    models = {name: build() for name, build in (REGRESSORS if regression else CLASSIFIERS).items()}
    for name, (classifier, regressor, options) in BOOSTING_LIBRARIES.items():
        if find_spec(name):
            kind = getattr(import_module(name), regressor if regression else classifier)
            models[name] = kind(**options)
    return models


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


def losses(predicted: np.ndarray, y: np.ndarray, regression: bool) -> np.ndarray:
    """Return 1 for every wrong label, or the squared errors."""
    if regression:
        return (predicted - y) ** 2
    predicted = predicted.ravel()  # of CatBoost, a column
    return np.asarray(predicted.astype(str) != y.astype(str), np.float64)


def mean_log_loss(model: object, Q: pd.DataFrame, truth: np.ndarray, names: np.ndarray) -> float:
    """Return the log loss of a model, NaN of one without probabilities; `names` are its classes."""
    if not hasattr(model, "predict_proba"):
        return float("nan")
    shares = np.asarray(model.predict_proba(Q), np.float64)
    own = shares[np.arange(len(truth)), np.searchsorted(names, truth)]
    return float(-np.log(np.maximum(own, LEAST_PROBABILITY)).mean())


class Errors(NamedTuple):
    """The losses of the study's winner and of every competitor on the same held-out rows."""

    winner: str
    ours: np.ndarray  # (rows,), 0 or 1, or squared errors
    others: dict[str, np.ndarray]
    seconds: float
    log_loss: dict[str, float]  # of the study, "ours", and of those with probabilities


def split_errors(table: TableToCompare, seed: int, limit: str, *, single: bool) -> Errors:
    """Split the rows, fit the study and its competitors, and return their losses."""
    stratify = None if table.regression else table.y
    X, Q, y, truth = train_test_split(
        table.X, table.y, test_size=0.3, random_state=seed, stratify=stratify
    )
    names, codes = np.unique(y, return_inverse=True)
    others, log_loss = {}, {}
    for name, build in competitors(table.regression).items():
        model = prepared(build).fit(X, y if table.regression else codes)
        predicted = np.asarray(model.predict(Q))
        if not table.regression:
            predicted = names[predicted.ravel().astype(np.int64)]
            log_loss[name] = mean_log_loss(model, Q, truth, names)
        others[name] = losses(predicted, truth, table.regression)
    task = "regression" if table.regression else "classification"
    start = time.perf_counter()
    test = (Q.reset_index(drop=True), truth) if len(X) >= Effort.full().repeated_rows else None
    study = lookalike.study(X.reset_index(drop=True), y, task=task, test=test, time=limit)
    seconds = time.perf_counter() - start
    ours = losses(np.asarray(study.model.predict(Q)), truth, table.regression)
    if not table.regression:
        log_loss["ours"] = mean_log_loss(study.model, Q, truth, names)
    if single:
        alone = lookalike.study(
            X.reset_index(drop=True), y, task=task, test=test, time=limit, effort=NO_ENSEMBLE
        )
        predicted = np.asarray(alone.model.predict(Q))
        others[SINGLE] = losses(predicted, truth, table.regression)
        if not table.regression:
            log_loss[SINGLE] = mean_log_loss(alone.model, Q, truth, names)
    return Errors(study.winner, ours, others, seconds, log_loss)


def compared(table: TableToCompare, repeats: int, limit: str, *, single: bool) -> dict[str, Any]:
    """Return the winner's error, that of the best competitor, and whether chance explains the gap.

    The best competitor is the one with the least error over all repeats; the interval is that of
    the difference to it, row by row.
    """
    repeats = repeats if len(table.y) < Effort.full().repeated_rows else 1
    parts = [split_errors(table, seed, limit, single=single) for seed in range(repeats)]
    ours = np.concatenate([part.ours for part in parts])
    others = {
        name: np.concatenate([part.others[name] for part in parts]) for name in parts[0].others
    }
    best = min((name for name in others if name != SINGLE), key=lambda name: others[name].mean())
    gap = ours - others[best]
    reach = NORMAL * float(gap.std()) / (len(gap) / repeats) ** 0.5  # rows repeat, and count once
    root = np.sqrt if table.regression else float
    own, other = float(root(ours.mean())), float(root(others[best].mean()))
    ratio = own / other if other else 1.0 if own == 0 else np.inf
    within = ratio <= ALLOWED
    chance = not within and float(gap.mean()) - reach <= 0
    return {
        "commit": current_commit(),
        "rows": len(table.y),
        "winner": ", ".join(sorted({part.winner for part in parts})),
        "error": own,
        "best": best,
        "best_error": other,
        "ratio": None if np.isinf(ratio) else float(ratio),
        "low": float(gap.mean() - reach),
        "high": float(gap.mean() + reach),
        "verdict": "within 3%" if within else "chance" if chance else "behind",
        "seconds": float(np.mean([part.seconds for part in parts])),
        "log_loss": {
            name: float(np.mean([part.log_loss[name] for part in parts]))
            for name in parts[0].log_loss
        },
        "others": {name: float(root(loss.mean())) for name, loss in others.items()},
    }


def text_table(kept: KeptResults) -> str:
    """Return the results so far as a table."""
    heads = ("table", "rows", "winner", "error", "best other", "error", "ratio", "low", "high")
    lines = [
        "python -m benchmarks.winner_study: a study against the best of several models",
        f"at their defaults; random splits, {kept.options['repeats']} of tables of "
        "fewer than 1,000 rows, 30% held out;",
        "low, high: 95% interval of the mean difference of (squared) errors, row by row",
        "{:19} {:>6} {:20} {:>8} {:14} {:>8} {:>6} {:>9} {:>8} {:9} {:>4} {}".format(
            *heads, "verdict", "s", "commit"
        ),
    ]
    names = [name for name in kept.order if name in kept.parts]
    for name, one in zip(names, kept.ordered(), strict=True):
        ratio = "inf" if one["ratio"] is None else f"{one['ratio']:.2f}"
        lines.append(
            f"{name:19} {one['rows']:6} {one['winner']:20.20} {one['error']:8.4g} "
            f"{one['best']:14} {one['best_error']:8.4g} {ratio:>6} {one['low']:9.2g} "
            f"{one['high']:8.2g} {one['verdict']:9} {one['seconds']:4.0f} {one['commit']}"
        )
    lines += ratios_to_others(kept.ordered())
    verdicts = [one["verdict"] for one in kept.ordered()]
    lines.append(
        f"within 3% of the best of them: {verdicts.count('within 3%')} of {len(verdicts)} tables; "
        f"of the others, {verdicts.count('chance')} differ by no more than chance (95% interval "
        "contains 0)"
    )
    return "\n".join(lines)


def ratios_to_others(results: list[dict[str, Any]]) -> list[str]:
    """Return the geometric means of our errors and log losses by those of each competitor."""
    lines = []
    for name in sorted({other for one in results for other in one["others"]}):
        pairs = [(one["error"], one["others"].get(name)) for one in results]
        logs = [
            (one.get("log_loss", {}).get("ours"), one.get("log_loss", {}).get(name))
            for one in results
        ]
        texts = []
        for what, values in (("error", pairs), ("log loss", logs)):
            known = [mine / other for mine, other in values if mine and other and other == other]
            if known:
                mean = float(np.exp(np.mean(np.log(known))))
                texts.append(f"{what} {mean:.3f} of its, {len(known)} tables")
        lines.append(f"against {name}: {'; '.join(texts)} (geometric mean)")
    return lines


def main() -> None:
    """Compare the tables that have no result yet; print and write the table after each."""
    warnings.simplefilter("ignore")
    parser = BenchParser(__doc__, repeats=(3, 1))
    parser.add_argument("--tables", default="", help="names, with commas between")
    parser.add_argument("--single", action="store_true", help="compare a single candidate too")
    parser.add_argument("--results", default="winner_study", help="name of the files")
    parser.add_argument("--time", default=TIME, help="of a study")
    parser.add_argument("--again", action="store_true", help="tables that have a result, too")
    given = parser.parse_args()
    most, limit = (QUICK_ROWS, QUICK_TIME) if given.quick else (MOST_ROWS, given.time)
    tables = {table.name: table for table in (*bundled(), *shared(most))}
    options = {"repeats": given.repeats} | ({"time": given.time} if given.time != TIME else {})
    kept = KeptResults(given.results, options, list(tables), quick=given.quick)
    default = [name for name in tables if name in QUICK or not given.quick]
    for name in given.tables.split(",") if given.tables else default:
        if name not in kept.parts or given.again:
            kept.keep(name, compared(tables[name], given.repeats, limit, single=given.single))
            kept.write_table(text_table(kept))
            print(name, kept.parts[name]["verdict"], flush=True)
    print(text_table(kept))


if __name__ == "__main__":
    main()
