"""What a query costs: a scan grows with rows and columns, a KD-tree with their logarithm [LUMS]."""

from __future__ import annotations

import time

import numpy as np
from record import Record, run_alone

from lookalike.index import ExactIndex, KDTreeIndex, ScanIndex
from lookalike.report.plots.axes import axes_or_new

SOURCE = "[LUMS]"
SYSTEMS = ("N20",)
ROWS = (4_000, 16_000, 64_000, 256_000)
COLUMNS = (8, 32, 128)
K = 10


def seconds(index, Q) -> float:
    """Return the least CPU time of a query, one thread, of three runs."""
    times = []
    for _ in range(3):
        start = time.process_time()
        index.query(Q, K, threads=1)
        times.append(time.process_time() - start)
    return min(times) / len(Q)


def exponent(sizes, times) -> float:
    """Return the slope of the logarithm of the time."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def near(value, low, high):
    """Return the text of an exponent, which is not measured to more digits, and whether it fits."""
    fits = low < value < high
    return f"between {low:g} and {high:g}" if fits else f"{value:.2f}", fits


def figures(record: Record) -> None:
    rng = np.random.default_rng(0)
    X, Q = rng.random((ROWS[-1], 2)), rng.random((400, 2))
    scan = [seconds(ScanIndex(X[:n], metric="manhattan"), Q[:40]) for n in ROWS]
    exact = [seconds(ExactIndex(X[:n]), Q) for n in ROWS]
    again = np.repeat(Q, 50, axis=0)  # so that the time of a walk shows, not that of memory
    tree = [seconds(KDTreeIndex(X[:n]), again) for n in ROWS]
    text, fits = near(exponent(ROWS, scan), 0.75, 1.25)
    record.claim("scan: exponent of the rows n", "O(d n): 1", text, fits)
    text, fits = near(exponent(ROWS, exact), 0.25, 1.25)
    record.claim("exact index: exponent of the rows n", "O(d n): 1", text, fits)
    text, fits = near(exponent(ROWS, tree), -0.2, 0.4)
    record.claim("KD-tree, 2 columns: exponent of the rows n", "O(log n): near 0", text, fits)
    wide = rng.random((20_000, COLUMNS[-1]))
    columns = [
        seconds(ScanIndex(wide[:, :d].copy(), metric="manhattan"), wide[:40, :d]) for d in COLUMNS
    ]
    text, fits = near(exponent(COLUMNS, columns), 0.4, 1.25)
    record.claim("scan: exponent of the columns d", "O(d n): 1", text, fits)
    ax = axes_or_new(None)
    for name, times in (("scan", scan), ("exact index", exact), ("KD-tree", tree)):
        ax.loglog(ROWS, 1e6 * np.array(times), marker="o", label=name)
    ax.set(
        xlabel="rows n", ylabel="microseconds a query, one thread", title="10 neighbors, 2 columns"
    )
    ax.set_xticks(ROWS, [f"{n:,}" for n in ROWS])
    ax.minorticks_off()
    ax.legend()
    record.picture(ax, "cost.png", "Time of a query against the rows")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
