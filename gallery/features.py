"""Fewer features: five truth values, Fig. 8.8's elimination, Adult census [LUMS; Bishop95]."""

from __future__ import annotations

import argparse
import itertools
import os
from pathlib import Path

import numpy as np
from printed import compare
from sklearn.datasets import load_breast_cancer

from lookalike import (
    SelectByFilter,
    SelectByWrapper,
    Standardizer,
    feature_redundancy,
    select_exhaustively,
)
from lookalike.data import open_source
from lookalike.report.plots.feature_selection import (
    plot_redundancy,
    plot_selection_path,
    plot_univariate_scores,
)
from lookalike.report.save import save_axes


def five_truth_values() -> None:
    x1, x2, x5 = np.array(list(itertools.product([0, 1], repeat=3))).T
    X = np.column_stack([x1, x2, 1 - x2, 1 - x5, x5])
    search = select_exhaustively(X, x1 | x2, n_neighbors=1)
    sets = " or ".join("{" + ", ".join(f"x{j + 1}" for j in s) + "}" for s in search.subsets)
    compare(
        "Five truth values, y = x1 or x2, x3 = not x2, x4 = not x5",
        [
            ("optimal subset", "{x1, x2} or {x1, x3}", sets),
            ("sets scored", "2^5 - 1", search.n_evaluated),
        ],
    )


def breast_cancer(out: Path) -> None:
    data = load_breast_cancer(as_frame=True)
    X, y = Standardizer().fit_transform(data.data), data.target_names[data.target]
    back = SelectByWrapper(direction="backward").fit(X, y)
    forward = SelectByWrapper().fit(X, y)
    few = SelectByWrapper(direction="backward", k="one_se").fit(X, y)
    everything = back.path_[-1]
    compare(
        "Breast cancer, 30 columns, five neighbors, leave-one-out (Fig. 8.8)",
        [
            ("accuracy with all columns", "-", f"{everything.score:.1%}"),
            ("backward elimination: best", "-", f"{back.score_:.1%} of {back.support_.sum()}"),
            ("within a standard error", "-", f"{few.score_:.1%} of {few.support_.sum()}"),
            ("forward search: best", "-", f"{forward.score_:.1%} of {forward.support_.sum()}"),
            ("sets scored, each way", "d (d + 1) / 2 = 465", back.n_evaluated_),
        ],
    )
    save_axes(plot_selection_path(back), out / "features_backward.png")
    save_axes(plot_selection_path(forward), out / "features_forward.png")
    best = SelectByFilter("mutual_info", k=8).fit(X, y)
    lean = SelectByFilter("mutual_info", k=8, redundancy="mrmr").fit(X, y)
    save_axes(plot_univariate_scores(best), out / "features_ranking.png")
    save_axes(plot_redundancy(feature_redundancy(X)), out / "features_redundancy.png")
    shared = feature_redundancy(X).matrix
    compare(
        "Eight columns by mutual information: |correlation| among those kept",
        [
            (name, "-", f"{np.mean(shared[np.ix_(m.support_, m.support_)]):.2f}")
            for name, m in (("the best each by itself", best), ("without redundancy", lean))
        ],
    )


def adult(path: Path, out: Path) -> None:
    names = [column.name for column in open_source(path).columns]
    kept = [name for name in names if name not in ("income", "split")]
    source = open_source(path, target="income", columns=kept)
    model = SelectByFilter("mutual_info", k=6, missing="present").fit(source)
    order = np.argsort(model.ranking_)
    compare(
        f"Adult census, {source.n_features} columns of numbers and categories, read as a stream",
        [(kept[j], "-", f"{model.scores_[j]:.3f} nats") for j in order[:6]],
    )
    save_axes(plot_univariate_scores(model), out / "features_adult.png")


def main(out: Path) -> None:
    five_truth_values()
    breast_cancer(out)
    table = Path(os.environ.get("LOOKALIKE_DATA", "")) / "adult.csv.gz"
    if table.is_file():
        adult(table, out)
    else:
        print("\nAdult census: LOOKALIKE_DATA does not name the folder that holds adult.csv.gz.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gallery"))
    main(parser.parse_args().out)
