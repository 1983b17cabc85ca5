"""How often the 95% interval holds the error of the kept model, on problems with fresh rows.

Run: python -m benchmarks.bench_kept_coverage [--quick] [--models study] [--seeds N]
         [--rows 100,400,700,2000] [--problems TEXT] [--jobs N]

``--models study``: the study's own candidates, folds, repeats and ensemble at full effort, without
the analyses that follow; the model that it keeps is scored on 20,000 fresh rows. ``--models fast``:
eight fast models of the benchmark on the same folds, for more seeds. Results are kept seed by seed
in ``results/kept_coverage.jsonl``, and as a table in ``kept_coverage.txt``: started again, it goes
on where it was stopped.
"""

from __future__ import annotations

import os
import time
import warnings
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t

from benchmarks.kept_problems import MODELS, PROBLEMS, Sample, predict_all
from benchmarks.kept_results import KeptResults, current_commit, measure_each
from benchmarks.timing import BenchParser
from lookalike.confidence import NORMAL_95_DEVIATIONS, wilson
from lookalike.engines.blas import single_threaded_blas
from lookalike.settings import settings
from lookalike.studies.context import StudyOptions, load_context
from lookalike.studies.effort import Effort
from lookalike.studies.evaluate.bias_correction import OutOfFoldLosses, corrected_error
from lookalike.studies.evaluate.evaluation import evaluate
from lookalike.studies.evaluate.kept_interval import variance_over_units
from lookalike.studies.evaluate.refit import MAX_ROWS_OF_GAIN, half_of
from lookalike.studies.select.budget import Budget
from lookalike.studies.study import split_context
from lookalike.studies.task import CLASSIFICATION_TASK, Task
from lookalike.typing import Array, Rows

EFFORT = Effort.full()
ALL_SIZES = (100, 400, 700, 2000)  # 700 rows are not repeated, as 400 are
HEADS = "rows repeats seeds truth own corrected inside below above width"


class Trial(NamedTuple):
    """What a study says of its error, and the error of the model that it keeps."""

    truth: float  # on fresh rows
    own: float  # out-of-fold error of the winner, not corrected
    value: float
    low: float
    high: float
    plain_width: float  # of the interval without what training sets add
    n_repeats: int
    seconds: float


def plain_width(loss: Array, groups: Rows | None, value: float, task: Task) -> float:
    """Return the width of Wilson's interval, or of Student's, around the same estimate.

    Over groups Wilson's is that of as many rows as have the variance over groups.
    """
    size = np.ones(len(loss))
    if groups is not None:
        codes = np.unique(groups, return_inverse=True)[1]
        loss, size = np.bincount(codes, loss), np.bincount(codes).astype(np.float64)
    variance, mean, n_rows = variance_over_units(loss, size), task.mean_loss(value), size.sum()
    quantile = float(t.ppf(0.975, len(size) - 1))
    if task is not CLASSIFICATION_TASK:
        reach = quantile * variance**0.5 / (loss.sum() / n_rows)
        return float(value * (np.exp(reach / 2) - np.exp(-reach / 2)))
    if groups is not None and mean > 0:
        n_rows = min(mean * (1 - mean) / variance, n_rows) * (NORMAL_95_DEVIATIONS / quantile) ** 2
    low, high = wilson(mean, n_rows)
    return high - low


def fast_trial(sample: Sample, fresh: Sample, task: Task, seed: int) -> Trial:
    """Compare eight fast models on a study's folds and repeats."""
    begin, (X, y, groups) = time.process_time(), sample
    rng = np.random.default_rng(seed)
    n_repeats = EFFORT.repeats if len(y) < EFFORT.repeated_rows else 1
    fold = np.stack([task.folds(y, EFFORT.folds, rng, groups=groups) for _ in range(n_repeats)])
    loss = np.empty((len(MODELS), n_repeats, len(y)))
    for repeat, folds in enumerate(fold):
        for number in np.unique(folds):
            held_out = folds == number
            train = Sample(X[~held_out], y[~held_out])
            for model, predicted in enumerate(predict_all(train, X[held_out], task)):
                loss[model, repeat, held_out] = task.loss(predicted, y[held_out])
    losses = OutOfFoldLosses(MODELS, loss, fold, groups)
    model = int(losses.units()[0].sum(axis=1).argmin())
    of_half = loss_of_halves(sample, fold[0], task, model, rng) if model else None
    result = corrected_error(losses, task, seed=0, of_half=of_half)
    predicted = predict_all(sample, fresh.X, task, only=model)[0]
    truth = task.value(float(task.loss(predicted, fresh.y).mean()))
    own = loss[model].mean(axis=0)
    width = plain_width(own, groups, result.value, task)
    ends, seconds = result.interval, time.process_time() - begin
    return Trial(
        truth, task.value(own.mean()), result.value, *ends, width, n_repeats, round(seconds, 2)
    )


def loss_of_halves(
    sample: Sample, fold: Rows, task: Task, model: int, rng: np.random.Generator
) -> Array | None:
    """Return the losses of a model that learns from half of the rows of every fold, as a study."""
    if len(fold) >= MAX_ROWS_OF_GAIN:
        return None
    loss = np.empty(len(fold))
    for number in np.unique(fold):
        held_out = fold == number
        half = half_of(rng.permutation(np.flatnonzero(~held_out)), sample.groups)
        train = Sample(sample.X[half], sample.y[half])
        (predicted,) = predict_all(train, sample.X[held_out], task, only=model)
        loss[held_out] = task.loss(predicted, sample.y[held_out])
    return loss


