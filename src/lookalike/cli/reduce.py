"""`lookalike reduce`: principal component analysis, or a neighbor map."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import ColumnOptions, Data, Json, OutModel, Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator

    from lookalike.data.source import Source
    from lookalike.models.decomposition.pca import PCA
    from lookalike.models.manifold.neighbor_map import NeighborMap
    from lookalike.typing import AnyArray

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
    columns: ColumnOptions,
    scale: Scale = False,
    out: Out = None,
    plot: Plot = None,
    model: OutModel = None,
    engine: Engine = "auto",
    json: Json = False,
) -> None:
    """Reduce DATA to its leading principal components (PCA), or to a map of neighbors.

    Files of numbers may be larger than memory. In others, categories are one-hot encoded and
    missing numbers replaced by the mean; documents are rows of tf-idf weights, in the components
    of latent semantic analysis. A map (t-SNE or UMAP) keeps neighbors together in the plane, and is
    measured by how many it keeps.

    Example: lookalike reduce digits --components 10 --plot scree.svg

    Example: lookalike reduce digits --method map --plot map.png
    """
    from sklearn.pipeline import Pipeline

    from lookalike.cli.destination import check_destinations, destination
    from lookalike.cli.output import print_json, print_lines, print_paths
    from lookalike.report.save import FIGURES, TABLES, format_of, save_axes, save_rows
    from lookalike.store.file import save
    from lookalike.validation import check_choice

    check_choice("--method", method, ("pca", "map"))
    streamed = check_destinations(out, plot, model, json=json)
    for path, known in ((out, TABLES), (plot, FIGURES)):
        if path is not None:
            format_of(destination(path), known)
    of_map = method == "map"
    source, steps, texts = _prepared(data, engine, columns, scale=scale)
    reduced = _map(components, layout, engine, texts=texts) if of_map else _pca(components, engine)
    fitted = Pipeline([*steps, (method, reduced)]) if steps else reduced
    fitted.fit(source)
    if out is not None:
        scores = [reduced.embedding_] if of_map else _scores(fitted, source)
        save_rows(scores, reduced.get_feature_names_out(), destination(out))
    if plot is not None:
        save_axes(_plotted(reduced, method), destination(plot))
    if model is not None:
        save(fitted, destination(model))
    if streamed:
        return
    if json:
        print_json(_map_as_dict(reduced) if of_map else _as_dict(reduced))
        return
    (_print_map if of_map else _print_components)(data, reduced)
    print_lines(map(str, reduced.decisions_))
    print_paths({"Scores": out, "Map" if of_map else "Scree plot": plot, "Model": model})


def _prepared(
    data: str, engine: str, columns: ColumnOptions, *, scale: bool
) -> tuple[object, list[tuple[str, object]], bool]:
    """Return the rows, the steps that make them complete numbers, and whether they were texts."""
    from lookalike.cli.load_data import numeric_table, open_columns, table_preprocessor
    from lookalike.models.preprocessing.standardizer import Standardizer

    source, column = open_columns(data, columns)
    texts = column is not None
    rows = numeric_table(source, scale=False, text=columns.text)[0] if texts else source
    if not texts and not _is_complete(source):
        return rows, [("preprocessing", table_preprocessor(scale, engine))], texts
    return rows, [("standardizer", Standardizer(engine=engine))] if scale else [], texts


def _scores(fitted: BaseEstimator, data: object) -> Iterator[AnyArray]:
    """Give the scores of the rows, chunk by chunk: the table may be larger than memory."""
    from lookalike.data.pieces import source_pieces
    from lookalike.data.source import open_source
    from lookalike.progress import progress

    source = open_source(data)
    with progress("rows reduced", source.n_rows) as advance:
        for _, rows in source_pieces(source):
            scores = fitted.transform(rows)
            yield scores
            advance(len(scores))


def _pca(components: float, engine: str) -> PCA:
    from lookalike.models.decomposition.pca import PCA

    n_components = components if 0 < components < 1 else int(components)
    return PCA(n_components=n_components, engine=engine)


def _map(components: float, layout: str, engine: str, *, texts: bool) -> NeighborMap:
    """Return the map to make; documents are compared by angle."""
    from lookalike.errors import ParameterError
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


def _is_complete(source: Source) -> bool:
    """Return whether every column holds numbers, and the first rows lack none."""
    import numpy as np

    from lookalike.data.pieces import is_numeric

    if not is_numeric(source):
        return False
    if not source.repeatable:
        return True
    X = next(source.chunks()).X
    return X.dtype.kind != "f" or not hasattr(X, "__array__") or not np.isnan(X).any()


def _as_dict(pca: PCA) -> dict[str, object]:
    return {
        "rows": int(pca.n_samples_),
        "columns": pca.n_features_in_,
        "explained_variance": pca.explained_variance_,
        "explained_variance_ratio": pca.explained_variance_ratio_,
        "decisions": [str(decision) for decision in pca.decisions_],
    }


def _print_components(data: str, pca: PCA) -> None:
    """Print the variance of each component, its ratio, and the cumulative ratio."""
    from lookalike.cli.output import print_table

    ratios = pca.explained_variance_ratio_.tolist()
    columns = zip(pca.explained_variance_.tolist(), ratios, accumulate(ratios), strict=True)
    lines = [
        (number, variance, f"{ratio:.1%}", f"{cumulative:.1%}")
        for number, (variance, ratio, cumulative) in enumerate(columns, start=1)
    ]
    title = f"{data}: {pca.n_samples_:,.0f} rows, {pca.n_features_in_} columns"
    headings = ("component", "explained variance", "ratio", "cumulative ratio")
    print_table(title, headings, lines)


def _map_as_dict(reduced: NeighborMap) -> dict[str, object]:
    return {
        "rows": len(reduced.embedding_),
        "columns": reduced.n_features_in_,
        "method": reduced.method,
        **reduced.quality_._asdict(),
        "decisions": [str(decision) for decision in reduced.decisions_],
    }


def _print_map(data: str, reduced: NeighborMap) -> None:
    """Print the measures of the map."""
    from lookalike.cli.output import print_table

    found = reduced.quality_
    lines = [
        (
            "trustworthiness",
            f"{found.trustworthiness:.3f}",
            "map neighbors that are true neighbors, by rank",
        ),
        ("continuity", f"{found.continuity:.3f}", "true neighbors that are map neighbors, by rank"),
        (
            "neighbor preservation",
            f"{found.neighbor_preservation:.1%}",
            "true neighbors among as many map neighbors",
        ),
        ("torn neighbors", f"{reduced.torn_.mean():.1%}", "10 nearest, beyond 30 on the map"),
        (
            "false neighbors",
            f"{reduced.false_.mean():.1%}",
            "10 nearest on the map, beyond 30 in truth",
        ),
    ]
    title = f"{data}: {len(reduced.embedding_):,} rows, {reduced.n_features_in_} columns"
    print_table(title, ("measure", "value", "meaning"), lines)
