"""Adult and Heart: neighbors and filters on tables with missing values and categories [LUMS].

Rows are compared by Gower's dissimilarity: numbers by their range, categories as equal or not, and
only what both rows have. K is chosen by leave-one-out.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from record import Record, data_file, run_alone

from lookalike import KNeighborsClassifier
from lookalike.data import open_source
from lookalike.feature_selection import SelectByFilter
from lookalike.report.plots.feature_selection import plot_univariate_scores
from lookalike.report.plots.neighbors import plot_k_selection, validation_name

SOURCE = "[LUMS]"
SYSTEMS = ("N5", "N7", "F1")
DATA = ("adult.csv.gz", "heart_cleveland.csv")
CODED = ["sex", "cp", "fbs", "restecg", "exang", "slope", "thal"]  # numbers that name categories
ROWS = 10_000  # of Adult's 48,842


def report(record, name, frame, target, **options):
    """Fit on a frame as it is, and record the errors."""
    X, y = frame.drop(columns=target), frame[target]
    model = KNeighborsClassifier("loo", metric="gower", missing="present", **options).fit(X, y)
    selection = model.selection_
    record.measured(
        f"{name}: rows, columns, missing cells",
        f"{len(X)}, {X.shape[1]}, {int(X.isna().sum().sum())}",
    )
    most_frequent = 1 - y.value_counts(normalize=True).max()
    record.measured(f"{name}: error of the most frequent class", f"{most_frequent:.4f}")
    for method, weights in selection.curves:
        best = selection.best(method, weights)
        error = selection.curves[method, weights].scores["error"][best - 1]
        record.measured(
            f"{name}: least error, {validation_name(method, weights)}", f"{error:.4f}, K = {best}"
        )
    ax = plot_k_selection(selection)
    ax.set_title(f"{name}: selecting K")
    record.picture(ax, f"{name.lower()}_selection.png", f"{name}: leave-one-out error of every K")


def figures(record: Record) -> None:
    heart = pd.read_csv(data_file("heart_cleveland.csv"))
    heart["num"] = heart["num"].gt(0).map({True: "disease", False: "none"})
    report(record, "Heart", heart, "num", metric_params={"categorical": CODED})
    adult = pd.read_csv(data_file("adult.csv.gz")).drop(columns="split")[:ROWS]
    report(record, "Adult", adult, "income")
    names = [column.name for column in open_source(data_file("adult.csv.gz")).columns]
    kept = [name for name in names if name not in ("income", "split")]
    source = open_source(data_file("adult.csv.gz"), target="income", columns=kept)
    model = SelectByFilter("mutual_info", k=6, missing="present").fit(source)
    for j in np.argsort(model.ranking_)[:3]:
        record.measured(
            f"Adult, all rows: mutual information of {kept[j]}", f"{model.scores_[j]:.3f} nats"
        )
    ax = plot_univariate_scores(model)
    record.picture(ax, "features_adult.png", "Adult: mutual information of each column")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
