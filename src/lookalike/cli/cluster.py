"""`lookalike cluster`: k-means clusters, or the components of a Gaussian mixture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import (
    ComparedColumns,
    Data,
    OutModel,
    OutputOptions,
    Scale,
    Seed,
)

if TYPE_CHECKING:
    from lookalike.models.cluster.kmeans import KMeans
    from lookalike.models.mixture.gaussian import GaussianMixture
    from lookalike.studies.prepare_rows import ComparedRows
    from lookalike.typing import AnyArray

FEATURES_NAMED = 3  # that describe a cluster
Clusters = Annotated[int, typer.Option("-k", "--clusters", min=1, help="Number of clusters.")]
Mixture = Annotated[
    bool, typer.Option("--mixture", help="Fit a Gaussian mixture in place of k-means.")
]


def cluster(
    data: Data,
    *,
    k: Clusters = 8,
    mixture: Mixture = False,
    scale: Scale = None,
    seed: Seed = 0,
    columns: ComparedColumns,
    model: OutModel = None,
    output: OutputOptions,
) -> None:
    """Cluster the rows of DATA by k-means, or by a Gaussian mixture.

    Rows are prepared as a study prepares them: the target, identifiers and constant columns are
    left out, numbers are z-scores (--scale none leaves them in their own units), categories one-hot
    encoded, missing numbers imputed with the mean, text its tf-idf components. Each cluster is
    described by the features in which it differs most from all rows: means in the units of the
    table, shares of categories in percent.

    Example: lookalike cluster iris -k 3 -o clusters.csv

    Example: lookalike cluster table.csv --target species -k 3 --json
    """
    import numpy as np

    from lookalike.cli.destination import check_destinations, destination
    from lookalike.cli.output import (
        print_json,
        print_lines,
        print_paths,
        print_table,
        save_table,
    )
    from lookalike.cli.prepare import load_prepared, note_preparation, preparation_lines
    from lookalike.models.cluster.kmeans import KMeans
    from lookalike.models.mixture.gaussian import GaussianMixture
    from lookalike.printable import number as shown_number
    from lookalike.store.file import save

    streamed = check_destinations(output.file, model, json=output.json, inputs=(data,))
    prepared = load_prepared(data, columns, scale=scale)
    X = prepared.features()
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
        save(prepared.pipeline(fitted), destination(model))
    if streamed:
        note_preparation(prepared)
        return
    units = prepared.table_units(centers)
    if output.json:
        print_json(
            {
                "rows": len(labels),
                criterion: value,
                "cluster_sizes": sizes,
                "centers": units,
                "columns": prepared.names,
                "preparation": prepared.preparation.description,
                "decisions": list(map(str, [*prepared.decisions, *fitted.decisions_])),
            }
        )
        return
    order = _distinctive(X, centers)
    lines = [
        (number, int(size), ", ".join(_mean(prepared, units[number], j) for j in order[number]))
        for number, size in enumerate(sizes)
    ]
    title = f"{data}: {len(labels):,} rows, {criterion.replace('_', ' ')} {shown_number(value)}"
    print_table(title, ("cluster", "rows", "most distinctive features"), lines)
    print_lines(preparation_lines(prepared))
    print_paths({"Clusters": output.file, "Model": model})


def _distinctive(X: AnyArray, centers: AnyArray) -> AnyArray:
    """Return the features in which each center is most standard deviations from the mean."""
    import numpy as np

    X = np.asarray(X, np.float64)
    spread = X.std(axis=0)
    difference = np.asarray(centers, np.float64) - X.mean(axis=0)
    z = np.divide(difference, spread, out=np.zeros_like(difference), where=spread > 0)
    order: AnyArray = np.argsort(-np.abs(z), axis=1, kind="stable")[:, :FEATURES_NAMED]
    return order


def _mean(prepared: ComparedRows, center: AnyArray, feature: int) -> str:
    """Return a feature of a center as text: the share of a category, or the mean of numbers."""
    from lookalike.printable import number as shown_number

    value = float(center[feature])
    shown = f"{value:.1%}" if feature in prepared.shares else shown_number(value)
    return f"{prepared.names[feature]} {shown}"
