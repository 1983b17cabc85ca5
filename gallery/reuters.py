"""Reuters-21578: news with topics, the text of the examples of LSA."""

from __future__ import annotations

import json
import lzma

from record import data_file

FILE = "reuters21578.jsonl.xz"


def news(*, with_topics: bool) -> tuple[list[str], list[set[str]]]:
    """Return the texts, title and body, and their topics; those with topics only if so wanted."""
    with lzma.open(data_file(FILE), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows = [row for row in rows if not with_topics or (row["body"] and row["topics"])]
    texts = [f"{row['title'] or ''} {row['body'] or ''}" for row in rows]
    return texts, [set(row["topics"]) for row in rows]
