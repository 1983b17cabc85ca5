"""Plots of latent semantic analysis: documents and terms, a match, precision and recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.models.text.cosine import TermContributions
from lookalike.models.text.lsa import LSA
from lookalike.report.plots.arrow_labels import label_arrows
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import FIRST_COLOR, SECOND_COLOR
from lookalike.typing import Array
from lookalike.validation import check_int

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_documents_and_terms(
    lsa: LSA, *, directions: tuple[int, int] = (0, 1), n_terms: int = 12, ax: Axes | None = None
) -> Axes:
    """Draw the documents on two components, and the terms with the largest loadings.

    Terms are arrows from the origin, all scaled by one factor to the range of the documents.
    """
    least, most = 0, len(lsa.components_) - 1
    chosen = [check_int("directions", j, least=least, most=most) for j in directions]
    ax = axes_or_new(ax, size=(6.0, 5.0))
    Z, V = lsa.documents_[:, chosen], lsa.components_[chosen].T
    length = np.linalg.norm(V, axis=1)
    terms = np.argsort(-length, kind="stable")[:n_terms]
    reach = np.abs(Z).max() / max(np.abs(V[terms]).max(), np.finfo(float).tiny)
    ax.scatter(
        Z[:, 0], Z[:, 1], s=12, color=FIRST_COLOR, alpha=0.35, linewidths=0, label="documents"
    )
    tips = V[terms] * reach
    for tip in tips:
        ax.annotate("", xy=tip, xytext=(0, 0), arrowprops={"arrowstyle": "->", "color": "0.4"})
    ax.margins(0.12)
    label_arrows(ax, tips, [str(lsa.terms_[term]) for term in terms], fontsize=9)
    ax.axhline(0, color="0.85", zorder=0)
    ax.axvline(0, color="0.85", zorder=0)
    values = lsa.singular_values_
    ax.set(
        xlabel=f"component {chosen[0] + 1} (singular value {values[chosen[0]]:.3g})",
        ylabel=f"component {chosen[1] + 1} (singular value {values[chosen[1]]:.3g})",
        title="Documents and terms",
    )
    return ax


def plot_term_contributions(
    match: TermContributions, *, n_terms: int = 8, ax: Axes | None = None
) -> Axes:
    """Draw the contributions of the query's and the document's terms to the cosine similarity."""
    ax = axes_or_new(ax, size=(6.0, 5.0))
    labels: list[str] = []
    for name, shares, color in (
        ("query", match.query_terms, SECOND_COLOR),
        ("document", match.document_terms, FIRST_COLOR),
    ):
        largest = shares[:n_terms]
        rest = sum(share for _, share in shares[n_terms:])
        bars = (
            [*largest, (f"{len(shares) - n_terms} others", rest)] if shares[n_terms:] else largest
        )
        start = len(labels)
        places = np.arange(start, start + len(bars))
        ax.barh(places, [share for _, share in bars], color=color, label=f"{name} terms")
        labels += [term for term, _ in bars]
    ax.set_yticks(np.arange(len(labels)), labels)
    ax.invert_yaxis()
    ax.axvline(0, color="0.6", linewidth=0.8)
    ax.set(xlabel="contribution to the score", title=f"Cosine similarity {match.score:.3f}")
    ax.legend()
    return ax


def plot_precision_recall(
    curves: dict[str, tuple[Array, Array]], *, ax: Axes | None = None
) -> Axes:
    """Draw precision at each level of recall, a named curve for each search."""
    ax = axes_or_new(ax)
    for name, (precision, recall) in curves.items():
        ax.plot(recall, precision, marker=".", label=name)
    ax.set(xlabel="recall", ylabel="precision", xlim=(-0.02, 1.02), ylim=(0, 1.02))
    ax.set_title("Precision at each recall")
    ax.legend(fontsize="small")
    return ax
