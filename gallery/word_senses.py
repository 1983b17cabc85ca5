"""LSA and words: one meaning in many words, many meanings of one word [UCSD]."""

from __future__ import annotations

import re

import numpy as np
from matplotlib.figure import Figure
from record import Record, run_alone
from reuters import FILE, news

from lookalike import LSA

SOURCE = "[UCSD]"
SYSTEMS = ("P10",)
DATA = (FILE,)
EDIBLE = {"veg-oil", "palm-oil", "soy-oil", "oilseed", "sun-oil", "rape-oil", "coconut-oil"}
RETRIEVED = 30


def figures(record: Record) -> None:
    texts, topics = news(with_topics=True)
    lsa = LSA(150, stop_words="english", min_df=3).fit(texts)
    record.measured("news, terms", f"{len(texts):,}, {len(lsa.terms_):,}")
    synonymy(record, lsa, texts, topics)
    polysemy(record, lsa, topics)


def synonymy(record, lsa, texts, topics):
    """Documents on ships that never say vessel are found by vessel."""
    for term in ("car", "vessel", "soybean"):
        related = ", ".join(lsa.related_terms(term, k=5)[0])
        record.measured(f"terms used like {term!r}", related)
    rows, _ = lsa.search("vessel", k=RETRIEVED)
    without = [row for row in rows if not re.search(r"\bvessels?\b", texts[row], re.IGNORECASE)]
    on_topic = sum("ship" in topics[row] for row in without)
    record.claim(
        f"'vessel': of {RETRIEVED} retrieved, those that do not say it, and on ships",
        "mitigates synonymy",
        f"{len(without)}, {on_topic}",
        on_topic >= 0.8 * len(without) > 0,
    )


def polysemy(record, lsa, topics):
    """Oil is burnt or eaten: the words beside it decide."""
    shares = {}
    for query in ("oil", "crude oil", "palm oil"):
        rows, _ = lsa.search(query, k=RETRIEVED)
        crude = np.mean(["crude" in topics[row] for row in rows])
        edible = np.mean([bool(topics[row] & EDIBLE) for row in rows])
        shares[query] = crude, edible
    for query, want in (("crude oil", 0), ("palm oil", 1)):
        text = f"{shares[query][0]:.0%} crude, {shares[query][1]:.0%} edible oils"
        record.claim(
            f"{query!r}: topics of {RETRIEVED} retrieved",
            "mitigates polysemy",
            text,
            shares[query][want] > 0.9,
        )
    record.measured(
        f"'oil': topics of {RETRIEVED} retrieved",
        f"{shares['oil'][0]:.0%} crude, {shares['oil'][1]:.0%} edible oils",
    )
    record.picture(picture(lsa, topics), "word_senses.png", "One word, two directions")


def picture(lsa, topics):
    """Draw documents of two topics by their cosines with two queries."""
    queries = lsa.transform(["crude petroleum barrels", "palm soybean vegetable"])
    Z = lsa.documents_
    norm = np.linalg.norm(Z, axis=1)[:, None] * np.linalg.norm(queries, axis=1)
    cosine = (Z @ queries.T) / np.where(norm > 0, norm, 1.0)
    figure = Figure(figsize=(6.4, 5.2), layout="constrained")
    ax = figure.subplots()
    crude = np.array(["crude" in own for own in topics])
    edible = np.array([bool(own & EDIBLE) for own in topics])
    for rows, label, color in (
        (crude, "topic crude", "tab:blue"),
        (edible, "topic edible oils", "tab:orange"),
    ):
        ax.plot(*cosine[rows].T, ".", ms=4, alpha=0.5, color=color, label=label)
    for query, shift in (("oil", (8, 6)), ("crude oil", (-66, -16)), ("palm oil", (8, 4))):
        z = lsa.transform([query])[0]
        x, y = queries @ z / (np.linalg.norm(queries, axis=1) * np.linalg.norm(z))
        ax.plot(x, y, "*", ms=14, color="black")
        ax.annotate(query, (x, y), xytext=shift, textcoords="offset points", weight="bold")
    ax.set(
        xlabel="cosine with 'crude petroleum barrels'",
        ylabel="cosine with 'palm soybean vegetable'",
    )
    ax.set_title("Queries (stars) among documents of two topics")
    ax.legend(markerscale=3, loc="upper right")
    return ax


if __name__ == "__main__":
    run_alone(figures, SOURCE)
