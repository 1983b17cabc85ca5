"""How often the 95% interval holds the error of the kept model, on problems with fresh rows.

Run: python -m benchmarks.bench_kept_coverage [--quick] [--seeds N] [--rows 100,400,2000] …

Eight fast models stand for the candidates of a study: they are compared by out-of-fold losses, with
a study's folds and repeats; the winner is fitted again on all rows and scored on 20,000 fresh
ones. Widths are relative to Wilson's interval, or Student's of the log MSE, around the same
estimate (over groups: of as many rows as groups are worth).
"""

from __future__ import annotations

import time

import numpy as np

from benchmarks.kept_problems import MODELS, PROBLEMS, Sample, predict_all
from benchmarks.timing import BenchParser
from lookalike.engines.blas import single_threaded_blas
from lookalike.studies.effort import Effort
from lookalike.studies.evaluate import kept_interval
from lookalike.studies.evaluate.bias_correction import OutOfFoldLosses, corrected_error
from lookalike.studies.task import Task

EFFORT = Effort.full()


def repeats_of(n: int) -> int:
    """Return how often a study of so many rows holds all of them out."""
    return EFFORT.repeats if n < EFFORT.repeated_rows else 1


def out_of_fold(sample: Sample, task: Task, seed: int) -> OutOfFoldLosses:
    """Return the losses of all models, on common folds."""
    X, y, groups = sample
    rng, repeats = np.random.default_rng(seed), repeats_of(len(y))
    fold = np.stack([task.folds(y, EFFORT.folds, rng, groups=groups) for _ in range(repeats)])
    loss = np.empty((len(MODELS), repeats, len(y)))
    for repeat, folds in enumerate(fold):
        for number in np.unique(folds):
            held_out = folds == number
            train = Sample(X[~held_out], y[~held_out])
            for model, predicted in enumerate(predict_all(train, X[held_out], task)):
                loss[model, repeat, held_out] = task.loss(predicted, y[held_out])
    return OutOfFoldLosses(MODELS, loss, fold, groups)


def plain_width(losses: OutOfFoldLosses, task: Task) -> float:
    """Return the width of the interval without what training sets add."""
    enlarged = kept_interval.TRAINING_VARIANCE_BELOW, kept_interval.TRAINING_VARIANCE_ABOVE
    kept_interval.TRAINING_VARIANCE_BELOW = kept_interval.TRAINING_VARIANCE_ABOVE = 0.0
    low, high = corrected_error(losses, task, seed=0).interval
    kept_interval.TRAINING_VARIANCE_BELOW, kept_interval.TRAINING_VARIANCE_ABOVE = enlarged
    return high - low


def trial(name: str, n: int, seed: int, fresh_rows: int) -> tuple[float, ...]:
    """Return truth, estimate, own error, below, above and width."""
    make, task = PROBLEMS[name]
    rng = np.random.default_rng([seed, n])
    sample, fresh = make(rng, n), make(rng, fresh_rows)
    losses = out_of_fold(sample, task, seed)
    result = corrected_error(losses, task, seed=0)
    model, (low, high) = MODELS.index(result.winner), result.interval
    predicted = predict_all(sample, fresh.X, task, only=model)[0]
    truth = task.value(float(task.loss(predicted, fresh.y).mean()))
    own = task.value(float(losses.loss[model].mean()))
    width = (high - low) / plain_width(losses, task)
    return truth, result.value, own, truth < low, truth > high, width


def main() -> None:
    parser = BenchParser(__doc__, seeds=(50, 2), rows=("100,400,2000", "100"), fresh=(20000, 1000))
    parser.add_argument("--first", type=int, default=1000, help="first seed")
    options = parser.parse_args()
    print(
        f"python -m benchmarks.bench_kept_coverage --seeds {options.seeds} --rows {options.rows} "
        f"--first {options.first}"
    )
    print("truth: of the kept model on fresh rows; own: out-of-fold error of the winner;")
    print("inside: how often the interval holds the truth; below, above: the truth lies so")
    heads = "rows repeats truth own corrected inside below above width"
    print(f"{'problem':22s}" + "".join(f"{head:>10s}" for head in heads.split()))
    begin = time.monotonic()
    for n in map(int, options.rows.split(",")):
        for name in PROBLEMS:
            seeds = range(options.first, options.first + options.seeds)
            with single_threaded_blas():
                trials = np.array([trial(name, n, seed, options.fresh) for seed in seeds], float)
            truth, value, own, below, above, width = trials.mean(axis=0)
            print(
                f"{name:22s}{n:10,d}{repeats_of(n):10d}{truth:10.4f}{own:10.4f}{value:10.4f}"
                f"{1 - below - above:10.2f}{below:10.2f}{above:10.2f}{width:10.2f}",
                flush=True,
            )
    print(f"({time.monotonic() - begin:.0f} s)")


if __name__ == "__main__":
    main()