def study_trial(sample: Sample, fresh: Sample, task: Task, seed: int) -> Trial:
    """Compare the candidates of a study, and keep one of them as it does."""
    begin, (X, y, groups) = time.process_time(), sample
    options = StudyOptions(
        X, y, task=task.name, seed=seed, groups=groups, memory=settings().memory, effort=EFFORT
    )
    context = load_context(options, Budget(None))
    split = split_context(context)
    assert split is not None
    result = evaluate(context, task, split)
    predicted = result.selection.model.predict(fresh.X)
    truth = task.value(float(task.loss(predicted, fresh.y).mean()))
    of_rows, n_repeats = result.predictions, result.n_repeats
    own = task.loss(of_rows.y_pred, of_rows.y_true)[np.argsort(of_rows.row, kind="stable")]
    own = own.reshape(-1, n_repeats).mean(axis=1)
    value, ends = result.scores.error, result.scores.interval
    width, seconds = plain_width(own, groups, value, task), time.process_time() - begin
    return Trial(truth, task.value(own.mean()), value, *ends, width, n_repeats, round(seconds, 2))


WAYS = {"fast": fast_trial, "study": study_trial}


class Draw(NamedTuple):
    """A trial to make: rows of a problem by their seed, and how many fresh ones."""

    models: str
    problem: str
    rows: int
    seed: int
    fresh_rows: int

    @property
    def key(self) -> str:
        """What the result is kept as, among others of the same problem and size."""
        return f"{self.models} {self.problem} {self.rows}"


def trial(draw: Draw) -> Trial:
    """Draw rows of a problem and study them."""
    models, problem, n, seed, fresh_rows = draw
    make, task = PROBLEMS[problem]
    rng = np.random.default_rng([seed, n])
    sample, fresh = make(rng, n), make(rng, fresh_rows)
    with single_threaded_blas(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return WAYS[models](sample, fresh, task, seed)


def coverage_table(kept: KeptResults) -> str:
    """Return how often the intervals hold the truth, problem by problem."""
    lines = [
        "python -m benchmarks.bench_kept_coverage --models study; and --models fast",
        "study: the candidates, folds, repeats and ensemble of a study at full effort;",
        "fast: eight fast models on the same folds and repeats.",
        "truth: mean error of the kept models on fresh rows; own: out-of-fold error of the",
        "winner; inside: how often the 95% interval holds the truth; below, above: the truth",
        "lies so; width: by that of Wilson's, or of Student's t of the log MSE, around the same",
        "estimate",
    ]
    for models in ("study", "fast"):
        parts = [one for one in kept.ordered() if one["models"] == models]
        if not parts:
            continue
        lines += ["", f"{models:22s}" + "".join(f"{head:>10s}" for head in HEADS.split())]
        rates = []
        for part in parts:
            trials = np.array(part["trials"], np.float64)
            truth, own, value, low, high, plain, repeats, _ = trials.T
            below, above = (truth < low).mean(), (truth > high).mean()
            width = (high - low).mean() / plain.mean()
            rates.append((len(truth), 1 - below - above, width))
            lines.append(
                f"{part['problem']:22s}{part['rows']:10,d}{repeats.mean():10.3g}{len(truth):10d}"
                f"{truth.mean():10.4f}{own.mean():10.4f}{value.mean():10.4f}"
                f"{1 - below - above:10.2f}{below:10.2f}{above:10.2f}{width:10.2f}"
            )
        seeds, inside, width = np.array(rates).T
        mean, relative = (np.average(one, weights=seeds) for one in (inside, width))
        all_seeds = f"{'all trials':22s}{'':20s}{seeds.sum():10.0f}"
        lines.append(f"{all_seeds}{'':30s}{mean:10.3f}{'':20s}{relative:10.2f}")
        seconds = sum(one[-1] for part in parts for one in part["trials"])
        commits = ", ".join(sorted({part["commit"] for part in parts}))
        lines.append(f"({seconds:.0f} s of CPU time; commits {commits})")
    return "\n".join(lines)


def main() -> None:
    parser = BenchParser(
        __doc__, seeds=(50, 2), rows=("100,400,700,2000", "100"), fresh=(20000, 1000)
    )
    parser.add_argument("--first", type=int, default=1000, help="first seed")
    parser.add_argument("--models", choices=sorted(WAYS), default="study")
    parser.add_argument("--problems", default="", help="those whose names have this text")
    parser.add_argument("--jobs", type=int, default=1, help="trials at the same time")
    given = parser.parse_args()
    sizes, most = [int(one) for one in given.rows.split(",")], given.first + given.seeds
    order = [f"{way} {name} {n}" for way in WAYS for n in ALL_SIZES for name in PROBLEMS]
    options = {"first": given.first, "fresh": given.fresh}
    kept = KeptResults("kept_coverage", options, order, quick=given.quick)
    draws = [  # every problem with one seed before the next seed
        Draw(given.models, name, n, seed, given.fresh)
        for seed, n, name in product(range(given.first, most), sizes, PROBLEMS)
        if given.problems in name
    ]
    n_kept = {key: len(part["trials"]) for key, part in kept.parts.items()}
    missing = [draw for draw in draws if n_kept.get(draw.key, 0) <= draw.seed - given.first]
    for draw, result in measure_each(trial, missing, given.jobs):
        head: dict[str, Any] = dict(zip(("models", "problem", "rows"), draw, strict=False))
        part = kept.parts.get(draw.key, head | {"trials": []})
        trials = [*part["trials"], [round(figure, 6) for figure in result]]
        kept.keep(draw.key, part | {"trials": trials, "commit": current_commit()})
        kept.write_table(coverage_table(kept))
        inside = "inside" if result.low <= result.truth <= result.high else "outside"
        load = f"{result.seconds:.1f} s, load {os.getloadavg()[0]:.0f}"
        print(f"{draw.key}, seed {draw.seed}: {inside}, {load}", flush=True)
    print(coverage_table(kept))


if __name__ == "__main__":
    main()
