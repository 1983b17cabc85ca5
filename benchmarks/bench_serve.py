"""Single-row predictions of 64 clients: lookalike serve compared with FastAPI and scikit-learn.

Run: python -m benchmarks.bench_serve [--quick] [--seconds 60] [--baseline-seconds 60] [--plain]

MNIST, 60,000 training rows of 784 pixels, K = 3. Every connection sends the next request when it
has the response to the last. In our run the model file is replaced twice (K = 5, then K = 3
again); every response is compared with what the version that it names predicts. Those of
scikit-learn are compared with ours too: of equal votes it takes the first class, so a few differ.
Our service counts, keeps a request log, and passes on the trace that every request names; with
--plain there is neither log nor trace. What a request costs the service is its processor time,
which says more than requests per second where other programs run.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import BenchParser, heading
from lookalike import KNeighborsClassifier, save
from lookalike.data.batches import gather
from lookalike.data.samples import sample

CLIENTS = 64
QUERIES = 2000
ENDED = 20.0  # seconds after the end in which the last responses arrive


class Load:
    """What the clients saw."""

    def __init__(self, expected: dict[int, list[int]]) -> None:
        self.expected = expected  # of each version of the model
        self.seconds: list[float] = []
        self.wrong, self.lost = 0, 0
        self.versions: Counter[int] = Counter()
        self.memory: list[tuple[float, float]] = []  # time, MB
        self.cpu_seconds = 0.0  # of the service

    def check(self, row: int, body: bytes) -> None:
        content = json.loads(body)
        version = content.get("version", 1)
        self.versions[version] += 1
        self.wrong += content.get("predictions") != [self.expected[version][row]]


async def one_client(load: Load, port: int, requests: list[bytes], first: int, end: float) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    row = first
    while time.perf_counter() < end:
        begun = time.perf_counter()
        try:
            writer.write(requests[row])
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            body = await reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError):
            load.lost += 1
            writer.close()
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            continue
        load.seconds.append(time.perf_counter() - begun)
        if not head.startswith(b"HTTP/1.1 200"):
            load.lost += 1
        else:
            load.check(row, body)
        row = (row + CLIENTS) % len(requests)
    writer.close()


async def watch(load: Load, process: int, end: float, swaps: list[Any]) -> None:
    """Note the memory of the server every second, and replace the model when it is time."""
    begun = time.perf_counter()
    while (now := time.perf_counter()) < end:
        load.memory.append((now - begun, resident(process)))
        if swaps and now - begun > swaps[0][0]:
            await asyncio.to_thread(swaps.pop(0)[1])
        await asyncio.sleep(1)


async def run(
    load: Load, port: int, process: int, seconds: float, swaps: list[Any], traced: bool
) -> float:
    rows = gather(sample("mnist", "test")).X[:QUERIES]
    requests = [request(row, traced) for row in rows]
    begun = time.perf_counter()
    end = begun + seconds
    clients = [one_client(load, port, requests, number, end) for number in range(CLIENTS)]
    used = processor_seconds(process)
    async with asyncio.timeout(seconds + ENDED):
        await asyncio.gather(*clients, watch(load, process, end, swaps))
    load.cpu_seconds = processor_seconds(process) - used
    return time.perf_counter() - begun


def request(row: np.ndarray[Any, Any], traced: bool) -> bytes:
    body = json.dumps({"rows": [row.tolist()]}, separators=(",", ":")).encode()
    head = "POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    if traced:
        head += f"traceparent: 00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def resident(process: int) -> float:
    """Return the memory of a process, in MB."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def processor_seconds(process: int) -> float:
    """Return the processor time that a process has used."""
    status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(status[11]) + int(status[12])) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def wait_ready(port: int) -> None:
    for _ in range(600):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                connection.sendall(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                if b" 200 " in connection.recv(100):
                    return
        except OSError:
            pass
        time.sleep(0.2)
    raise TimeoutError("the service did not start")


def measure(
    command: list[str],
    port: int,
    load: Load,
    seconds: float,
    swaps: list[Any],
    traced: bool = False,
) -> float:
    """Run a server, put it under load, and return its requests per second."""
    child = subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.DEVNULL)
    try:
        wait_ready(port)
        took = asyncio.run(run(load, port, child.pid, seconds, swaps, traced))
    finally:
        child.terminate()
        child.wait()
    return len(load.seconds) / took


