"""`lookalike reduce`: principal component analysis."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import Data, Drop, Json, OutModel, Scale, TextColumn

if TYPE_CHECKING:
    from lookalike.data.source import Source
    from lookalike.models.decomposition.pca import PCA

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
Plot = Annotated[Path | None, typer.Option(help="Draw the scree plot: svg, png or pdf.")]
Engine = Annotated[str, typer.Option(help="auto, memory, stream or dask.")]


def reduce(  # noqa: PLR0917 - typer reads the options off
    data: Data,
    components: Components = 2,
    drop: Drop = None,
    scale: Scale = False,
    text: TextColumn = None,
    out: Out = None,
    plot: Plot = None,
    model: OutModel = None,
    engine: Engine = "auto",
    json: Json = False,
) -> None:
    """Reduce DATA to its leading principal components (PCA).

    Files of numbers may be larger than memory. In others, categories are one-hot encoded and
    missing numbers replaced by the mean; documents are rows of tf-idf weights, in the components
    of latent semantic analysis.

    Example: lookalike reduce digits --components 10 --plot scree.svg
    """
    from sklearn.pipeline import make_pipeline

    from lookalike.cli.destination import check_destinations, destination
    from lookalike.cli.load_data import (
        load_numeric,
        open_argument,
        table_preprocessor,
        text_column,
    )
    from lookalike.cli.output import print_json, print_lines, print_paths
    from lookalike.models.decomposition.pca import PCA
    from lookalike.models.preprocessing.standardizer import Standardizer
    from lookalike.report.plots.pca import plot_scree
    from lookalike.report.save import FIGURES, TABLES, format_of, save_axes, save_rows
    from lookalike.store.file import save

    streamed = check_destinations(out, plot, model, json=json)
    for path, known in ((out, TABLES), (plot, FIGURES)):
        if path is not None:
            format_of(destination(path), known)
    source: Any = open_argument(data, drop=drop)
    steps: list[Any] = []
    if text_column(source, text) is not None:
        source = load_numeric(data, drop=drop, text=text).X
    elif not _is_complete(source):
        steps, scale = [table_preprocessor(scale)], False
    n_components = components if 0 < components < 1 else int(components)
    pca = PCA(n_components=n_components, engine=engine)
    steps += [Standardizer(engine=engine)] if scale else []
    fitted = make_pipeline(*steps, pca) if steps else pca
    fitted.fit(source)
    if out is not None:
        save_rows(fitted.transform(source), pca.get_feature_names_out(), destination(out))
    if plot is not None:
        save_axes(plot_scree(pca), destination(plot))
    if model is not None:
        save(fitted, destination(model))
    if streamed:
        return
    if json:
        print_json(_as_dict(pca))
        return
    _print_components(data, pca)
    print_lines(map(str, pca.decisions_))
    print_paths({"Scores": out, "Scree plot": plot, "Model": model})


def _is_complete(source: Source) -> bool:
    """Return whether every column holds numbers, and the first rows lack none."""
    import numpy as np

    from lookalike.cli.load_data import NUMERIC

    if not all(column.kind in NUMERIC for column in source.columns):
        return False
    if not source.repeatable:
        return True
    X = next(source.chunks()).X
    return X.dtype.kind != "f" or not hasattr(X, "__array__") or not np.isnan(X).any()


def _as_dict(pca: PCA) -> dict[str, Any]:
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
    headings = ("component", "variance", "explained variance", "cumulative")
    print_table(title, headings, lines)
