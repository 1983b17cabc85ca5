"""`lookalike cluster`: groups of rows that are alike."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli.options import Data, Json, OutCsv, Scale

Count = Annotated[int, typer.Option("-k", "--clusters", min=1, help="How many groups.")]
Mixture = Annotated[
    bool, typer.Option("--mixture", help="Fit Gaussians, which give probabilities.")
]
Seed = Annotated[int, typer.Option(min=0, help="Of the start.")]
Target = Annotated[str | None, typer.Option(help="A column to leave out.")]
Keep = Annotated[Path | None, typer.Option("--model", help="Keep the model in this file.")]


def cluster(  # noqa: PLR0917 - typer reads the options off
    data: Data,
    k: Count = 8,
    mixture: Mixture = False,
    scale: Scale = False,
    seed: Seed = 0,
    target: Target = None,
    out: OutCsv = None,
    model: Keep = None,
    json: Json = False,
) -> None:
    """Sort the rows of DATA into K groups around centers, or into a mixture of Gaussians.

    Example: lookalike cluster iris -k 3 --scale -o groups.csv
    """
    import numpy as np

    from lookalike.cli.load_data import open_rows
    from lookalike.cli.output import Sheet, save_csv, show, show_json
    from lookalike.models.cluster.kmeans import KMeans
    from lookalike.models.mixture.gaussian import GaussianMixture
    from lookalike.store.file import save

    rows = open_rows(data, target=target, scale=scale)
    fitted: Any = GaussianMixture(k, random_state=seed) if mixture else KMeans(k, random_state=seed)
    labels = fitted.fit(rows.X).predict(rows.X)
    centers = fitted.means_ if mixture else fitted.cluster_centers_
    counts = np.bincount(labels, minlength=len(centers))
    fit = float(fitted.lower_bound_ if mixture else fitted.inertia_)
    if out is not None:
        save_csv(out, ("row", "cluster"), enumerate(labels.tolist()))
    if model is not None:
        save(fitted, model)
    measure = "log_likelihood_of_a_row" if mixture else "inertia"
    if json:
        decisions = [str(one) for one in fitted.decisions_]
        told = {"rows": len(labels), measure: fit, "counts": counts, "centers": centers}
        show_json({**told, "columns": rows.names, "decisions": decisions})
        return
    lines = [
        (number, int(count), _usual(rows, centers[number])) for number, count in enumerate(counts)
    ]
    title = f"{data}: {len(labels)} rows, {measure.replace('_', ' ')} {fit:.4g}"
    show([Sheet(title, ("cluster", "rows", "most unusual columns"), lines)])
    made = {"Clusters": out, "Model": model}
    show(f"{what}: {path}" for what, path in made.items() if path is not None)


def _usual(rows: Any, center: Any) -> str:
    """Return the columns in which a center is farthest from all rows, in their deviations."""
    import numpy as np

    X = np.asarray(rows.X, np.float64)
    spread = X.std(axis=0)
    far = np.divide(center - X.mean(axis=0), spread, out=np.zeros(len(spread)), where=spread > 0)
    order = np.argsort(-np.abs(far), kind="stable")[:3]
    return ", ".join(f"{rows.names[place]} {center[place]:.3g}" for place in order)
