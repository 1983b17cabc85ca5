"""The worked example of PCA: ten points in the plane, described by one number each [LUMS]."""

from __future__ import annotations

import numpy as np
from record import Record, run_alone

from lookalike import PCA
from lookalike.report.plots.pca import plot_projections

SOURCE = "[LUMS]"
SYSTEMS = ("P1", "P6")
POINTS = np.array(
    [[2.5, 2.4], [0.5, 0.7], [2.2, 2.9], [1.9, 2.2], [3.1, 3.0],
     [2.3, 2.7], [2.0, 1.6], [1.0, 1.1], [1.5, 1.6], [1.1, 0.9]]
)  # fmt: skip
Z = ("3.4591", "0.8536", "3.6233", "2.9054", "4.3069",
     "3.5441", "2.5320", "1.4866", "2.1931", "1.4073")  # fmt: skip


def figures(record: Record) -> None:
    pca = PCA(ddof=0).fit(POINTS)  # the source divides by n
    S = pca.get_covariance()
    record.printed("mean", ["1.81", "1.91"], pca.mean_.tolist())
    record.printed("covariance", ["0.5549", "0.5539", "0.6449"], [S[0, 0], S[0, 1], S[1, 1]])
    record.printed("eigenvalues", ["1.1556", "0.0442"], pca.explained_variance_.tolist())
    first, second = pca.components_
    record.printed("first principal component", ["0.6779", "0.7352"], first.tolist())
    second = second * np.sign(second[1])  # the source prints the other sign
    record.printed("second principal component", ["-0.7352", "0.6779"], second.tolist())
    z = POINTS @ first  # the source projects without subtracting the mean
    for i, (printed, measured) in enumerate(zip(Z, z, strict=True)):
        record.printed(f"z of point {i + 1}", printed, measured)
    ax = plot_projections(PCA().fit(POINTS), POINTS)
    record.picture(ax, "ten_points.png", "The ten points and their projections")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
