"""KNNImputer and scikit-learn's, on rows of which a share of the cells is missing.

Both fill the same table in turns; the largest difference of their values is printed beside the
times.
"""

from __future__ import annotations

import numpy as np
from sklearn.impute import KNNImputer as TheirKNNImputer

from benchmarks.timing import BenchParser, heading, race
from lookalike import KNNImputer


def incomplete_rows(n_rows: int, n_columns: int, missing: float) -> np.ndarray:
    """Return correlated rows, a share of whose cells is NaN."""
    rng = np.random.default_rng(0)
    mixing = rng.normal(size=(n_columns, n_columns))
    X = rng.normal(size=(n_rows, n_columns)) @ mixing
    X[rng.random(X.shape) < missing] = np.nan
    return X


def main() -> None:
    parser = BenchParser(
        __doc__, rows=(20_000, 400), columns=(50, 9), missing=(0.1, 0.1), rounds=(3, 1)
    )
    parser.add_argument("--threads", type=int, help="of ours; scikit-learn's run as they will")
    args = parser.parse_args()
    heading(f"KNNImputer: {args.rows} x {args.columns}, {args.missing:.0%} of the cells missing")
    X = incomplete_rows(args.rows, args.columns, args.missing)
    for weights in ("uniform", "distance"):
        filled = {}

        def run(name: str, model: object) -> None:
            filled[name] = model.fit(X).transform(X)  # noqa: B023

        race(
            f"weights={weights!r}",
            {
                "lookalike": lambda w=weights: run(
                    "ours", KNNImputer(weights=w, n_jobs=args.threads)
                ),
                "scikit-learn": lambda w=weights: run("theirs", TheirKNNImputer(weights=w)),
            },
            rounds=args.rounds,
        )
        difference = np.abs(filled["ours"] - filled["theirs"]).max()
        print(f"  largest difference of a value: {difference:.2g}")


if __name__ == "__main__":
    main()
