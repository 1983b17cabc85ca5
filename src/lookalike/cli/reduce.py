"""`lookalike reduce`: describe each row by a few numbers."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import Data, Json

if TYPE_CHECKING:
    from lookalike.models.decomposition.pca import PCA

Components = Annotated[
    float,
    typer.Option("--components", "-c", min=0, help="How many, or which part of the variance."),
]
Target = Annotated[str | None, typer.Option(help="The column to leave out.")]
Scale = Annotated[bool, typer.Option(help="Bring columns to one scale first.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write the scores: csv or npy.")]
Plot = Annotated[Path | None, typer.Option(help="Draw the scree plot: svg, png or pdf.")]
Keep = Annotated[Path | None, typer.Option("--model", help="Keep the model in this file.")]
Engine = Annotated[str, typer.Option(help="auto, memory, stream or dask.")]


def reduce(  # noqa: PLR0917 - typer reads the options off
    data: Data,
    components: Components = 2,
    target: Target = None,
    scale: Scale = False,
    out: Out = None,
    plot: Plot = None,
    model: Keep = None,
    engine: Engine = "auto",
    json: Json = False,
) -> None:
    """Describe each row of DATA by its scores on the leading principal components.

    Files may be larger than memory. Every column must hold numbers.

    Example: lookalike reduce digits --components 10 --plot scree.svg
    """
    from sklearn.pipeline import make_pipeline

    from lookalike.cli.load_data import open_argument
    from lookalike.cli.output import show, show_json
    from lookalike.models.decomposition.pca import PCA
    from lookalike.models.preprocessing.standardizer import Standardizer
    from lookalike.report.plots.pca import plot_scree
    from lookalike.report.save import save_axes, save_rows
    from lookalike.store.file import save

    source = open_argument(data, target=target)
    kept = components if 0 < components < 1 else int(components)
    pca = PCA(n_components=kept, engine=engine)
    fitted = make_pipeline(Standardizer(engine=engine), pca) if scale else pca
    fitted.fit(source)
    if out is not None:
        save_rows(fitted.transform(source), pca.get_feature_names_out(), out)
    if plot is not None:
        save_axes(plot_scree(pca), plot)
    if model is not None:
        save(fitted, model)
    if json:
        show_json(_told(pca))
        return
    made = {"Scores": out, "Scree plot": plot, "Model": model}
    show([_sheet(data, pca), *map(str, pca.decisions_)])
    show(f"{what}: {path}" for what, path in made.items() if path is not None)


def _told(pca: PCA) -> dict[str, Any]:
    return {
        "rows": int(pca.n_samples_),
        "columns": pca.n_features_in_,
        "explained_variance": pca.explained_variance_,
        "explained_variance_ratio": pca.explained_variance_ratio_,
        "decisions": [str(decision) for decision in pca.decisions_],
    }


def _sheet(data: str, pca: PCA) -> Any:
    """Return the variance of each component, and what they explain together."""
    from lookalike.cli.output import Sheet

    shares = pca.explained_variance_ratio_.tolist()
    columns = zip(pca.explained_variance_.tolist(), shares, accumulate(shares), strict=True)
    lines = [
        (number, variance, f"{share:.1%}", f"{together:.1%}")
        for number, (variance, share, together) in enumerate(columns, start=1)
    ]
    title = f"{data}: {pca.n_samples_:.0f} rows, {pca.n_features_in_} columns"
    return Sheet(title, ("component", "variance", "explained", "together"), lines)
