"""A session of the explorer made of synthetic rows, of any number, with labels that attack."""

from __future__ import annotations

import base64
import io
import struct
import zlib

import numpy as np

from lookalike.data.predicate import rows_where

CLASSES = [
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked=1">',
    "three & four",
    "four",
    "five",
    "six",
    "seven",
    "eight",
]
COLUMNS = ["width", "height", "<b>depth</b>"]


class FakeExploration:
    """Gaussian classes in the plane; neighbors are those of the plane, by brute force."""

    def __init__(self, n_rows: int, kind: str = "images") -> None:
        rng = np.random.default_rng(7)
        self.n, self.kind = n_rows, kind
        self.label = np.sort(rng.integers(0, len(CLASSES), n_rows)).astype(np.uint8)
        angle = 2 * np.pi * self.label / len(CLASSES)
        middle = 0.62 * np.column_stack([np.cos(angle), np.sin(angle)])
        places = middle + rng.normal(0, 0.12, (n_rows, 2))
        self.places = (places / np.abs(places).max()).astype(np.float32)
        self.columns = np.column_stack([self.places, rng.normal(size=n_rows)]).astype(np.float32)
        self.columns[::50, 2] = np.nan
        self.truth = self.label.copy()
        wrong = rng.choice(n_rows, min(40, n_rows // 20), replace=False)
        self.label[wrong] = (self.label[wrong] + 1) % len(CLASSES)
        self.queue = sorted(int(row) for row in wrong)
        self.decided: list[tuple[int, str, int]] = []
        self.edition, self.studying = 1, False

    def session(self) -> dict[str, object]:
        measures = {"trustworthiness": 0.981, "continuity": 0.974, "neighbor_preservation": 0.642}
        category = {"kind": "category", "categories": CLASSES, "dtype": "uint8"}
        numbers = [
            {"id": f"column:{name}", "name": name, "kind": "number", "dtype": "float32"}
            for name in COLUMNS
        ]
        return {
            "name": "synthetic",
            "task": "classification",
            "kind": self.kind,
            "n_rows": self.n,
            "columns": [{"name": name, "type": "number"} for name in COLUMNS],
            "classes": CLASSES,
            "maps": [
                {"id": "map", "name": "Neighbor map", "axes": ["x", "y"], "measures": measures},
                {"id": "pca", "name": "PCA", "axes": ["PC 1", "PC 2"], "measures": None},
            ],
            "colors": [
                {"id": "label", "name": "label", **category},
                {"id": "predicted", "name": "prediction", **category},
                {
                    "id": "error",
                    "name": "error",
                    "kind": "category",
                    "categories": ["right", "wrong"],
                    "dtype": "uint8",
                },
                *numbers,
            ],
            "k": {"selected": 5, "max": 25},
            "model": {"name": "K nearest neighbors", "kind": "knn", "hyperparameters": {"K": 5}},
            "editable": True,
            "neighbors": {"title": "K-NN", "metric": "euclidean", "selected": False},
            "table": [
                {"id": "row", "name": "row", "type": "number"},
                {"id": "label", "name": "label", "type": "category"},
                {"id": "predicted", "name": "predicted", "type": "category"},
                *(
                    {"id": str(place), "name": name, "type": "number"}
                    for place, name in enumerate(COLUMNS)
                ),
            ],
            "image": {"width": 8, "height": 8} if self.kind == "images" else None,
            "held_out": {
                "name": "held-out error",
                "value": 0.021,
                "low": 0.012,
                "high": 0.033,
                "n": 360,
            },
            "edition": self.edition,
            "strangest": 7,
        }

    def positions(self, name: str) -> np.ndarray:
        turn = np.float32([[0.8, -0.6], [0.6, 0.8]])
        return self.places if name == "map" else self.places @ turn * np.float32(0.7)

    def areas(self, name: str) -> list[dict[str, object]]:
        xy = self.positions(name)
        middles = [xy[self.label == code].mean(axis=0).tolist() for code in range(len(CLASSES))]
        spread = [(x + dx, y + dx) for x, y in middles for dx in (0.0, 0.05, -0.05)]
        return [
            {"x": x, "y": y, "rows": 10, "name": f"high {COLUMNS[2]} {place}"}
            for place, (x, y) in enumerate(spread)
        ]

    def color(self, name: str) -> np.ndarray:
        if name.startswith("column:"):
            return self.columns[:, COLUMNS.index(name.removeprefix("column:"))]
        return {
            "label": self.label,
            "predicted": self.truth,
            "error": (self.label != self.truth).astype(np.uint8),
        }[name]

    def row(self, row: int) -> dict[str, object]:
        cells = [
            {"name": name, "value": None if np.isnan(value) else float(value)}
            for name, value in zip(COLUMNS, self.columns[row], strict=True)
        ]
        return {
            "row": row,
            "label": CLASSES[self.label[row]],
            "predicted": CLASSES[self.truth[row]],
            "probabilities": {CLASSES[self.truth[row]]: 0.8},
            "split": "test" if row % 5 == 0 else "train",
            "flags": [{"kind": "label error", "detail": "4 of 5 neighbors disagree"}]
            if row in self.queue
            else [],
            "cells": cells,
            "text": "<em>Some</em> text about this row." if self.kind == "texts" else None,
            "image": self.kind == "images",
        }

    def evidence(self, place: np.ndarray, k: int, leave: int = -1) -> dict[str, object]:
        gaps = np.square(self.places - place).sum(1)
        if leave >= 0:
            gaps[leave] = np.inf
        near = np.argsort(gaps, kind="stable")[:k]
        votes = np.bincount(self.label[near], minlength=len(CLASSES))
        winner = int(votes.argmax())
        distances = np.sqrt(gaps[near])
        return {
            "k": k,
            "metric": "euclidean",
            "neighbors": near.tolist(),
            "distances": distances.tolist(),
            "targets": [CLASSES[code] for code in self.label[near]],
            "weights": [1.0] * k,
            "neighbor_shares": [
                [{"name": n, "share": s} for n, s in zip(COLUMNS, (0.5, 0.3, 0.2), strict=True)]
            ]
            * k,
            "votes": {CLASSES[code]: int(votes[code]) for code in np.flatnonzero(votes)},
            "prediction": CLASSES[winner],
            "margin": float(votes.max() - np.sort(votes)[-2]) / k,
            "contributions": {
                "parts": [
                    {"row": int(row), "label": CLASSES[self.label[row]], "part": 1.0}
                    for row in near
                ],
                "total": float(k),
                "score": float(k),
            },
            "k_ranges": [
                {"from": 1, "to": 3, "prediction": CLASSES[(winner + 1) % 8]},
                {"from": 4, "to": 25, "prediction": CLASSES[winner]},
            ],
            "flip": {"rows": [int(near[0])], "label": CLASSES[(winner + 1) % 8]},
            "similarity": {
                "share": 0.42, "n_rows": self.n, "no_similar_case": bool(distances[0] > 0.3)
            },
            "sentences": {
                "neighbors": f"{k} neighbors predict {CLASSES[winner]}.",
                "flip": f"Without row {near[0]} the vote is a tie.",
                "k_ranges": f"K = 1 to 3: {CLASSES[(winner + 1) % 8]}; 4 to 25: {CLASSES[winner]}.",
                "similarity": "No similar case: its nearest row is far."
                if distances[0] > 0.3
                else "Its nearest row is farther away than that of 42.0% of 1,000 training rows.",
            },
        }  # fmt: skip

    def torn(self, row: int, k: int) -> dict[str, object]:
        far = (row + self.n // 2) % self.n
        return {"torn": [far], "false": [(row + 1) % self.n], "share": 1 / k}

    def selection(self, rows: np.ndarray) -> dict[str, object]:
        inside = np.zeros(self.n, bool)
        inside[rows] = True
        columns = [
            {
                "name": name,
                "inside": float(np.nanmean(self.columns[inside, c])),
                "outside": float(np.nanmean(self.columns[~inside, c])),
                "effect": 1.2,
                "p": 0.003,
            }
            for c, name in enumerate(COLUMNS)
        ]
        counts = (np.bincount(self.label[part], minlength=8) for part in (inside, ~inside))
        pairs = zip(*counts, strict=True)
        return {
            "n": int(inside.sum()),
            "columns": columns,
            "labels": {name: [int(a), int(b)] for name, (a, b) in zip(CLASSES, pairs, strict=True)},
            "error": {"inside": 0.05, "outside": 0.02},
        }

    def table(self, asked: dict, rows: np.ndarray) -> dict[str, object]:
        keys = {"row": np.arange(self.n), "label": self.label, "predicted": self.truth}
        key = keys.get(asked["sort"])
        key = self.columns[:, int(asked["sort"])] if key is None else key
        order = rows[np.argsort(-key[rows] if asked["descending"] else key[rows], kind="stable")]
        shown = order[asked["begin"] : asked["begin"] + asked["count"]].tolist()
        cells = np.where(np.isnan(self.columns), None, self.columns.astype(object))
        return {
            "total": len(order),
            "rows": shown,
            "lines": [
                [row, CLASSES[self.label[row]], CLASSES[self.truth[row]], *cells[row].tolist()]
                for row in shown
            ],
        }

    def histograms(self, columns: list, rows: np.ndarray) -> list[dict[str, object]]:
        keys = {"row": np.arange(self.n), "label": self.label, "predicted": self.truth}
        found = []
        for name in columns:
            is_class = name in ("label", "predicted")
            key = keys.get(name)
            key = self.columns[:, int(name)] if key is None else key
            edges = (
                np.arange(9) - 0.5 if is_class else np.linspace(np.nanmin(key), np.nanmax(key), 9)
            )
            ends = (
                [[one, one] for one in CLASSES]
                if is_class
                else np.column_stack([edges[:-1], edges[1:]]).round(3).tolist()
            )
            counts = [np.histogram(part, edges)[0].tolist() for part in (key, key[rows])]
            kind = "category" if is_class else "number"
            found.append(
                {"id": name, "kind": kind, "bars": ends, "all": counts[0], "chosen": counts[1]}
            )
        return found

    def where(self, condition: str) -> dict[str, object]:
        values = {name: self.columns[:, place] for place, name in enumerate(COLUMNS)}
        values["label"] = np.array(CLASSES)[self.label]
        chosen = rows_where(condition, values)
        bits = np.packbits(chosen, bitorder="little").tobytes()
        return {"total": int(chosen.sum()), "mask": base64.b64encode(bits).decode()}

    def matches(self, text: str) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        if text.isdigit() and int(text) < self.n:
            found.append({"kind": "row", "text": text, "row": int(text)})
        counts = np.bincount(self.label, minlength=len(CLASSES)).tolist()
        named = zip(CLASSES, counts, strict=True)
        found += [{"kind": "label", "text": n, "total": c} for n, c in named if text in n]
        return [*found, {"kind": "text", "text": text}]

    def search(self, text: str) -> dict[str, object]:
        if text.isdigit() and int(text) < self.n:
            return {"rows": [int(text)], "total": 1, "kind": "row"}
        codes = [code for code, name in enumerate(CLASSES) if text in name]
        rows = np.flatnonzero(np.isin(self.label, codes))
        return {"rows": rows[:1000].tolist(), "total": len(rows), "kind": "label"}

    def curve(self) -> dict[str, object]:
        ks = list(range(1, 26, 2))
        errors = [0.02 + 0.004 * abs(np.log(k / 5)) for k in ks]
        return {"k": ks, "error": errors, "selected": 5, "curve_rows": self.n}

    def regions(self, k: int, size: int) -> dict[str, object]:
        x, y = np.meshgrid(*[(np.arange(size) + 0.5) / size * 2.4 - 1.2] * 2)
        turn = np.arctan2(y, x) / (2 * np.pi) * 8 + 0.02 * k
        codes = np.round(turn).astype(int) % 8
        text = base64.b64encode(codes.astype(np.uint8).tobytes()).decode()
        return {"size": size, "extent": [-1.2, 1.2, -1.2, 1.2], "codes": text}

    def panel(self, name: str) -> dict[str, object]:
        if name == "confusion":
            counts = np.zeros((8, 8), int)
            np.add.at(counts, (self.label, self.truth), 1)
            rows = [[label, *map(int, line)] for label, line in zip(CLASSES, counts, strict=True)]
            chart = {"kind": "matrix", "labels": CLASSES}
            return {
                "title": "Confusion matrix",
                "columns": ["true", *CLASSES],
                "rows": rows,
                "chart": chart,
            }
        if name == "leaderboard":
            rows = [
                ["KNN", 0.021, 0.012, 0.033],
                ["LDA", 0.05, 0.04, 0.06],
                ["baseline", 0.8, 0.78, 0.82],
            ]
            chart = {
                "kind": "bar",
                "label": "model",
                "value": "error",
                "low": "low",
                "high": "high",
            }
            return {
                "title": "Leaderboard",
                "columns": ["model", "error", "low", "high"],
                "rows": rows,
                "chart": chart,
            }
        if name == "columns":
            rows = [[column, "number", 0] for column in COLUMNS]
            return {
                "title": "Columns",
                "columns": ["column", "type", "missing"],
                "rows": rows,
                "chart": None,
            }
        rows = [[i, 1 / i, 0.8 / i, 1.2 / i] for i in range(1, 12)]
        chart = {"kind": "line", "x": "n", "y": ["value"], "low": "low", "high": "high"}
        return {
            "title": name,
            "columns": ["n", "value", "low", "high"],
            "rows": rows,
            "chart": chart,
        }

    def review(self) -> dict[str, object]:
        items = [
            {
                "row": row,
                "label": CLASSES[self.label[row]],
                "suggested": CLASSES[self.truth[row]],
                "score": 0.9,
                "harm": 3 - i / 20,
                "stable_k": {"from": 1, "to": 25},
                "reason": "4 of 5 neighbors have another label",
            }
            for i, row in enumerate(self.queue)
        ]
        value = float(np.mean(self.label != self.truth))
        return {
            "queue": items,
            "decided": len(self.decided),
            "error": {"value": value, "n": self.n},
            "editable": True,
            "log_path": None,
        }

    def effect(self, row: int, label: str) -> dict[str, object]:
        before = float(np.mean(self.label != self.truth))
        gain = int(CLASSES[self.truth[row]] == label) / self.n
        change = {"row": row + 1, "before": CLASSES[3], "after": CLASSES[4], "label": CLASSES[4]}
        return {"error_before": before, "error_after": before - gain, "changed": [change]}

    def decide(self, row: int, action: str, label: str | None) -> None:
        self.decided.append((row, action, int(self.label[row])))
        if action == "relabel":
            self.label[row] = CLASSES.index(label)
        if row in self.queue:
            self.queue.remove(row)

    def undo(self) -> None:
        row, _, label = self.decided.pop()
        self.label[row] = label
        self.queue = sorted([row, *self.queue])


def png(grey: np.ndarray) -> bytes:
    """Return an 8-bit grey image as a PNG file."""
    height, width = grey.shape
    lines = b"".join(b"\0" + line.tobytes() for line in grey.astype(np.uint8))
    out = io.BytesIO(b"\x89PNG\r\n\x1a\n")
    out.seek(0, 2)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    for kind, body in ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")):
        out.write(struct.pack(">I", len(body)) + kind + body)
        out.write(struct.pack(">I", zlib.crc32(kind + body)))
    return out.getvalue()
