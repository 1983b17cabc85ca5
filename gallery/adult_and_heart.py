"""Adult and Heart: neighbors from the frame of a csv, with missing values and categories.

Rows are compared by Gower's dissimilarity: numbers by their range, categories as equal or not, and
only what both rows have. K is chosen by leave-one-out; everything the model settled is printed.
Run: LOOKALIKE_DATA=folder python gallery/adult_and_heart.py (all of Adult: 48842 rows, a minute)
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pandas as pd
from digits import folder
from printed import compare

from lookalike import KNeighborsClassifier
from lookalike.report.plots.neighbors import plot_k_selection
from lookalike.report.save import save_axes

CODED = ["sex", "cp", "fbs", "restecg", "exang", "slope", "thal"]  # numbers that name categories


def report(name, frame, target, out, **how):
    """Fit on a frame as it is, print errors and choices, and draw the curves."""
    X, y = frame.drop(columns=target), frame[target]
    start = time.perf_counter()
    model = KNeighborsClassifier("loo", metric="gower", missing="present", **how).fit(X, y)
    seconds = time.perf_counter() - start
    selection, k = model.selection_, model.n_neighbors_
    rows = [
        ("rows, columns", f"{len(X)}, {X.shape[1]}"),
        ("cells missing", int(X.isna().sum().sum())),
        ("error of the commonest class", f"{1 - y.value_counts(normalize=True).max():.4f}"),
    ]
    for method, weights in selection.curves:
        best = selection.best(method, weights)
        curve = selection.curves[method, weights]
        error, spread = (part["error"][best - 1] for part in curve)
        rows.append(
            (f"least {method} error, {weights}", f"{error:.4f} +- {spread:.4f} (K = {best})")
        )
    rows.append(("K used, and within one standard error", f"{k}, {selection.one_standard_error()}"))
    rows.append(("seconds for all of it", f"{seconds:.1f}"))
    compare(name, [(what, "-", value) for what, value in rows])
    print(f"  settled: {'; '.join(map(str, model.decisions_))}")
    save_axes(plot_k_selection(selection), out / f"{name.split(':')[0].lower()}_selection.png")


def main() -> None:
    out, data = folder(), Path(os.environ["LOOKALIKE_DATA"])
    heart = pd.read_csv(data / "heart_cleveland.csv")
    heart["num"] = heart["num"].gt(0).map({True: "disease", False: "none"})
    report("Heart: disease or none", heart, "num", out, metric_params={"categorical": CODED})
    adult = pd.read_csv(data / "adult.csv.gz").drop(columns="split")
    report("Adult: income above 50K or not", adult, "income", out)


if __name__ == "__main__":
    main()