def show(title: str, rate: float, load: Load) -> None:
    p50, p99 = np.percentile(load.seconds, [50, 99]) * 1000
    each = 1e6 * load.cpu_seconds / len(load.seconds)
    print(
        f"  {title:44} {rate:9.1f} {p50:9.1f} {p99:9.1f} {len(load.seconds):9,} "
        f"{load.wrong:6} {load.lost:6} {each:12.0f}"
    )


def show_memory(load: Load, seconds: float) -> None:
    """Print the memory in the middle of each third: before, between and after the reloads."""
    parts = []
    for third in range(3):
        low, high = (third + 0.4) * seconds / 3, (third + 1) * seconds / 3
        inside = [mb for at, mb in load.memory if low <= at < high]
        parts.append(f"{np.median(inside):.0f} (most {max(inside):.0f})" if inside else "-")
    served = ", ".join(f"version {v}: {n:,}" for v, n in sorted(load.versions.items()))
    print(f"  Responses by {served}.")
    print(
        f"  Memory of the service in MB, before, between and after the reloads: {'; '.join(parts)}."
    )


def main() -> None:
    sizes = {"seconds": (60.0, 9.0), "baseline_seconds": (60.0, 3.0), "rows": (60_000, 2_000)}
    parser = BenchParser(__doc__, **sizes)
    parser.add_argument("--plain", action="store_true", help="neither request log nor traces")
    options = parser.parse_args()
    what = f"{CLIENTS} clients, one row a request, MNIST {options.rows:,} x 784, K = 3"
    heading(f"Service under load: {what}")
    train, test = gather(sample("mnist", "train")), gather(sample("mnist", "test")).X[:QUERIES]
    X, y = train.X[: options.rows], train.y[: options.rows]
    with tempfile.TemporaryDirectory() as folder:
        place, expected = Path(folder), {}
        for version, k in ((1, 3), (2, 5)):
            model = KNeighborsClassifier(k).fit(X, y)
            expected[version] = model.predict(test).tolist()
            save(model, place / f"{version}.part")
        del model
        expected[3] = expected[1]
        served = place / "models"
        served.mkdir()
        shutil.copy(place / "1.part", served / "mnist.lookalike")
        shutil.copy(place / "1.part", place / "3.part")
        swaps = [
            (part * options.seconds / 3, lambda v=part + 1: os.replace(
                place / f"{v}.part", served / "mnist.lookalike"
            ))
            for part in (1, 2)
        ]  # fmt: skip
        port = free_port()
        ours = Load(expected)
        logged = [] if options.plain else ["--request-log", str(place / "requests.jsonl")]
        command = ["lookalike", "serve", str(served), "--port", str(port), *logged]
        rate = measure(command, port, ours, options.seconds, swaps, not options.plain)
    port, theirs = free_port(), Load({1: expected[1]})
    command = ["benchmarks.serve_baseline", str(port), str(options.rows)]
    base = measure(command, port, theirs, options.baseline_seconds, [])
    columns = (
        f"{'p50 ms':>9} {'p99 ms':>9} {'responses':>9} {'wrong':>6} {'lost':>6} {'CPU us':>12}"
    )
    print(f"\n  {'':43} {'requests/s':>10} {columns}")
    how = "" if options.plain else ", log, traces"
    show(f"lookalike serve, {options.seconds:g} s, two reloads{how}", rate, ours)
    show(f"FastAPI + scikit-learn, {options.baseline_seconds:g} s", base, theirs)
    print(f"\n  Ratio of requests per second: {rate / base:.1f}")
    show_memory(ours, options.seconds)


if __name__ == "__main__":
    main()
