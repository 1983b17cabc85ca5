"""Retrieval on the Cranfield collection: LSA compared with tf-idf and cosine [Barber, 15.4]."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from record import Record, run_alone
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfVectorizer

from lookalike import LSA
from lookalike.data.samples import sample
from lookalike.models.text.counts import weighted
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.lsa import plot_precision_recall, plot_term_contributions
from lookalike.text import mean_average_precision, mean_precision_recall_curve

SOURCE = "[Barber, 15.4]"
SYSTEMS = ("P10",)
DATA = ("cranfield_docs.csv.gz", "cranfield_queries.csv", "cranfield_qrels.csv")
COMPONENTS = (50, 100, 200, 300, 600)
BEST = "log-entropy, stems, no stop words"
SETTINGS: dict[str, dict[str, Any]] = {
    BEST: {"stem": "porter", "stop_words": "english"},
    "log-entropy": {},
    "tf-idf": {"weighting": "tfidf"},
}


class Collection(NamedTuple):
    """Documents, queries, and which documents answer which query."""

    documents: list[str]
    queries: list[str]
    relevant: np.ndarray  # (n_queries, n_documents) of bool


def read() -> Collection:
    """Return the collection; grades above zero count as relevant, -1 does not."""
    parts = [column("docs", field) for field in ("title", "text")]
    documents = [" ".join(filter(None, texts)) for texts in zip(*parts, strict=True)]
    queries = column("queries", "text")
    of, row, grade = (np.array(column("qrels", n)) for n in ("query_id", "doc_id", "grade"))
    relevant = np.zeros((len(queries), len(documents)), dtype=bool)
    good = grade > 0
    relevant[of[good].astype(int) - 1, row[good].astype(int) - 1] = True
    return Collection(documents, queries, relevant)


def column(part: str, name: str) -> list:
    tables = sample("cranfield", part).tables()
    return np.concatenate([table.values[name] for table in tables]).tolist()


def ranked(scores: Any) -> np.ndarray:
    """Return all documents for each query, best first."""
    return np.argsort(-scores.toarray(), axis=1, kind="stable")


def by_terms(cranfield: Collection) -> np.ndarray:
    """Rank by tf-idf and cosine, with scikit-learn's defaults."""
    vectorizer = TfidfVectorizer()
    X = vectorizer.fit_transform(cranfield.documents)
    return ranked(vectorizer.transform(cranfield.queries) @ X.T)


def by_same_terms(cranfield: Collection, lsa: LSA) -> np.ndarray:
    """Rank by the weighted terms of LSA, without fewer dimensions."""
    counts = lsa.vectorizer_.transform(cranfield.queries)
    queries = weighted(csr_array(counts, dtype=float), lsa.weighting, lsa.term_weights_)
    return ranked(queries @ lsa.document_terms_.T)


def figures(record: Record) -> None:
    cranfield = read()
    n, relevant = len(cranfield.documents), cranfield.relevant
    terms = by_terms(cranfield)
    plain = mean_average_precision(relevant, terms)
    record.measured("MAP of tf-idf and cosine, scikit-learn's defaults", f"{plain:.3f}")
    curves = {"tf-idf and cosine": mean_precision_recall_curve(relevant, terms)}
    ax = axes_or_new(None, size=(7.0, 4.5))
    best = 0.0
    for name, options in SETTINGS.items():
        precision = []
        for m in COMPONENTS:
            lsa = LSA(m, **options).fit(cranfield.documents)
            ranking = lsa.search(cranfield.queries, k=n)[0]
            precision.append(mean_average_precision(relevant, ranking))
            if name == BEST and m == 200:
                curves["LSA, M = 200"] = mean_precision_recall_curve(relevant, ranking)
                kept = lsa
        same = mean_average_precision(relevant, by_same_terms(cranfield, lsa))
        record.measured(f"MAP of cosine, {name}", f"{same:.3f}")
        sizes = ", ".join(map(str, COMPONENTS))
        record.measured(
            f"MAP of LSA, {name}, M = {sizes}", ", ".join(f"{value:.3f}" for value in precision)
        )
        ax.plot(COMPONENTS, precision, marker="o", label=f"LSA, {name}")
        best = max(best, *precision)
    record.claim(
        "best of LSA by tf-idf and cosine",
        "fewer dimensions help retrieval",
        f"{best / plain:.2f}",
        best > plain,
    )
    ax.axhline(plain, color="0.3", linestyle="--", label="tf-idf and cosine")
    ax.set(xlabel="number of components M", ylabel="mean average precision", title="Cranfield")
    ax.set_ylim(bottom=0.2)
    ax.legend(fontsize="small", loc="lower right")
    record.picture(ax, "cranfield_map.png", "Mean average precision against M")
    ax = plot_precision_recall(curves)
    record.picture(ax, "cranfield_precision_recall.png", "Precision at each recall, 225 queries")
    query = cranfield.queries[0]
    first = int(kept.search(query, k=1)[0][0])
    record.measured("terms used like 'wing'", ", ".join(kept.related_terms("wing", k=5)[0]))
    ax = plot_term_contributions(kept.explain(query, first))
    record.picture(ax, "cranfield_match.png", "The terms behind one match")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
