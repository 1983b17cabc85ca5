"""LSA merges the dimensions of terms that mean the same: {(car), (truck), (flower)} [UCSD].

The source prints weights and no documents. These are the news of Reuters-21578 that say car,
truck or flower: the weights are theirs, scaled to the length of those printed.
"""

from __future__ import annotations

import re

import numpy as np
from record import Record, run_alone
from reuters import FILE, news

from lookalike import LSA
from lookalike.report.plots.axes import axes_or_new

SOURCE = "[UCSD]"
SYSTEMS = ("P10",)
DATA = (FILE,)
TERMS = ("car", "truck", "flower")
PRINTED = (1.3452, 0.2828)  # 1.3452 * car + 0.2828 * truck


def counts() -> np.ndarray:
    """Return how often each document says each word, of those that say one of them."""
    words = [re.compile(rf"\b{term}s?\b", re.IGNORECASE) for term in TERMS]
    texts, _ = news(with_topics=False)
    X = np.array([[len(word.findall(text)) for word in words] for text in texts])
    return X[X.any(axis=1)]


def figures(record: Record) -> None:
    X = counts()
    lsa = LSA(3, weighting="raw", vocabulary=list(TERMS)).fit(X)
    merged = lsa.components_[0] * np.hypot(*PRINTED)
    alone = lsa.components_[np.abs(lsa.components_[:, 2]).argmax()]
    record.measured("documents that say car, truck or flower", len(X))
    record.claim(
        "the merged dimension",
        "1.3452 car + 0.2828 truck, of documents not given",
        f"{merged[0]:.4f} car + {merged[1]:.4f} truck",
        merged[0] > merged[1] > 0.05,
    )
    record.claim("weight of flower in it", "0", f"{abs(merged[2]):.4f}", abs(merged[2]) < 1e-6)
    record.claim(
        "weights of car, truck and flower in the other dimension",
        "flower alone",
        ", ".join(f"{abs(w):.4f}" for w in alone),
        abs(alone[2]) > 0.999,
    )
    record.picture(
        picture(X, lsa), "car_truck_flower.png", "News by how often they say car and truck"
    )


def picture(X, lsa):
    """Draw the documents by two words, and the merged dimension."""
    ax = axes_or_new(None, size=(6.0, 4.6))
    places, size = np.unique(X[:, :2], axis=0, return_counts=True)
    ax.scatter(*places.T, s=12 * np.sqrt(size) + 6, alpha=0.5, color="tab:blue", lw=0)
    tip = lsa.components_[0][:2] * 16
    ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "->", "lw": 2, "color": "tab:red"})
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    ax.annotate(
        "merged dimension",
        tip,
        xytext=(-4, 10),
        textcoords="offset points",
        ha="right",
        color="tab:red",
        bbox=box,
    )
    ax.set(xlim=(-0.6, 17), ylim=(-0.5, 8.6))
    ax.set(xlabel="times that a document says car", ylabel="times that it says truck")
    ax.set_title("The larger a dot, the more documents")
    return ax


if __name__ == "__main__":
    run_alone(figures, SOURCE)
