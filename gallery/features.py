"""Fewer features: all subsets of five, backward elimination, filters [LUMS; Bishop95, fig. 8.8]."""

from __future__ import annotations

import itertools

import numpy as np
from record import Record, run_alone
from sklearn.datasets import load_breast_cancer

from lookalike import StandardScaler
from lookalike.feature_selection import (
    SelectByFilter,
    SelectByWrapper,
    feature_redundancy,
    select_exhaustively,
)
from lookalike.report.plots.feature_selection import (
    plot_redundancy,
    plot_selection_path,
    plot_univariate_scores,
)

SOURCE = "[LUMS]"
SYSTEMS = ("F1", "F2", "F3", "N6")


def five_truth_values(record: Record) -> None:
    x1, x2, x5 = np.array(list(itertools.product([0, 1], repeat=3))).T
    X = np.column_stack([x1, x2, 1 - x2, 1 - x5, x5])
    search = select_exhaustively(X, x1 | x2, n_neighbors=1)
    sets = " or ".join("{" + ", ".join(f"x{j + 1}" for j in s) + "}" for s in search.subsets)
    record.printed(
        "optimal subset, y = x1 or x2, x3 = not x2, x4 = not x5", "{x1, x2} or {x1, x3}", sets
    )
    record.equation("subsets scored, the empty one aside", "2^d − 1", 31, search.n_evaluated)


def breast_cancer(record: Record) -> None:
    data = load_breast_cancer(as_frame=True)
    X, y = StandardScaler().fit_transform(data.data), data.target_names[data.target]
    back = SelectByWrapper(direction="backward").fit(X, y)
    forward = SelectByWrapper().fit(X, y)
    few = SelectByWrapper(direction="backward", k="one_se").fit(X, y)
    everything = back.path_[-1]
    eight = "[Bishop95, fig. 8.8]"
    record.measured("breast cancer: accuracy with all 30", f"{everything.score:.1%}", source=eight)
    for name, model in (
        ("backward elimination: best", back),
        ("backward elimination: within one standard error", few),
        ("forward search: best", forward),
    ):
        text = f"{model.score_:.1%} with {model.support_.sum()}"
        record.measured(f"breast cancer, {name}", text, source=eight)
    record.equation(
        "subsets scored, one feature fewer at a time",
        "d (d + 1) / 2",
        465,
        back.n_evaluated_,
        source=eight,
    )
    ax = plot_selection_path(back)
    record.picture(ax, "features_backward.png", "Backward elimination (figure 8.8)")
    record.picture(plot_selection_path(forward), "features_forward.png", "Forward search")
    best = SelectByFilter("mutual_info", k=8).fit(X, y)
    lean = SelectByFilter("mutual_info", k=8, redundancy="mrmr").fit(X, y)
    ax = plot_univariate_scores(best)
    record.picture(ax, "features_ranking.png", "Mutual information of each feature")
    redundancy = feature_redundancy(X)
    record.picture(plot_redundancy(redundancy), "features_redundancy.png", "Redundant features")
    for name, model in (("the best each by itself", best), ("minimum redundancy", lean)):
        shared = np.mean(redundancy.matrix[np.ix_(model.support_, model.support_)])
        record.measured(
            f"8 features by mutual information, {name}: mean |correlation|", f"{shared:.2f}"
        )


def figures(record: Record) -> None:
    five_truth_values(record)
    breast_cancer(record)


if __name__ == "__main__":
    run_alone(figures, SOURCE)
