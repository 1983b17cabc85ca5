"""What requests at the limits of a service take: status, seconds, and memory of its process.

Run: python -m benchmarks.bench_limits [--quick]. It reads memory from /proc, which Linux has. Each
request goes to a new process, which is measured from before the request until its response is read;
the last lines are of `--at-once` requests together.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks.timing import BenchParser, heading, require
from lookalike import PCA, KNeighborsClassifier, NearestNeighbors, Ridge, save

if TYPE_CHECKING:
    from collections.abc import Iterator

ARROW = "application/vnd.apache.arrow.stream"
JSON = "application/json"
PIXELS = 784


class Case(NamedTuple):
    """A request: what is said of it, where it goes, its body, and the type of the response."""

    title: str
    path: str
    body: bytes
    kind: str = JSON
    accept: str = JSON


class Service(NamedTuple):
    """Where a service listens, and its process."""

    address: str
    pid: int


def main() -> None:
    options = BenchParser(__doc__, rows=(10_000, 400), at_once=(16, 4)).parse_args()
    require("pyarrow")
    if not Path("/proc/self/clear_refs").exists():
        sys.exit("This benchmark reads the memory of a process from /proc, which is not here.")
    heading("Limits of a service")
    scale = options.rows / 10_000
    print(f"  {'request':68} {'status':>7} {'body MB':>8} {'seconds':>8} {'memory MB':>10}")
    with tempfile.TemporaryDirectory() as folder:
        save_models(Path(folder), scale)
        listed = cases(scale)
        for case in listed:
            with service(folder) as served:
                show(case.title, len(case.body), *measure(served, lambda c=case: [send(served, c)]))
        with service(folder) as served:
            measure_trailers(served, scale)
        for case in (listed[0], listed[4]):
            with service(folder) as served:
                measure_at_once(served, case, options.at_once)


def save_models(folder: Path, scale: float) -> None:
    rng = np.random.default_rng(0)
    n_rows = max(20, int(4000 * scale))
    narrow = rng.normal(size=(n_rows, 2))
    wide = rng.integers(0, 256, (max(200, int(2000 * scale)), 1000)).astype(np.uint8)
    n_components = max(5, int(500 * scale))
    models = {
        "neighbors": NearestNeighbors(n_neighbors=5).fit(narrow),
        "classes": KNeighborsClassifier(1).fit(narrow, np.arange(n_rows)),
        "pixels": KNeighborsClassifier(1).fit(wide[:, :PIXELS], np.arange(len(wide)) % 10),
        "wide": KNeighborsClassifier(1).fit(wide, np.arange(len(wide)) % 10),
        "features": PCA(n_components).fit(wide.astype(np.float32)),
        "ridge": Ridge().fit(rng.normal(size=(100, 10)), rng.normal(size=100)),
    }
    for name, model in models.items():
        save(model, folder / f"{name}.lookalike")


def cases(scale: float) -> list[Case]:
    """Return requests at the limits of a service and beyond."""
    rows, k = max(10, int(10_000 * scale)), max(10, int(3000 * scale))
    n_results = max(1, int(5_000_000 * scale * scale) // k)
    classes = max(1, int(5_000_000 * scale * scale) // max(20, int(4000 * scale)))
    features = "POST /v1/transform?model=features"
    wide = np.random.default_rng(1).integers(0, 256, (rows, 1000)).astype(np.uint8)
    pixels = wide[: max(1, int(5200 * scale)), :PIXELS]
    narrow = json_rows([[0.5, 0.5]] * n_results)
    near = f"/v1/neighbors?model=neighbors&k={k}"
    return [
        Case(f"neighbors, {n_results:,} rows x K = {k:,}, JSON", near, narrow),
        Case("the same as Arrow", near, narrow, JSON, ARROW),
        Case(f"neighbors, {2 * rows:,} rows x K = {k:,}", near, json_rows([[0.5, 0.5]] * 2 * rows)),
        Case(
            f"probabilities, {classes:,} rows x {max(20, int(4000 * scale)):,} classes",
            "/v1/predict?model=classes&proba=true",
            json_rows([[0.5, 0.5]] * classes),
        ),
        Case(
            f"{len(pixels):,} rows of {PIXELS} numbers, JSON",
            "/v1/predict?model=pixels",
            json_rows(pixels.tolist()),
        ),
        Case(f"{rows:,} rows of 1,000 bytes, Arrow", "/v1/predict?model=wide", matrix(wide), ARROW),
        Case(
            f"{rows:,} rows in {max(5, int(500 * scale)):,} features, Arrow to Arrow",
            features.split()[1],
            matrix(wide),
            ARROW,
            ARROW,
        ),
        Case(
            f"100 rows of 10 columns explained, compared with {rows:,}",
            "/v1/explain?model=ridge",
            explained(rows),
        ),
        *refused(scale),
    ]


def refused(scale: float) -> list[Case]:
    """Return requests beyond the limits, each of which a small body would make large."""
    predict = "/v1/predict?model=neighbors"
    many = int(5_000_000 * scale)
    return [
        Case(f"{many:,} empty lists, JSON", predict, b'{"rows":[' + b"[]," * many + b"[]]}"),
        Case(
            f"{int(3_000_000 * scale):,} texts of two letters, JSON",
            predict,
            b'{"rows":[' + b'"ab",' * int(3_000_000 * scale) + b'"ab"]}',
        ),
        Case("Arrow: one text of 8 MB in a dictionary, 200 rows", predict, one_text(), ARROW),
        Case("Arrow: 20,000 columns of null x 10,000 rows", predict, nulls(), ARROW),
    ]


def json_rows(rows: Sequence[object]) -> bytes:
    return json.dumps({"rows": rows}, separators=(",", ":")).encode()


def explained(rows: int) -> bytes:
    return json.dumps({"rows": [[0.5] * 10] * 100, "reference": [[0.1] * 10] * rows}).encode()


def matrix(values: np.ndarray) -> bytes:
    """Return rows as one column of fixed-size lists."""
    flat = pa.array(values.reshape(-1))
    return stream(pa.table({"rows": pa.FixedSizeListArray.from_arrays(flat, values.shape[1])}))


def one_text() -> bytes:
    texts = pa.DictionaryArray.from_arrays(np.zeros(200, np.int32), ["x" * 2**23])
    return stream(pa.table({"text": texts}))


def nulls() -> bytes:
    return stream(pa.table({f"c{j}": pa.nulls(10_000) for j in range(20_000)}))


def stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


@contextmanager
def service(folder: str) -> Iterator[Service]:
    """Run `lookalike serve` with the default limits."""
    command = [sys.executable, "-m", "lookalike", "serve", folder, "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as child:
        try:
            assert child.stdout is not None
            address = next(
                found[1] for line in child.stdout if (found := re.search(r"http://(\S+:\d+)", line))
            )
            threading.Thread(target=child.stdout.read, daemon=True).start()
            served = Service(address, child.pid)
            while send(served, Case("", "/readyz", b""))[0] != 200:
                time.sleep(0.05)
            yield served
        finally:
            child.terminate()


def send(served: Service, case: Case) -> tuple[int, int]:
    """Send a request; return the status and the bytes of the response, which are not kept."""
    connection = http.client.HTTPConnection(served.address, timeout=120)
    headers: Mapping[str, str] = {"content-type": case.kind, "accept": case.accept}
    try:
        connection.request("POST" if case.body else "GET", case.path, case.body or None, headers)
        response = connection.getresponse()
        n_bytes = 0
        while part := response.read(2**20):
            n_bytes += len(part)
        return response.status, n_bytes
    finally:
        connection.close()


def measure(
    served: Service, call: Callable[[], list[tuple[int, int]]]
) -> tuple[list[tuple[int, int]], float, int]:
    """Return what a call returns, its seconds, and how much memory the service took for it."""
    Path(f"/proc/{served.pid}/clear_refs").write_text("5")  # the peak counts from here on
    before, start = peak_bytes(served.pid), time.perf_counter()
    found = call()
    return found, time.perf_counter() - start, peak_bytes(served.pid) - before


def peak_bytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def show(
    title: str, n_bytes: int, found: list[tuple[int, int]], seconds: float, memory: int
) -> None:
    counts = Counter(status for status, _ in found)
    status = ", ".join(
        f"{n} x {code}" if len(found) > 1 else f"{code or 'ended'}" for code, n in counts.items()
    )
    sent = sum(size for _, size in found)
    if sent > 1e6:
        title += f" of {sent / 1e6:.0f} MB"
    print(f"  {title:68} {status:>7} {n_bytes / 1e6:8.1f} {seconds:8.2f} {memory / 1e6:10.1f}")


def measure_trailers(served: Service, scale: float) -> None:
    """Send trailers after a body until the service ends the connection."""
    n_sent = 0

    def call() -> list[tuple[int, int]]:
        nonlocal n_sent
        connection = http.client.HTTPConnection(served.address, timeout=60)
        connection.connect()
        head = f"POST /v1/predict?model=neighbors HTTP/1.1\r\nhost: {served.address}\r\n"
        head += f"content-type: {JSON}\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n"
        line = b"x: " + b"y" * 1000 + b"\r\n"
        try:
            connection.sock.sendall(head.encode())
            for _ in range(int(300_000 * scale)):
                connection.sock.sendall(line)
                n_sent += len(line)
        except OSError:
            return [(0, 0)]
        finally:
            connection.close()
        return [(200, 0)]

    measured = measure(served, call)
    show("trailers without an end", n_sent, *measured)


def measure_at_once(served: Service, case: Case, at_once: int) -> None:
    """Send a request several times together."""

    def call() -> list[tuple[int, int]]:
        with ThreadPoolExecutor(at_once) as pool:
            return list(pool.map(lambda _: send(served, case), range(at_once)))

    show(f"{at_once} at once: {case.title}", at_once * len(case.body), *measure(served, call))


if __name__ == "__main__":
    if os.name != "posix":
        sys.exit("This benchmark reads the memory of a process from /proc.")
    main()
