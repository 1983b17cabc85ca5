"""Neighbor maps of handwritten digits: t-SNE and UMAP compared with two principal components.

The measures say what the pictures cannot: how many of the neighbors each of them keeps.
"""

from __future__ import annotations

from matplotlib.figure import Figure
from record import Record, run_alone
from sklearn.datasets import load_digits

from lookalike import PCA, NeighborMap
from lookalike.manifold import map_quality
from lookalike.report.plots.neighbor_map import plot_neighbor_map, quality_text
from lookalike.report.plots.scatter import plot_scatter

SOURCE = "[van der Maaten & Hinton 2008; McInnes 2018]"
SYSTEMS = ()
NEIGHBORS = 15


def figures(record: Record) -> None:
    X, y = load_digits(return_X_y=True)
    plane = PCA(2).fit_transform(X)
    flat = map_quality(X, plane, n_neighbors=NEIGHBORS)
    maps = {name: NeighborMap(name, quality_rows=len(X)).fit(X) for name in ("tsne", "umap")}
    for name, found in (("PCA", flat), *((name, m.quality_) for name, m in maps.items())):
        record.measured(f"1,797 digits, {name}", quality_text(found))
    for name, model in maps.items():
        record.claim(
            f"{name} keeps more neighbors than two principal components",
            "local structure is kept",
            f"{model.neighbor_preservation_:.0%} and {flat.neighbor_preservation:.0%}",
            model.neighbor_preservation_ > 2 * flat.neighbor_preservation,
        )
    figure = Figure(figsize=(17, 5.4), layout="constrained")
    first, second, third, fourth = figure.subplots(1, 4)
    plot_scatter(plane, y, ax=first)
    first.set(title="PCA", xlabel=quality_text(flat).replace(", neighbor", ",\nneighbor"))
    first.get_legend().remove()
    plot_neighbor_map(maps["umap"], y, ax=second)
    second.get_legend().remove()
    plot_neighbor_map(maps["tsne"], y, ax=third)
    plot_neighbor_map(maps["tsne"], maps["tsne"].torn_, ax=fourth)
    fourth.set(title="share of the 10 nearest rows torn away")
    record.picture(figure, "digit_map.png", "Digits on the plane, with the measures of each map")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
