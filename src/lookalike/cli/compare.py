"""`lookalike compare`: our answers beside scikit-learn's on the user's own rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import Json, K, Metric, Scale, Task

if TYPE_CHECKING:
    from lookalike.explain.sklearn_comparison import SklearnComparison

Subject = Annotated[
    str, typer.Argument(help="A model file of neighbors, or a table.", metavar="MODEL|DATA")
]
Target = Annotated[str | None, typer.Option(help="The column that is to be told.")]


def compare(  # noqa: PLR0917 - typer reads the options off
    subject: Subject,
    k: K = 5,
    metric: Metric = "euclidean",
    target: Target = None,
    task: Task = "auto",
    scale: Scale = False,
    json: Json = False,
) -> None:
    """Put our answers beside scikit-learn's: agreement to the row, speed, and why they differ.

    Of a table, the neighbors of every row, the answers that they give to the target, and the
    principal components. Of a model, the same with its own rows and parameters. Exit code 1 where
    a difference has no known reason.

    Example: lookalike compare digits -k 10
    """
    from lookalike.cli.output import Sheet, show, show_json

    found = (
        _of_model(subject)
        if subject.endswith(".lookalike")
        else _of_table(subject, k, metric, target, task=task, scale=scale)
    )
    if json:
        show_json({"compared": [_told(one) for one in found]})
    else:
        lines = [
            (one.what, one.unit, one.count, one.same, f"{one.ours:.3f} s", f"{one.theirs:.3f} s")
            for one in found
        ]
        headings = ("question", "unit", "compared", "the same", "lookalike", "scikit-learn")
        show([Sheet(f"{subject}: lookalike beside scikit-learn", headings, lines)])
        show(
            f"{one.what}: {count} of {one.count} differ, {reason}."
            for one in found
            for reason, count in one.reasons.items()
        )
    if any(one.unexplained for one in found):
        raise typer.Exit(1)


def _of_table(
    name: str, k: int, metric: str, target: str | None, *, task: str, scale: bool
) -> list[SklearnComparison]:
    import numpy as np

    from lookalike.cli.load_data import open_rows
    from lookalike.explain import sklearn_comparison

    rows = open_rows(name, target=target, scale=scale)
    found = [sklearn_comparison.compare_neighbors(rows.X, k, metric=metric)]
    if rows.y is not None:
        found.append(
            sklearn_comparison.compare_predictions(
                rows.X, np.asarray(rows.y), k, metric=metric, task=task
            )
        )
    return [*found, sklearn_comparison.compare_components(rows.X)]


def _of_model(path: str) -> list[SklearnComparison]:
    from lookalike.errors import ParameterError
    from lookalike.explain import sklearn_comparison
    from lookalike.store.file import load

    model = load(path)
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    rows: Any = getattr(last, "_fit_X", None)
    if rows is None or not hasattr(rows, "dtype") or not hasattr(last, "kneighbors"):
        raise ParameterError(
            f"{path} holds a {type(last).__name__}, which keeps no rows. Give a table."
        )
    k = int(getattr(last, "n_neighbors_", last.n_neighbors))
    metric = str(last.effective_metric_)
    found = [sklearn_comparison.compare_neighbors(rows, k, metric=metric)]
    targets = getattr(last, "_targets", None)
    if targets is not None and isinstance(last.weights, str):
        y = targets.named(targets.codes) if hasattr(targets, "codes") else targets
        found.append(
            sklearn_comparison.compare_predictions(
                rows,
                y,
                k,
                metric=metric,
                weights=last.weights,
                task="classification" if hasattr(targets, "codes") else "regression",
            )
        )
    return found


def _told(one: SklearnComparison) -> dict[str, Any]:
    return {
        "what": one.what,
        "unit": one.unit,
        "compared": one.count,
        "same": one.same,
        "reasons": dict(one.reasons),
        "seconds": one.ours,
        "seconds_scikit_learn": one.theirs,
    }
