"""`lookalike reduce`: describe each row by a few numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table


def reduce(
    data: Annotated[str, typer.Argument(help="A file (csv, tsv, npy, npz, parquet, arrow) or a sample: digits, iris, wine, breast_cancer, diabetes.")],
    components: Annotated[float, typer.Option("--components", "-c", min=0, help="How many, or a fraction of the variance below 1.")] = 2,
    target: Annotated[str | None, typer.Option(help="The column to leave out.")] = None,
    scale: Annotated[bool, typer.Option(help="Bring columns to one scale first.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the scores to this csv or npy file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the scree plot to this svg, png or pdf file.")] = None,
    engine: Annotated[str, typer.Option(help="auto, memory, stream or dask.")] = "auto",
) -> None:
    """Describe each row of DATA by its scores on the leading principal components.

    Example: lookalike reduce digits --components 10 --plot scree.svg
    """
    from sklearn.pipeline import make_pipeline

    from lookalike import PCA, Standardizer
    from lookalike.cli.opening import open_argument
    from lookalike.report.save import save_figure, save_rows

    source = open_argument(data, target=target)
    kept = components if 0 < components < 1 else int(components)
    pca = PCA(n_components=kept, engine=engine)
    model = make_pipeline(Standardizer(engine=engine), pca) if scale else pca
    model.fit(source)

    table = Table(title=f"{data}: {pca.n_samples_:.0f} rows, {pca.n_features_in_} columns")
    for heading in ("component", "variance", "explained", "together"):
        table.add_column(heading, justify="right")
    together = 0.0
    for number, (variance, share) in enumerate(
        zip(pca.explained_variance_, pca.explained_variance_ratio_, strict=True), start=1
    ):
        together += share
        table.add_row(str(number), f"{variance:.4g}", f"{share:.1%}", f"{together:.1%}")
    console = Console()
    console.print(table)
    for decision in pca.decisions_:
        console.print(f"  {decision}", style="dim", highlight=False)
    if out is not None:
        save_rows(model.transform(source), pca.get_feature_names_out(), out)
        console.print(f"Scores: {out}", highlight=False)
    if plot is not None:
        from lookalike.report.pca import plot_scree

        save_figure(plot_scree(pca).figure, plot)
        console.print(f"Scree plot: {plot}", highlight=False)
