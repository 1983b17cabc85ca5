"""RBF networks compared with a scikit-learn pipeline of the same basis functions and RidgeCV.

Run: python -m benchmarks.bench_rbf [--quick]
"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from benchmarks.timing import BenchParser, heading, race
from lookalike import RBFNetworkRegressor


def network(n_rows: int, n_centers: int, rounds: int) -> None:
    """60k x 64, the same 500 centers and width, the penalty chosen by leave-one-out by both."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 64))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=n_rows)
    centers, width = X[:n_centers], 8.0
    ours = RBFNetworkRegressor(centers=centers, width=width).fit(X[:2000], y[:2000])
    ours.fit(X, y)
    basis_functions = FunctionTransformer(
        rbf_kernel, kw_args={"Y": centers, "gamma": 0.5 / width**2}, check_inverse=False
    )
    theirs = make_pipeline(basis_functions, RidgeCV(alphas=ours.curve_["alpha"]))
    race(
        f"RBF network, {n_rows} x 64, {n_centers} centers, 25 penalties",
        {"lookalike": lambda: ours.fit(X, y), "scikit-learn": lambda: theirs.fit(X, y)},
        rounds=rounds,
    )
    gap = np.abs(ours.predict(X[:1000]) - theirs.predict(X[:1000])).max()
    print(
        f"  penalties {ours.alpha_:.6g} and {theirs[-1].alpha_:.6g}, predictions within {gap:.1e}"
    )


def main() -> None:
    """Run the chosen parts."""
    sizes = {"rows": (60_000, 6_000), "centers": (500, 100), "rounds": (2, 1)}
    chosen = BenchParser(__doc__, **sizes).parse_args()
    heading("RBF network")
    network(chosen.rows, chosen.centers, chosen.rounds)


if __name__ == "__main__":
    main()
