"""A server of the page over synthetic rows: the explorer's routes, without a study behind them."""

from __future__ import annotations

import base64
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import numpy as np
from browser.fake_exploration import FakeExploration, png

import lookalike
from lookalike.web.security import SECURITY_HEADERS

STATIC = Path(lookalike.__file__).parent / "web" / "static"
TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


class RefusedError(Exception):
    """What is answered as a problem document."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"
    exploration: FakeExploration

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.answer({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.answer(json.loads(body))

    def answer(self, body: dict[str, object]) -> None:
        parts = urlsplit(self.path)
        try:
            if parts.path.startswith("/explore/"):
                path = [unquote(part) for part in parts.path.split("/")[2:]]
                query = {key: values[0] for key, values in parse_qs(parts.query).items()}
                found = respond(self.exploration, path, query, body)
            elif parts.path == "/healthz":
                found = {"status": "ok"}
            else:
                found = self.file(parts.path)
        except RefusedError as problem:
            detail = {"title": "Problem", "status": problem.status, "detail": str(problem)}
            self.send(problem.status, "application/problem+json", json.dumps(detail).encode())
            return
        if isinstance(found, np.ndarray):
            self.send(200, "application/octet-stream", found.tobytes())
        elif isinstance(found, tuple):
            self.send(200, *found)
        else:
            self.send(200, "application/json", json.dumps(found).encode())

    def file(self, path: str) -> tuple[str, bytes]:
        name = "index.html" if path == "/" else path.removeprefix("/static/")
        found = STATIC / name
        if ".." in name or not found.is_file():
            raise RefusedError(404, f"There is no page {path}.")
        return TYPES[found.suffix], found.read_bytes()

    def send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in SECURITY_HEADERS:
            self.send_header(name.decode(), value.decode())
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def respond(fake, path, query, body):
    """Return what the explorer answers to a path."""
    k = int(query.get("k", 5))
    match path:
        case ["session"]:
            return fake.session()
        case ["progress"]:
            running = [{"what": "study", "stage": "", "done": 0, "total": None}]
            return {
                "edition": fake.edition, "running": running if fake.studying else [],
                "failure": None,
            }  # fmt: skip
        case ["maps", name]:
            return fake.positions(name)
        case ["maps", name, "areas"]:
            return {"areas": fake.areas(name)}
        case ["maps", _, "torn", row]:
            return fake.torn(int(row), k)
        case ["colors", name]:
            return fake.color(name)
        case ["rows", row]:
            return fake.row(int(row))
        case ["rows", row, "evidence"]:
            return fake.evidence(fake.places[int(row)], k, int(row))
        case ["rows", row, "image.png"] | ["components", row]:
            stem = int(re.sub(r"\D", "", row))
            grey = np.random.default_rng(stem).integers(0, 256, (8, 8))
            grey[0, 0] = 0
            return ("image/png", png(grey))
        case ["thumbnails"]:
            n = len(query["rows"].split(","))
            lines = -(-n // 20)
            return ("image/png", png(np.random.default_rng(n).integers(0, 256, (8 * lines, 160))))
        case ["components"]:
            return {"max": 64, "explained": [1 - 0.9**m for m in range(1, 65)]}
        case ["table"]:
            rows = selected(fake, body) if body.get("mask") else np.arange(fake.n)
            return fake.table(body, rows)
        case ["histograms"]:
            rows = selected(fake, body) if body.get("mask") else np.arange(fake.n)
            return fake.histograms(body["columns"], rows)
        case ["where"]:
            return fake.where(query["condition"])
        case ["export"]:
            lines = [str(row) for row in selected(fake, body)]
            return ("text/csv", "\n".join(["row", *lines]).encode())
        case ["search", "matches"]:
            return fake.matches(query["q"])
        case ["search"]:
            return fake.search(query["q"])
        case ["selection"]:
            return fake.selection(selected(fake, body))
        case ["query"]:
            return asked(fake, body)
        case ["k"]:
            return fake.curve()
        case ["k", _, "predicted"]:
            return fake.truth
        case ["regions"]:
            return fake.regions(k, int(query["size"]))
        case ["panels", name]:
            return fake.panel(name)
        case ["confusion", truth, predicted]:
            names = fake.session()["classes"]
            cell = (fake.label == names.index(truth)) & (fake.truth == names.index(predicted))
            return {"rows": np.flatnonzero(cell).tolist()}
        case ["self-check"]:
            return {"rows_checked": 200, "equal": 200, "different": [], "seconds": 0.1}
        case ["review", *rest]:
            return reviewed(fake, rest, body)
    raise RefusedError(404, "There is no such route.")


def selected(fake, body):
    if "rows" in body:
        return np.array(body["rows"])
    bits = np.frombuffer(base64.b64decode(body["mask"]), np.uint8)
    return np.flatnonzero(np.unpackbits(bits, bitorder="little", count=fake.n))


def asked(fake, body):
    if "broken" in json.dumps(body):
        raise RefusedError(
            422, "Column width holds 'broken', which is not a number. Give a number."
        )
    place = np.array([0.1, 0.2], np.float32)
    found = fake.evidence(place, 5)
    maps = {"map": place.tolist(), "pca": place.tolist()}
    return {**found, "maps": maps, "probabilities": {found["prediction"]: 0.8}}


def reviewed(fake, rest, body):
    match rest:
        case ["effect"]:
            return fake.effect(body["row"], body["label"])
        case ["undo"]:
            for _ in range(body.get("count", 1)):
                if not fake.decided:
                    raise RefusedError(409, "There is no decision to undo.")
                fake.undo()
        case ["rows"]:
            fake.queue = [*selected(fake, body).tolist(), *fake.queue]
        case ["relabel"]:
            rows = selected(fake, body).tolist()
            if any(row % 5 == 0 for row in rows) and not body["confirm_test_rows"]:
                raise RefusedError(409, "1 row of 3 are test rows. Confirm to change them.")
            for row in rows:
                fake.decide(row, "relabel", body["label"])
            return {**fake.review(), "n_changed": len(rows)}
        case ["corrections.csv"]:
            lines = [f"{row},{action}" for row, action, _ in fake.decided]
            return ("text/csv", "\n".join(["row,action", *lines]).encode())
        case [] if body:
            if body["row"] % 5 == 0 and not body.get("confirm_test_row"):
                raise RefusedError(409, f"Row {body['row']} is a test row. Confirm to change it.")
            fake.decide(body["row"], body["action"], body.get("label"))
    return fake.review()


class FakeServer:
    """A server in a thread, for as long as a with-block lasts."""

    def __init__(self, n_rows: int, kind: str = "images", port: int = 0) -> None:
        self.exploration = FakeExploration(n_rows, kind)
        handler = type("BoundHandler", (Handler,), {"exploration": self.exploration})
        self.server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def __enter__(self) -> FakeServer:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
