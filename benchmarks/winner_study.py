"""Compare the winner of a study with models at their defaults, row by row.

These are six of scikit-learn, and CatBoost, LightGBM, XGBoost and FLAML where they are installed,
the last for as many seconds as a study may take.

Every table is split at random; the study and its competitors are fitted on the same rows and scored
on the same held-out ones, which the study does not see. With ``--single`` a study without an
ensemble is one more competitor. ``--results`` names the files.

Run: python -m benchmarks.winner_study [--quick] [--tables wine,adult] [--repeats N] [--again]
``--repeats`` splits tables of fewer than 1,500 rows N times. The result of every table is kept as
soon as it is known, in ``benchmarks/results/winner_study.jsonl``, and the table of all of them in
``winner_study.txt``: started again with the same options, it goes on where it was stopped, and
``--again`` takes tables again. ``--peers FOLDER`` keeps what each competitor lost there, and takes
it from there; ``--only-peers`` does no more. ``LOOKALIKE_DATA`` names the folder of larger tables;
without it scikit-learn's own are used.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.model_selection import train_test_split

import lookalike
from benchmarks.kept_results import KeptResults, current_commit, measure_each
from benchmarks.timing import BenchParser
from benchmarks.winner_peers import competitors
from lookalike.settings import settings
from lookalike.studies.effort import Effort
from lookalike.studies.select.budget import parse_seconds

MOST_ROWS, TIME = 20_000, "3m"  # of a table, whose other rows are not drawn, and of its study
REPEATED_ROWS = 1_500  # tables of fewer are split several times
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


def row_losses(predicted: np.ndarray, y: np.ndarray, regression: bool) -> np.ndarray:
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


class Split(NamedTuple):
    """One split of a table, and how it is compared."""

    table: str
    seed: int
    most_rows: int
    seconds: float  # of a study
    single: bool
    peers: str  # the folder of what the competitors lost, or nothing


class Rows(NamedTuple):
    """The rows of a split: those to fit, and those held out."""

    X: pd.DataFrame
    y: np.ndarray
    Q: pd.DataFrame
    truth: np.ndarray
    regression: bool


class Errors(NamedTuple):
    """The losses of the study's winner and of every competitor on the same held-out rows."""

    winner: str
    ours: np.ndarray  # (rows,), 0 or 1, or squared errors
    others: dict[str, np.ndarray]
    seconds: float
    log_loss: dict[str, float]  # of the study, "ours", and of those with probabilities


def tables(most: int) -> dict[str, TableToCompare]:
    """Return all tables by name, the smallest first."""
    return {table.name: table for table in (*bundled(), *shared(most))}


def rows_of(split: Split) -> Rows:
    """Return the rows of a split, 30% of them held out."""
    table = tables(split.most_rows)[split.table]
    stratify = None if table.regression else table.y
    X, Q, y, truth = train_test_split(
        table.X, table.y, test_size=0.3, random_state=split.seed, stratify=stratify
    )
    return Rows(X.reset_index(drop=True), y, Q.reset_index(drop=True), truth, table.regression)


def split_errors(split: Split) -> Errors:
    """Fit the study and its competitors on the rows of a split, and return their losses."""
    others, log_loss = fit_peers(split)
    rows = rows_of(split)
    start = time.perf_counter()
    study, ours, own = study_losses(split, rows, Effort.full())
    seconds = time.perf_counter() - start
    if split.single:
        _, others[SINGLE], alone = study_losses(split, rows, NO_ENSEMBLE)
        log_loss[SINGLE] = alone
    return Errors(study.winner, ours, others, seconds, log_loss | {"ours": own})


def fit_peers(split: Split) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Return what every competitor loses, row by row, and the log losses."""
    warnings.simplefilter("ignore")
    return losses_of_peers(split, rows_of(split))


def study_losses(split: Split, rows: Rows, effort: Effort) -> tuple[Any, np.ndarray, float]:
    """Return a study of the rows to fit, its losses, and its log loss, NaN of numbers."""
    task = "regression" if rows.regression else "classification"
    study = lookalike.study(rows.X, rows.y, task=task, time=split.seconds, effort=effort)
    ours = row_losses(np.asarray(study.model.predict(rows.Q)), rows.truth, rows.regression)
    if rows.regression:
        return study, ours, float("nan")
    return study, ours, mean_log_loss(study.model, rows.Q, rows.truth, np.unique(rows.y))


def losses_of_peers(split: Split, rows: Rows) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Return what every competitor loses, row by row, and the log losses; kept ones if there."""
    kept = Path(split.peers, f"{split.table}-{split.seed}.npz") if split.peers else None
    losses, log_loss = kept_losses(kept) if kept and kept.exists() else ({}, {})
    names, codes = np.unique(rows.y, return_inverse=True)
    built = competitors(rows.regression, split.seconds, settings().threads)
    for name in [name for name in built if name not in losses]:
        model = built[name].fit(rows.X, rows.y if rows.regression else codes)
        predicted = np.asarray(model.predict(rows.Q))
        if not rows.regression:
            predicted = names[predicted.ravel().astype(np.int64)]
            log_loss[name] = mean_log_loss(model, rows.Q, rows.truth, names)
        losses[name] = row_losses(predicted, rows.truth, rows.regression)
        if kept:
            kept.parent.mkdir(parents=True, exist_ok=True)
            scores = np.array(list(log_loss.values()))
            np.savez(kept, log_loss_names=list(log_loss), log_losses=scores, **losses)
    return losses, log_loss


