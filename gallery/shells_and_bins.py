"""Shells and bins: the printed tables of the curse of dimensionality, and the digits."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from printed import compare

from lookalike import dimensionality_report
from lookalike.data import sample
from lookalike.data.batches import gather
from lookalike.explain.curse import (
    empty_fraction,
    inner_fraction,
    points_per_bin,
    shell_fraction,
)
from lookalike.report.plots.curse import plot_hubness, plot_shell_fractions
from lookalike.report.save import save_axes

DIMENSIONS = (1, 2, 10, 50, 400, 784)
SHELLS = {  # [LUMS]: what is in the shell, and inside it
    0.1: ("0.1 0.19 0.65 0.995 1.000 1.000", "0.9 0.81 0.35 0.005 0.000 0.000"),
    0.01: ("0.01 0.02 0.096 0.395 0.982 0.999", "0.99 0.98 0.904 0.605 0.018 0.0004"),
}
BINS = {1: "10", 2: "1", 3: "0.1"}  # [UCSD]: 100 points, 10 bins an axis


def main(out: Path) -> None:
    for epsilon, (shell, inner) in SHELLS.items():
        rows = []
        for d, outer, inside in zip(DIMENSIONS, shell.split(), inner.split(), strict=True):
            rows.append((f"in the shell, D = {d}", outer, f"{shell_fraction(epsilon, d):.5g}"))
            rows.append((f"inside, D = {d}", inside, f"{inner_fraction(epsilon, d):.5g}"))
        compare(f"Shell of thickness {epsilon} [LUMS]", rows)
    compare(
        "Inside at D = 400, epsilon = 0.1 [LUMS]",
        [("(1 - 0.1)^400", "4.9774e-19", f"{inner_fraction(0.1, 400):.4e}")],
    )
    rows = [
        (f"points a bin, D = {d}", text, points_per_bin(100, 10, d)) for d, text in BINS.items()
    ]
    rows.append(("empty bins, D = 3", "9 of 10", f"{10 * empty_fraction(100, 10, 3):.2f} of 10"))
    draws = np.random.default_rng(0).random((200, 100, 3))
    cells = [len(np.unique((10 * points).astype(int), axis=0)) for points in draws]
    rows.append(("the same, counted", "9 of 10", f"{10 - np.mean(cells) / 100:.2f} of 10"))
    compare("100 points in 10 bins an axis [UCSD]", rows)

    report = dimensionality_report(gather(sample("digits")).X)
    print(f"\nThe digits: {report}")
    for shell in report.shells:
        print(
            f"  shell {shell.epsilon}: even rows {shell.even:.4f}, the digits {shell.measured:.4f}"
        )
    for bins in report.bins:
        print(
            f"  {bins.dimension} columns: {bins.points_per_bin:.3g} rows a bin, empty "
            f"{bins.empty_even:.3f} of even rows, {bins.empty_measured:.3f} of the digits"
        )
    save_axes(plot_shell_fractions(report), out / "shells.png")
    save_axes(plot_hubness(report), out / "hubness.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gallery"))
    main(parser.parse_args().out)
