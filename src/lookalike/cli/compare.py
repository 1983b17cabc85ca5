"""`lookalike compare`: our results compared with scikit-learn's on the user's own rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import Json, Metric, NeighborCount, Scale, TargetOptions

if TYPE_CHECKING:
    from lookalike.explain.sklearn_comparison import SklearnComparison

Subject = Annotated[
    str, typer.Argument(help="A model file of nearest neighbors, or a table.", metavar="MODEL|DATA")
]


def compare(
    subject: Subject,
    *,
    target: TargetOptions,
    k: NeighborCount = 5,
    metric: Metric = "euclidean",
    scale: Scale = None,
    json: Json = False,
) -> None:
    """Compare our results with scikit-learn's: agreement row by row, speed, and why they differ.

    For a table: the nearest neighbors of every row, the predictions of the target, and the
    principal components. For a model: the same with its own rows and parameters. Exit code 1 when
    a difference has no known reason.

    Example: lookalike compare digits -k 10
    """
    from lookalike.cli.output import print_json, print_lines, print_table
    from lookalike.printable import seconds

    comparisons = (
        _compare_model(subject)
        if subject.endswith(".lookalike")
        else _compare_table(subject, k, metric, target, scale=scale)
    )
    if json:
        print_json({"comparisons": [_as_dict(one) for one in comparisons]})
    else:
        lines = [
            (one.what, one.unit, one.count, one.same, seconds(one.ours), seconds(one.theirs))
            for one in comparisons
        ]
        headings = ("comparison", "unit", "compared", "equal", "lookalike", "scikit-learn")
        print_table(f"{subject}: lookalike compared with scikit-learn", headings, lines)
        print_lines(
            f"{one.what}: {count} of {one.count} differ, {reason}."
            for one in comparisons
            for reason, count in one.reasons.items()
        )
    if any(one.unexplained for one in comparisons):
        raise typer.Exit(1)


def _compare_table(
    name: str, k: int, metric: str, target: TargetOptions, *, scale: str | None
) -> list[SklearnComparison]:
    import numpy as np

    from lookalike.cli.load_data import open_argument
    from lookalike.cli.prepare import note_preparation, prepare_supervised
    from lookalike.explain import sklearn_comparison

    source = open_argument(name, target=target.target, notes=False)
    prepared = prepare_supervised(source, scale=scale, metric=metric)
    note_preparation(prepared)
    X, y = prepared.features(), prepared.y
    comparisons = [sklearn_comparison.compare_neighbors(X, k, metric=metric)]
    if y is not None:
        comparisons.append(
            sklearn_comparison.compare_predictions(
                X, np.asarray(y), k, metric=metric, task=target.task
            )
        )
    return [*comparisons, sklearn_comparison.compare_components(X)]


def _compare_model(path: str) -> list[SklearnComparison]:
    from lookalike.errors import ParameterError
    from lookalike.explain import sklearn_comparison
    from lookalike.models.neighbors.training_rows import training_rows
    from lookalike.store.file import load

    model = load(path)
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    rows = training_rows(last)
    if rows is None or not hasattr(rows, "dtype") or not hasattr(last, "kneighbors"):
        raise ParameterError(
            f"{path} holds a {type(last).__name__}, which keeps no training rows. Give a table."
        )
    k = int(getattr(last, "n_neighbors_", last.n_neighbors))
    metric = str(last.effective_metric_)
    comparisons = [sklearn_comparison.compare_neighbors(rows, k, metric=metric)]
    targets = getattr(last, "targets_", None)
    if targets is not None and isinstance(last.weights, str):
        y = targets.named(targets.codes) if hasattr(targets, "codes") else targets.values
        fitted_task = "classification" if hasattr(targets, "codes") else "regression"
        comparisons.append(
            sklearn_comparison.compare_predictions(
                rows, y, k, metric=metric, weights=last.weights, task=fitted_task
            )
        )
    return comparisons


def _as_dict(one: SklearnComparison) -> dict[str, object]:
    return {
        "comparison": one.what,
        "unit": one.unit,
        "compared": one.count,
        "equal": one.same,
        "reasons": dict(one.reasons),
        "seconds": one.ours,
        "seconds_scikit_learn": one.theirs,
    }
