"""Neighbor maps of MNIST compared with openTSNE and umap-learn at their defaults, in one run.

Run: LOOKALIKE_DATA=… python -m benchmarks.bench_map [--quick] [--rows 60000]
Each map is made in a process of its own, from pixels to places; all are measured by the same exact
search on the same sample of rows.
A full run is estimated at 5 minutes on two cores.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

from benchmarks.timing import BenchParser, heading, require
from lookalike.data import sample
from lookalike.manifold import map_quality

PEERS = {"lookalike tsne": "openTSNE", "lookalike umap": "umap-learn"}
TOOLS = ("lookalike tsne", "lookalike umap", "openTSNE", "umap-learn")
MODULES = {"openTSNE": "openTSNE", "umap-learn": "umap"}
NEIGHBORS = 15


def pixels(n_rows: int) -> np.ndarray:
    chunks = sample("mnist", "train").chunks()
    rows = np.concatenate([chunk.X for chunk in chunks])[:n_rows]
    return rows.reshape(len(rows), -1).astype(np.float32)


def placed(tool: str, X: np.ndarray) -> np.ndarray:
    """Return the map of a tool at its defaults, on two threads."""
    warnings.simplefilter("ignore")
    if tool.startswith("lookalike"):
        from lookalike import NeighborMap

        return NeighborMap(tool.split()[1], random_state=0, n_jobs=2).fit_transform(X)
    if tool == "openTSNE":
        from openTSNE import TSNE

        return np.asarray(TSNE(random_state=0, n_jobs=2).fit(X))
    from umap import UMAP  # without a seed, which would make it take one thread

    return UMAP(n_jobs=2).fit_transform(X)


def child(tool: str, n_rows: int, out: Path) -> None:
    X = pixels(n_rows)
    start, used = time.perf_counter(), time.process_time()
    Z = placed(tool, X)
    np.savez(out, Z=Z, wall=time.perf_counter() - start, cpu=time.process_time() - used)


def main() -> None:
    parser = BenchParser(__doc__, rows=(60_000, 300), measured=(1_000, 100))
    parser.add_argument("--tools", nargs="+", default=list(TOOLS), choices=TOOLS)
    parser.add_argument("--child", choices=TOOLS, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.rows, options.out)
    else:
        compare(options.rows, options.measured, options.tools)


def compare(n_rows: int, max_rows: int, tools: list[str]) -> None:
    require(*(MODULES[name] for name in tools if name in MODULES))
    heading(f"maps of {n_rows:,} rows of MNIST")
    names = [name for name in MODULES if name in tools]
    print(", ".join(f"{name} {version(name)}" for name in names) or "no peers")
    print(f"measures: {NEIGHBORS} neighbors of {max_rows:,} rows drawn from all, against all\n")
    print(f"  {'':16} {'seconds':>8} {'CPU':>8} {'trust':>8} {'contin.':>8} {'preserved':>9}")
    X, trust = pixels(n_rows), {}
    with tempfile.TemporaryDirectory() as folder:
        for tool in tools:
            out = Path(folder) / "map.npz"
            command = [sys.executable, "-m", "benchmarks.bench_map", "--child", tool]
            subprocess.run([*command, "--rows", str(n_rows), "--out", str(out)], check=True)
            made = np.load(out)
            found = map_quality(X, made["Z"], n_neighbors=NEIGHBORS, max_rows=max_rows)
            print(
                f"  {tool:16} {made['wall']:8.1f} {made['cpu']:8.1f} {found.trustworthiness:8.4f} "
                f"{found.continuity:8.4f} {found.neighbor_preservation:9.4f}",
                flush=True,
            )
            trust[tool] = found.trustworthiness
    for ours, peer in PEERS.items():
        if ours in trust and peer in trust:
            gap = trust[ours] - trust[peer]
            print(f"  trustworthiness of {ours} less that of {peer}: {gap:+.4f}")


if __name__ == "__main__":
    main()
