"""`lookalike reduce`: principal component analysis, or a neighbor map."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import ComparedColumns, Data, Json, OutModel, Scale
from lookalike.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator

    from lookalike.models.decomposition.pca import PCA
    from lookalike.models.manifold.neighbor_map import NeighborMap
    from lookalike.typing import AnyArray

LOADINGS_NAMED = 3  # that describe a component
Components = Annotated[
    float,
    typer.Option(
        "--components", "-c", min=0, help="Number of components, or part of the variance (0.95)."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Write the scores: csv, parquet or npy; - is standard output."
    ),
]
Plot = Annotated[
    Path | None, typer.Option(help="Draw the scree plot, or the map: svg, png or pdf.")
]
Method = Annotated[str, typer.Option(help="pca, or map: a neighbor map in the plane.")]
Layout = Annotated[str, typer.Option(help="Of --method map: tsne or umap.")]
Engine = Annotated[str, typer.Option(help="auto, memory, stream or dask.")]


def reduce(
    data: Data,
    *,
    components: Components = 2,
    method: Method = "pca",
    layout: Layout = "tsne",
    columns: ComparedColumns,
    scale: Scale = None,
    out: Out = None,
    plot: Plot = None,
    model: OutModel = None,
    engine: Engine = "auto",
    json: Json = False,
) -> None:
    """Reduce DATA to its leading principal components (PCA), or to a map of neighbors.

    Rows are prepared as a study prepares them: the target, identifiers and constant columns are
    left out, numbers are z-scores (--scale none leaves them in their own units), categories one-hot
    encoded, missing numbers imputed with the mean, text its tf-idf components, or those of latent
    semantic analysis where there is nothing else. Files may be larger than memory. Each component
    is named by its largest loadings. A map (t-SNE or UMAP) keeps neighbors together in the plane,
    and is measured by how many it keeps.

    Example: lookalike reduce digits --components 10 --plot scree.svg

    Example: lookalike reduce digits --method map --plot map.png
    """
    from lookalike.cli.destination import check_destinations, destination
    from lookalike.cli.output import print_json, print_lines, print_paths
    from lookalike.cli.prepare import load_prepared, note_preparation, preparation_lines
    from lookalike.report.save import FIGURE_FORMATS, TABLE_FORMATS, format_of, save_axes, save_rows
    from lookalike.store.file import save
    from lookalike.validation import check_choice

    check_choice("--method", method, ("pca", "map"))
    streamed = check_destinations(out, plot, model, json=json, inputs=(data,))
    for path, known in ((out, TABLE_FORMATS), (plot, FIGURE_FORMATS)):
        if path is not None:
            format_of(destination(path), known)
    of_map = method == "map"
    prepared = load_prepared(data, columns, scale=scale, engine=engine)
    texts = prepared.text
    reduced: BaseEstimator = (
        _map(components, layout, engine, texts=texts) if of_map else _pca(components, engine)
    )
    rows = prepared.feature_source()
    reduced.fit(rows)
    if out is not None:
        scores = [reduced.embedding_] if of_map else _scores(reduced, rows)
        save_rows(scores, reduced.get_feature_names_out(), destination(out))
    if plot is not None:
        save_axes(_plotted(reduced, method), destination(plot))
    if model is not None:
        save(prepared.pipeline(reduced), destination(model))
    if streamed:
        note_preparation(prepared)
        return
    if json:
        result = _map_as_dict(reduced) if of_map else _as_dict(reduced, prepared.names)
        decisions = list(map(str, [*prepared.decisions, *reduced.decisions_]))
        description = prepared.preparation.description
        print_json({**result, "preparation": description, "decisions": decisions})
        return
    if of_map:
        _print_map(data, reduced)
    else:
        _print_components(data, reduced, prepared.names)
    print_lines([*preparation_lines(prepared), *map(str, reduced.decisions_)])
    print_paths({"Scores": out, "Map" if of_map else "Scree plot": plot, "Model": model})


def _scores(fitted: BaseEstimator, data: object) -> Iterator[AnyArray]:
    """Give the scores of the rows, chunk by chunk: the table may be larger than memory."""
    from lookalike.data.source import open_source
    from lookalike.data.sources.pieces import source_pieces
    from lookalike.progress import progress

    source = open_source(data)
    with progress("rows reduced", source.n_rows) as advance:
        for _, rows in source_pieces(source):
            scores = fitted.transform(rows)
            yield scores
            advance(len(scores))


def _pca(components: float, engine: str) -> PCA:
    from lookalike.models.decomposition.pca import PCA

    if components == 0 or (components > 1 and not components.is_integer()):
        raise ParameterError(
            f"--components {components:g} is neither a number of components, such as 2, nor a part "
            "of the variance, such as 0.95. Give one of these."
        )
    n_components = components if components < 1 else int(components)
    return PCA(n_components=n_components, engine=engine)


def _map(components: float, layout: str, engine: str, *, texts: bool) -> NeighborMap:
    """Return the map to make; documents are compared by angle."""
    from lookalike.models.manifold.neighbor_map import NeighborMap

    if components != 2:
        raise ParameterError(
            f"--components {components:g} has no effect on --method map, which is a plane. Drop it."
        )
    return NeighborMap(layout, metric="cosine" if texts else "euclidean", engine=engine)


def _plotted(reduced: BaseEstimator, method: str) -> Axes:
    if method == "map":
        from lookalike.report.plots.neighbor_map import plot_neighbor_map

        return plot_neighbor_map(reduced)
    from lookalike.report.plots.pca import plot_scree

    return plot_scree(reduced)


def _as_dict(pca: PCA, names: list[str]) -> dict[str, object]:
    return {
        "rows": int(pca.n_samples_),
        "columns": pca.n_features_in_,
        "explained_variance": pca.explained_variance_,
        "explained_variance_ratio": pca.explained_variance_ratio_,
        "features": names,
        "loadings": pca.components_,
    }


def _loadings(axis: AnyArray, names: list[str]) -> str:
    """Return the features that a component is made of most, with their loadings."""
    import numpy as np

    from lookalike.printable import number as shown_number

    order = np.argsort(-np.abs(axis), kind="stable")[:LOADINGS_NAMED]
    return ", ".join(f"{names[j]} {shown_number(float(axis[j]))}" for j in order)


def _print_components(data: str, pca: PCA, names: list[str]) -> None:
    """Print the variance of each component, its ratio, and the features that it is made of."""
    from lookalike.cli.output import print_table
    from lookalike.studies.format import count

    ratios = pca.explained_variance_ratio_.tolist()
    variances = pca.explained_variance_.tolist()
    loadings = [_loadings(axis, names) for axis in pca.components_]
    columns = zip(variances, ratios, accumulate(ratios), loadings, strict=True)
    lines = [
        (number, variance, f"{ratio:.1%}", f"{cumulative:.1%}", largest)
        for number, (variance, ratio, cumulative, largest) in enumerate(columns, start=1)
    ]
    title = f"{data}: {pca.n_samples_:,.0f} rows, {count(pca.n_features_in_, 'feature')}"
    headings = ("component", "explained variance", "ratio", "cumulative ratio", "largest loadings")
    print_table(title, headings, lines)


def _map_as_dict(reduced: NeighborMap) -> dict[str, object]:
    return {
        "rows": len(reduced.embedding_),
        "columns": reduced.n_features_in_,
        "method": reduced.method,
        **reduced.quality_._asdict(),
    }


def _print_map(data: str, reduced: NeighborMap) -> None:
    """Print the measures of the map."""
    from lookalike.cli.output import print_table
    from lookalike.studies.format import count

    quality = reduced.quality_
    lines = [
        (
            "trustworthiness",
            f"{quality.trustworthiness:.3f}",
            "map neighbors that are true neighbors, by rank",
        ),
        (
            "continuity",
            f"{quality.continuity:.3f}",
            "true neighbors that are map neighbors, by rank",
        ),
        (
            "neighbor preservation",
            f"{quality.neighbor_preservation:.1%}",
            "true neighbors among as many map neighbors",
        ),
        ("torn neighbors", f"{reduced.torn_.mean():.1%}", "10 nearest, beyond 30 on the map"),
        (
            "false neighbors",
            f"{reduced.false_.mean():.1%}",
            "10 nearest on the map, beyond 30 in truth",
        ),
    ]
    features = count(reduced.n_features_in_, "feature")
    title = f"{data}: {len(reduced.embedding_):,} rows, {features}"
    print_table(title, ("measure", "value", "meaning"), lines)
