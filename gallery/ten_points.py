"""The worked example of PCA: ten points in the plane, described by one number each [LUMS]."""

from __future__ import annotations

import numpy as np
from printed import compare

from lookalike import PCA

POINTS = np.array(
    [[2.5, 2.4], [0.5, 0.7], [2.2, 2.9], [1.9, 2.2], [3.1, 3.0],
     [2.3, 2.7], [2.0, 1.6], [1.0, 1.1], [1.5, 1.6], [1.1, 0.9]]
)  # fmt: skip
PRINTED = [3.4591, 0.8536, 3.6233, 2.9054, 4.3069, 3.5441, 2.5320, 1.4866, 2.1931, 1.4073]


def measure() -> list[tuple[str, object, object]]:
    """Return each printed figure and ours; the source divides by n."""
    pca = PCA(ddof=0).fit(POINTS)
    covariance = pca.get_covariance()
    z = POINTS @ pca.components_[0]  # the source projects without subtracting the mean
    rows: list[tuple[str, object, object]] = [
        ("mean", [1.81, 1.91], pca.mean_.round(2).tolist()),
        (
            "covariance",
            [0.5549, 0.5539, 0.6449],
            covariance[[0, 0, 1], [0, 1, 1]].round(4).tolist(),
        ),
        ("eigenvalues", [1.1556, 0.0442], pca.explained_variance_.round(4).tolist()),
        ("first direction", [0.6779, 0.7352], pca.components_[0].round(4).tolist()),
        ("second direction", "±[0.7352, -0.6779]", pca.components_[1].round(4).tolist()),
    ]
    pairs = zip(PRINTED, z.round(4).tolist(), strict=True)
    return rows + [(f"z of point {i}", *pair) for i, pair in enumerate(pairs)]


if __name__ == "__main__":
    compare("PCA of ten points [LUMS]", measure())