def kept_losses(path: Path) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Return the losses and log losses of competitors that a file keeps."""
    with np.load(path) as arrays:
        scores = zip(arrays["log_loss_names"].tolist(), arrays["log_losses"].tolist(), strict=True)
        names = [name for name in arrays.files if not name.startswith("log_loss")]
        return {name: arrays[name] for name in names}, dict(scores)


def compared(n_rows: int, regression: bool, parts: list[Errors]) -> dict[str, Any]:
    """Return the winner's error, that of the best competitor, and whether chance explains the gap.

    The best competitor is the one with the least error over all splits; the interval is that of
    the difference to it, row by row.
    """
    ours = np.concatenate([part.ours for part in parts])
    others = {
        name: np.concatenate([part.others[name] for part in parts]) for name in parts[0].others
    }
    best = min((name for name in others if name != SINGLE), key=lambda name: others[name].mean())
    gap = ours - others[best]
    reach = NORMAL * float(gap.std()) / (len(gap) / len(parts)) ** 0.5  # rows repeat: count once
    root = np.sqrt if regression else float
    own, other = float(root(ours.mean())), float(root(others[best].mean()))
    ratio = own / other if other else 1.0 if own == 0 else np.inf
    within = ratio <= ALLOWED
    chance = not within and float(gap.mean()) - reach <= 0
    return {
        "commit": current_commit(),
        "rows": n_rows,
        "regression": regression,
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
            if all(part.log_loss[name] == part.log_loss[name] for part in parts)
        },
        "others": {name: float(root(loss.mean())) for name, loss in others.items()},
    }


def text_table(kept: KeptResults) -> str:
    """Return the results so far as a table."""
    heads = ("table", "rows", "winner", "error", "best other", "error", "ratio", "low", "high")
    lines = [
        "python -m benchmarks.winner_study: a study against the best of several models",
        f"at their defaults; random splits, {kept.options['repeats']} for tables below "
        "1,500 rows, 30% held out;",
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
        pairs = [(one["error"], one["others"].get(name), one["regression"]) for one in results]
        logs = [(one["log_loss"].get("ours"), one["log_loss"].get(name)) for one in results]
        kinds = {
            "error": [pair[:2] for pair in pairs],
            "error of numbers": [pair[:2] for pair in pairs if pair[2]],
            "log loss": logs,
        }
        texts = []
        for what, values in kinds.items():
            known = [
                mine / other
                for mine, other in values
                if mine and other and mine == mine and other == other
            ]
            if known:
                mean = float(np.exp(np.mean(np.log(known))))
                texts.append(f"{what} {mean:.3f} of its, {len(known)} tables")
        lines.append(f"against {name}: {'; '.join(texts)} (geometric mean)")
    return lines


def main() -> None:
    """Compare the tables that have no result yet; print and write the table after each."""
    parser = BenchParser(__doc__, repeats=(3, 1))
    parser.add_argument("--tables", default="", help="names, with commas between")
    parser.add_argument("--single", action="store_true", help="compare a single candidate too")
    parser.add_argument("--results", default="winner_study", help="name of the files")
    parser.add_argument("--time", default=TIME, help="of a study, and of FLAML")
    parser.add_argument("--again", action="store_true", help="tables that have a result, too")
    parser.add_argument("--jobs", type=int, default=1, help="splits at the same time")
    parser.add_argument("--peers", default="", help="folder of what the competitors lost")
    parser.add_argument("--only-peers", action="store_true", help="fit the competitors alone")
    given = parser.parse_args()
    most, limit = (QUICK_ROWS, QUICK_TIME) if given.quick else (MOST_ROWS, given.time)
    known = tables(most)
    options = {"repeats": given.repeats, "time": limit}
    kept = KeptResults(given.results, options, list(known), quick=given.quick)
    default = [name for name in known if name in QUICK or not given.quick]
    splits = [
        Split(name, seed, most, parse_seconds(limit), given.single, given.peers)
        for name in (given.tables.split(",") if given.tables else default)
        if name not in kept.parts or given.again
        for seed in range(given.repeats if len(known[name].y) < REPEATED_ROWS else 1)
    ]
    if given.only_peers:
        for split, _ in measure_each(fit_peers, splits, given.jobs):
            print(split.table, split.seed, flush=True)
        return
    errors = measure_each(split_errors, splits, given.jobs)
    for name, group in groupby(errors, lambda measured: measured[0].table):
        table = known[name]
        kept.keep(name, compared(len(table.y), table.regression, [part for _, part in group]))
        kept.write_table(text_table(kept))
        print(name, kept.parts[name]["verdict"], flush=True)
    print(text_table(kept))


if __name__ == "__main__":
    main()
