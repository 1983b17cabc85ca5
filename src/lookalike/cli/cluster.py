"""`lookalike cluster`: k-means clusters, or the components of a Gaussian mixture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import (
    ColumnOptions,
    Data,
    OutModel,
    OutputOptions,
    Scale,
    Seed,
)

if TYPE_CHECKING:
    from lookalike.models.cluster.kmeans import KMeans
    from lookalike.models.mixture.gaussian import GaussianMixture
    from lookalike.typing import AnyArray

NAMED = 3  # features that describe a cluster
Clusters = Annotated[int, typer.Option("-k", "--clusters", min=1, help="Number of clusters.")]
Mixture = Annotated[
    bool, typer.Option("--mixture", help="Fit a Gaussian mixture in place of k-means.")
]


def cluster(
    data: Data,
    *,
    k: Clusters = 8,
    mixture: Mixture = False,
    scale: Scale = False,
    seed: Seed = 0,
    columns: ColumnOptions,
    model: OutModel = None,
    output: OutputOptions,
) -> None:
    """Cluster the rows of DATA by k-means, or by a Gaussian mixture.

    Example: lookalike cluster iris -k 3 --scale -o clusters.csv
    """
    import numpy as np

    from lookalike.cli.destination import check_destinations, destination
    from lookalike.cli.load_data import load_numeric
    from lookalike.cli.output import print_json, print_paths, print_table, save_table
    from lookalike.models.cluster.kmeans import KMeans
    from lookalike.models.mixture.gaussian import GaussianMixture
    from lookalike.printable import number as shown_number
    from lookalike.store.file import save

    streamed = check_destinations(output.file, model, json=output.json)
    X, _, names = load_numeric(data, scale=scale, **columns._asdict())
    fitted: KMeans | GaussianMixture = (
        GaussianMixture(k, random_state=seed) if mixture else KMeans(k, random_state=seed)
    )
    labels = np.asarray(fitted.fit(X).predict(X))
    centers = fitted.means_ if isinstance(fitted, GaussianMixture) else fitted.cluster_centers_
    sizes = np.bincount(labels, minlength=len(centers))
    criterion, value = (
        ("mean_log_likelihood", float(fitted.lower_bound_))
        if isinstance(fitted, GaussianMixture)
        else ("inertia", float(fitted.inertia_))
    )
    if output.file is not None:
        save_table(output.file, ("row", "cluster"), enumerate(labels.tolist()))
    if model is not None:
        save(fitted, destination(model))
    if streamed:
        return
    if output.json:
        print_json(
            {
                "rows": len(labels),
                criterion: value,
                "cluster_sizes": sizes,
                "centers": centers,
                "columns": names,
                "decisions": list(map(str, fitted.decisions_)),
            }
        )
        return
    lines = [
        (number, int(size), _distinctive(X, names, centers[number]))
        for number, size in enumerate(sizes)
    ]
    title = f"{data}: {len(labels):,} rows, {criterion.replace('_', ' ')} {shown_number(value)}"
    print_table(title, ("cluster", "rows", "most distinctive features"), lines)
    print_paths({"Clusters": output.file, "Model": model})


def _distinctive(X: AnyArray, names: list[str], center: AnyArray) -> str:
    """Return the features in which a center is most standard deviations from the mean."""
    import numpy as np

    from lookalike.printable import number as shown_number

    X = np.asarray(X, np.float64)
    spread = X.std(axis=0)
    z = np.divide(center - X.mean(axis=0), spread, out=np.zeros(len(spread)), where=spread > 0)
    order = np.argsort(-np.abs(z), kind="stable")[:NAMED]
    return ", ".join(f"{names[j]} {shown_number(float(center[j]))}" for j in order)
