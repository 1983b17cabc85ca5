"""Exact neighbors among rows on disk, compared with FAISS IndexFlatL2 streamed over the same file.

Run: python -m benchmarks.bench_disk [--quick] [--rows 10000000] [--folder FOLDER]
Every search is a process of its own with a budget of 1 GB, once with nothing of the files in the
page cache (cold) and once right after (warm, with the CPU time of all threads, which says more
where others are at work on the machine). 10,000,000 rows take 7 GB of disk.
Two kinds of rows: around 2,000 centers with a variance that falls along the directions, as
embeddings have, and a tenth as many of independent columns, where no direction can be left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.timing import BenchParser, heading, require

COLUMNS, QUERIES, K = 128, 1000, 10
BUDGET = 10**9
CHECKED = 10  # queries that are compared with the float64 reference
BLOCK = 1 << 18  # rows of a block of the streamed scan: 128 MB


def embeddings(rng: np.random.Generator) -> Callable[[int], np.ndarray]:
    """Return what draws rows around centers whose variance falls along the directions."""
    turn = np.linalg.qr(rng.standard_normal((COLUMNS, COLUMNS)))[0].astype(np.float32)
    deviation = (np.arange(1, COLUMNS + 1) ** -0.7).astype(np.float32)
    center = (rng.standard_normal((2000, COLUMNS)) * deviation * 1.5).astype(np.float32) @ turn

    def draw(count: int) -> np.ndarray:
        near = center[rng.integers(0, len(center), count)]
        spread = rng.standard_normal((count, COLUMNS), dtype=np.float32) * deviation
        return near + spread @ turn

    return draw


def independent(rng: np.random.Generator) -> Callable[[int], np.ndarray]:
    """Return what draws rows of independent columns of one variance."""
    return lambda count: rng.standard_normal((count, COLUMNS), dtype=np.float32)


KINDS = {
    "around 2,000 centers, variance falling along directions": embeddings,
    "independent columns": independent,
}


def write_rows(folder: Path, rows: int, kind: str) -> None:
    draw = KINDS[kind](np.random.default_rng(0))
    header = np.lib.format.header_data_from_array_1_0(np.empty((0, COLUMNS), np.float32))
    with (folder / "rows.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {**header, "shape": (rows, COLUMNS)})
        for start in range(0, rows, 100_000):
            draw(min(100_000, rows - start)).tofile(file)
        file.flush()
        os.fsync(file.fileno())
    np.save(folder / "queries.npy", draw(QUERIES))


def forget(*folders: Path) -> None:
    """Let no page of the files stay in memory."""
    for file in [one for folder in folders for one in folder.rglob("*") if one.is_file()]:
        handle = os.open(file, os.O_RDONLY)
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(handle)


def child(what: str, folder: Path, state: str = "") -> dict[str, float]:
    """Run one part in a process of its own; return what it measured, now or in an earlier run."""
    kept = folder / f"measured_{what}_{state}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    if state == "cold":
        forget(folder)
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_disk", "--child", what, "--folder", str(folder)],
        capture_output=True, text=True, check=False,
        env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"},  # others may be at work on the machine
    )  # fmt: skip
    if ran.returncode:
        sys.exit(f"{what} failed: {ran.stderr.strip()[-2000:]}")
    kept.write_text(ran.stdout.splitlines()[-1])
    return json.loads(kept.read_text())


def peak_megabytes() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    status = dict(line.split(":", 1) for line in lines)
    return int(status["VmHWM"].split()[0]) / 1000


def build(folder: Path) -> dict[str, float]:
    import lookalike
    from lookalike.index.disk import DiskIndex, build_index_file

    lookalike.config(memory=BUDGET)
    start = time.perf_counter()
    build_index_file(folder / "rows.index", folder / "rows.npy")
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "codes": DiskIndex(folder / "rows.index").nbytes}


def search(folder: Path) -> dict[str, float]:
    import lookalike
    from lookalike.index.exact import ExactIndex

    lookalike.config(memory=BUDGET)
    Q = np.load(folder / "queries.npy")
    start, used = time.perf_counter(), time.process_time()
    index = ExactIndex.open(folder / "rows.index")
    found, stats = index.query_with_stats(Q, K)
    seconds, cpu = time.perf_counter() - start, time.process_time() - used
    np.savez(folder / "found.npz", **found._asdict())
    start = time.perf_counter()
    index.query(Q[:1], K)
    one = time.perf_counter() - start
    return {"seconds": seconds, "cpu": cpu, "one": one, **stats}


def faiss(folder: Path) -> dict[str, float]:
    from concurrent.futures import ThreadPoolExecutor

    import faiss

    faiss.omp_set_num_threads(os.cpu_count() or 1)
    Q = np.load(folder / "queries.npy")
    start, used = time.perf_counter(), time.process_time()
    with (folder / "rows.npy").open("rb") as file, ThreadPoolExecutor(1) as pool:
        np.lib.format.read_magic(file)
        (rows, _), _, _ = np.lib.format.read_array_header_1_0(file)

        def read():
            return np.fromfile(file, np.float32, BLOCK * COLUMNS).reshape(-1, COLUMNS)

        distance, row = np.empty((QUERIES, 0), np.float32), np.empty((QUERIES, 0), np.int64)
        coming = pool.submit(read)
        for first in range(0, rows, BLOCK):
            block = coming.result()
            coming = pool.submit(read)
            index = faiss.IndexFlatL2(COLUMNS)
            index.add(block)
            near, local = index.search(Q, K)
            distance = np.concatenate([distance, near], axis=1)
            row = np.concatenate([row, local + first], axis=1)
            order = np.argsort(distance, axis=1, kind="stable")[:, :K]
            distance = np.take_along_axis(distance, order, 1)
            row = np.take_along_axis(row, order, 1)
    return {"seconds": time.perf_counter() - start, "cpu": time.process_time() - used}


def reference(folder: Path) -> dict[str, float]:
    """Compare some queries with distances in float64, over all rows."""
    from scipy.spatial.distance import cdist

    Q = np.load(folder / "queries.npy")[:: QUERIES // CHECKED].astype(np.float64)
    found = np.load(folder / "found.npz")
    X = np.load(folder / "rows.npy", mmap_mode="r")
    key, row = np.empty((len(Q), 0)), np.empty((len(Q), 0), np.int64)
    for first in range(0, len(X), BLOCK):
        block = cdist(Q, X[first : first + BLOCK].astype(np.float64), "sqeuclidean")
        near = np.argpartition(block, K, axis=1)[:, :K]
        key = np.concatenate([key, np.take_along_axis(block, near, 1)], axis=1)
        row = np.concatenate([row, near + first], axis=1)
    order = np.lexsort((row, key), axis=1)[:, :K]
    rows = np.take_along_axis(row, order, 1) == found["row"][:: QUERIES // CHECKED]
    distance = np.sqrt(np.take_along_axis(key, order, 1))
    gap = np.abs(distance - found["distance"][:: QUERIES // CHECKED]).max()
    return {"equal": float(rows.mean()), "gap": float(gap)}


def reading(folder: Path) -> dict[str, float]:
    """Read the codes once through a map of the file and once with explicit reads."""
    path = next((folder / "rows.index").glob("*.codes"))
    size, block = path.stat().st_size, 8 << 20
    seconds = {}
    for state in ("cold", "warm"):
        for way in ("map", "read"):
            if state == "cold":
                forget(folder / "rows.index")
            start = time.perf_counter()
            if way == "map":
                mapped = np.memmap(path, np.uint8, "r")
                for at in range(0, size, block):
                    np.array(mapped[at : at + block])
                del mapped
            else:
                with path.open("rb", buffering=0) as file:
                    while file.read(block):
                        pass
            seconds[f"{way} {state}"] = size / 1e9 / (time.perf_counter() - start)
    return seconds


def report(folder: Path, rows: int, kind: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "queries.npy").exists():
        write_rows(folder, rows, kind)
    raw = rows * COLUMNS * 4
    built = child("build", folder)
    print(f"\n{rows:,} rows of {COLUMNS} float32 ({raw / 1e9:.2f} GB), {kind}")
    print(f"{QUERIES} queries, k = {K}")
    print(
        f"built in {built['seconds']:.1f} s with a budget of 1 GB, peak {built['peak']:.0f} MB; "
        f"codes {built['codes'] / 1e9:.3f} GB, {built['codes'] / raw:.2%} of the rows"
    )
    print(f"\n  {'':28} {'cold':>9} {'warm':>9} {'CPU':>9} {'peak':>9}")
    times = {}
    for name, what in (("FAISS IndexFlatL2, streamed", "faiss"), ("index on disk", "search")):
        cold, warm = child(what, folder, "cold"), child(what, folder, "warm")
        times[what] = cold, warm
        print(
            f"  {name:28} {cold['seconds']:8.2f}s {warm['seconds']:8.2f}s {warm['cpu']:8.2f}s "
            f"{warm['peak']:6.0f} MB"
        )
    (cold, warm), ours = times["faiss"], times["search"]
    print(
        f"  {'ratio':28} {cold['seconds'] / ours[0]['seconds']:8.2f}x "
        f"{warm['seconds'] / ours[1]['seconds']:8.2f}x {warm['cpu'] / ours[1]['cpu']:8.2f}x"
    )
    stats = times["search"][0]
    print(
        f"\nread: codes {stats['codes'] / raw:.2%} of the bytes of the rows, in "
        f"{stats['passes']:.0f} pass; {stats['n_rows']:,} rows, {stats['n_rows'] / rows:.3%}, and "
        f"{stats['rows'] / raw:.3%} of their bytes; "
        f"{(stats['codes'] + stats['rows']) / QUERIES / 1e6:.2f} MB a query"
    )
    print(f"one query alone, warm: {times['search'][1]['one'] * 1000:.0f} ms")
    checked = child("reference", folder)
    print(
        f"equal to the float64 reference on {CHECKED} queries: {checked['equal']:.1%} of the rows, "
        f"distances within {checked['gap']:.1e}"
    )
    speeds = child("reading", folder)
    print("codes read, GB/s: " + ", ".join(f"{way} {speeds[way]:.2f}" for way in sorted(speeds)
                                           if way != "peak"))  # fmt: skip


def main() -> None:
    parser = BenchParser(__doc__, rows=(10_000_000, 50_000))
    parser.add_argument("--folder")
    parser.add_argument("--keep", action="store_true", help="continue in FOLDER, and keep it")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        ways = {"build": build, "search": search, "faiss": faiss, "reference": reference}
        measured = {**ways, "reading": reading}[chosen.child](Path(chosen.folder))
        print(json.dumps({**measured, "peak": peak_megabytes()}))
        return
    raw = chosen.rows * COLUMNS * 4 / 1e9
    require("faiss", "scipy", gigabytes=1.4 * raw, folder=chosen.folder)
    heading("disk")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        base = Path(chosen.folder if chosen.keep else name)
        for share, kind in zip((1, 10), KINDS, strict=True):
            report(base / str(share), chosen.rows // share, kind)


if __name__ == "__main__":
    main()
