"""`lookalike reduce`: describe each row by a few numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from lookalike.models.pca import PCA

Data = Annotated[
    str, typer.Argument(help="A csv, tsv, npy, npz, parquet or arrow file, or a sample.")
]
Components = Annotated[
    float,
    typer.Option("--components", "-c", min=0, help="How many, or which part of the variance."),
]
Target = Annotated[str | None, typer.Option(help="The column to leave out.")]
Scale = Annotated[bool, typer.Option(help="Bring columns to one scale first.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write the scores: csv or npy.")]
Plot = Annotated[Path | None, typer.Option(help="Draw the scree plot: svg, png or pdf.")]
Engine = Annotated[str, typer.Option(help="auto, memory, stream or dask.")]


def reduce(  # noqa: PLR0917 - typer reads the options off
    data: Data,
    components: Components = 2,
    target: Target = None,
    scale: Scale = False,
    out: Out = None,
    plot: Plot = None,
    engine: Engine = "auto",
) -> None:
    """Describe each row of DATA by its scores on the leading principal components.

    Samples that come along: breast_cancer, diabetes, digits, iris, wine.

    Example: lookalike reduce digits --components 10 --plot scree.svg
    """
    from sklearn.pipeline import make_pipeline

    from lookalike.cli.opening import open_argument
    from lookalike.models.pca import PCA
    from lookalike.models.standardize import Standardizer
    from lookalike.report.pca import plot_scree
    from lookalike.report.save import save_axes, save_rows

    source = open_argument(data, target=target)
    kept = components if 0 < components < 1 else int(components)
    pca = PCA(n_components=kept, engine=engine)
    model = make_pipeline(Standardizer(engine=engine), pca) if scale else pca
    model.fit(source)
    console = Console()
    console.print(_table(data, pca))
    for decision in pca.decisions_:
        console.print(f"  {decision}", style="dim", highlight=False)
    if out is not None:
        save_rows(model.transform(source), pca.get_feature_names_out(), out)
        console.print(f"Scores: {out}", highlight=False)
    if plot is not None:
        save_axes(plot_scree(pca), plot)
        console.print(f"Scree plot: {plot}", highlight=False)


def _table(data: str, pca: PCA) -> Table:
    """Return the variance of each component, and what they explain together."""
    table = Table(title=f"{data}: {pca.n_samples_:.0f} rows, {pca.n_features_in_} columns")
    for heading in ("component", "variance", "explained", "together"):
        table.add_column(heading, justify="right")
    together = 0.0
    shares = zip(pca.explained_variance_, pca.explained_variance_ratio_, strict=True)
    for number, (variance, share) in enumerate(shares, start=1):
        together += share
        table.add_row(str(number), f"{variance:.4g}", f"{share:.1%}", f"{together:.1%}")
    return table
