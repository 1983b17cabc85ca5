"""Retrieval on the Cranfield collection: LSA compared with tf-idf and cosine."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from printed import compare
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfVectorizer

from lookalike import LSA
from lookalike.data.samples import sample
from lookalike.models.text.counts import weighted
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.lsa import plot_term_contributions

COMPONENTS = (10, 25, 50, 100, 150, 200, 250, 300, 400, 600)
SETTINGS = {
    "log-entropy, stems, no stop words": {"stem": "porter", "stop_words": "english"},
    "log-entropy": {},
    "tf-idf": {"weighting": "tfidf"},
}
STATED = 0.288  # the figure to beat


class Collection(NamedTuple):
    """Documents, queries, and which documents answer which query."""

    documents: list[str]
    queries: list[str]
    relevant: np.ndarray  # (n_queries, n_documents) of bool


def main(out: Path) -> None:
    cranfield = read()
    plain = words_alone(cranfield)
    bare = words_alone(read(fields=("text",)))
    full = words_alone(read(fields=("title", "author", "source", "text")))
    cut = words_alone(cranfield, stop_words="english", sublinear_tf=True)
    curves = {name: curve(cranfield, chosen) for name, chosen in SETTINGS.items()}
    rows: list[tuple[str, object, object]] = [
        ("tf-idf and cosine, scikit-learn's defaults, title and text", STATED, f"{plain:.4f}"),
        ("the same of the text alone, which begins with the title", "-", f"{bare:.4f}"),
        ("the same of title, author, source and text", "-", f"{full:.4f}"),
        ("title and text, no stop words, sublinear counts", "-", f"{cut:.4f}"),
    ]
    for name, precision in curves.items():
        same = same_terms(cranfield, SETTINGS[name])
        rows.append((f"cosine of the same terms, {name}", "-", f"{same:.4f}"))
        rows += [(f"LSA, {name}, M = {m}", "-", f"{p:.4f}") for m, p in precision.items()]
    best = max(curves["log-entropy, stems, no stop words"].values())
    rows.append(("best of LSA by the figure to beat", "above 1", f"{best / STATED:.3f}"))
    rows.append(("best of LSA by tf-idf and cosine", "above 1", f"{best / plain:.3f}"))
    compare("Mean average precision, 225 queries, 1400 documents", rows)

    out.mkdir(parents=True, exist_ok=True)
    draw(curves, plain).figure.savefig(out / "cranfield_precision.png", dpi=120)
    lsa = LSA(200, **SETTINGS["log-entropy, stems, no stop words"]).fit(cranfield.documents)
    query = cranfield.queries[0]
    first = int(lsa.search(query, k=1)[0][0])
    print(
        f"\nquery: {query}\nfirst answer, document {first + 1}: {cranfield.documents[first][:200]}"
    )
    print("used like 'wing':", ", ".join(lsa.related_terms("wing", k=6)[0]))
    plot_term_contributions(lsa.explain(query, first)).figure.savefig(
        out / "cranfield_match.png", dpi=120
    )


def read(fields: tuple[str, ...] = ("title", "text")) -> Collection:
    """Return the collection; grades above zero count as relevant, -1 does not."""
    parts = [column("docs", field) for field in fields]
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


def words_alone(cranfield: Collection, **settings: Any) -> float:
    """Return what tf-idf and cosine find, with scikit-learn's defaults but for `settings`."""
    vectorizer = TfidfVectorizer(**settings)
    X = vectorizer.fit_transform(cranfield.documents)
    scores = (vectorizer.transform(cranfield.queries) @ X.T).toarray()
    return mean_average_precision(np.argsort(-scores, axis=1, kind="stable"), cranfield.relevant)


def same_terms(cranfield: Collection, chosen: dict) -> float:
    """Return what the weighted terms of LSA find by themselves, without fewer dimensions."""
    lsa = LSA(1, **chosen).fit(cranfield.documents)
    counts = lsa.vectorizer_.transform(cranfield.queries)
    queries = weighted(csr_array(counts, dtype=float), lsa.weighting, lsa.term_weights_)
    scores = (queries @ lsa.document_terms_.T).toarray()
    return mean_average_precision(np.argsort(-scores, axis=1, kind="stable"), cranfield.relevant)


def curve(cranfield: Collection, chosen: dict) -> dict[int, float]:
    """Return the mean average precision for each number of components."""
    n_documents = len(cranfield.documents)
    precision = {}
    for m in COMPONENTS:
        lsa = LSA(m, **chosen).fit(cranfield.documents)
        order = lsa.search(cranfield.queries, k=n_documents)[0]
        precision[m] = mean_average_precision(order, cranfield.relevant)
    return precision


def mean_average_precision(order: np.ndarray, relevant: np.ndarray) -> float:
    """Return the mean over queries of the precision at each relevant document."""
    hits = np.take_along_axis(relevant, order, axis=1)
    precision = np.cumsum(hits, axis=1) / np.arange(1, hits.shape[1] + 1)
    return float(np.mean((precision * hits).sum(axis=1) / hits.sum(axis=1)))


def draw(curves: dict[str, dict[int, float]], plain: float):
    ax = axes_or_new(None, size=(7.0, 4.5))
    for name, precision in curves.items():
        ax.plot(list(precision), list(precision.values()), marker="o", label=f"LSA, {name}")
    ax.axhline(plain, color="0.3", linestyle="--", label="tf-idf and cosine, measured")
    ax.axhline(STATED, color="0.6", linestyle=":", label="0.288, the figure to beat")
    ax.set(xlabel="components M", ylabel="mean average precision", title="Cranfield")
    ax.legend(fontsize="small")
    return ax


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=Path("build/gallery"))
    main(options.parse_args().out)
