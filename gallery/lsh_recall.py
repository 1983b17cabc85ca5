"""Approximate search: recall and work of locality sensitive hashing [UGR]."""

from __future__ import annotations

import numpy as np
from record import Record, run_alone

from lookalike.data import gather, sample
from lookalike.index import ExactIndex, LSHIndex
from lookalike.report.plots.axes import axes_or_new

SOURCE = "[UGR]"
SYSTEMS = ("N11",)
DATA = ("siftsmall.npz",)
TARGETS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
K = 10


def figures(record: Record) -> None:
    X, Q = (np.asarray(gather(sample("sift", part)).X, np.float32) for part in ("base", "query"))
    truth = ExactIndex(X).query(Q, K).row
    work, reached, stated = [], [], []
    for target in TARGETS:
        index = LSHIndex(X, metric="euclidean", recall=target, random_state=0)
        neighbors, stats = index.query_with_stats(Q, K)
        hits = [len(np.intersect1d(a, b)) for a, b in zip(neighbors.row, truth, strict=True)]
        reached.append(float(np.sum(hits)) / truth.size)
        work.append(stats["compared"] / len(X))
        stated.append(index.recall_)
    for target, recall, part in zip(TARGETS, reached, work, strict=True):
        record.claim(
            f"SIFT, 10,000 rows, recall wanted {target:g}: recall of 100 queries",
            f"about {target:g}",
            f"{recall:.3f}, {part:.0%} of the rows compared",
            recall > target - 0.06,
        )
    ax = axes_or_new(None)
    ax.plot(work, reached, marker="o", label="recall of the queries")
    for target, x, y in zip(TARGETS, work, reached, strict=True):
        ax.annotate(f"{target:g}", (x, y), xytext=(6, -12), textcoords="offset points", color="0.4")
    ax.plot(1.0, 1.0, "s", color="tab:red", label="exact scan")
    ax.set(
        xlabel="share of the rows that a query is compared with", ylabel="recall of 10 neighbors"
    )
    ax.set(title="LSH on SIFT; numbers: recall wanted", xlim=(0, 1.05), ylim=(0.4, 1.02))
    ax.legend(loc="lower right")
    record.picture(ax, "lsh_recall.png", "Recall against work")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
