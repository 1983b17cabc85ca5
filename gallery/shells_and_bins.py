"""Shells and bins: the tables of the curse of dimensionality, and the digits [LUMS; UCSD]."""

from __future__ import annotations

import numpy as np
from record import Record, run_alone

from lookalike.data import gather, sample
from lookalike.explain import dimensionality_report
from lookalike.explain.curse import (
    empty_fraction,
    inner_fraction,
    points_per_bin,
    shell_fraction,
)
from lookalike.report.plots.curse import plot_hubness, plot_shell_fractions

SOURCE = "[LUMS]"
SYSTEMS = ("N19",)
DIMENSIONS = (1, 2, 10, 50, 400, 784)
SHELLS = {  # what is in the shell, and inside it
    0.1: ("0.1 0.19 0.65 0.995 1.000 1.000", "0.9 0.81 0.35 0.005 0.000 0.000"),
    0.01: ("0.01 0.02 0.096 0.395 0.982 0.999", "0.99 0.98 0.904 0.605 0.018 0.0004"),
}
BINS = {1: "10", 2: "1", 3: "0.1"}  # [UCSD]: 100 points, 10 bins an axis


def figures(record: Record) -> None:
    for epsilon, texts in SHELLS.items():
        parts = (("in the shell", shell_fraction), ("inside", inner_fraction))
        for (place, fraction), text in zip(parts, texts, strict=True):
            values = [fraction(epsilon, d) for d in DIMENSIONS]
            for d, printed, measured in zip(DIMENSIONS, text.split(), values, strict=True):
                cut = printed == "0.999"  # 0.99962, which the source cuts off
                record.printed(
                    f"epsilon = {epsilon}, D = {d}: {place}",
                    printed,
                    measured,
                    units=1.0 if cut else 0.5,
                    form=".4f" if cut else "",
                )
    record.printed("inside at D = 400, epsilon = 0.1", "4.9774e-19", inner_fraction(0.1, 400))
    for d, text in BINS.items():
        points = points_per_bin(100, 10, d)
        record.printed(f"points a bin, D = {d}", text, points, source="[UCSD]")
    empty = 10 * empty_fraction(100, 10, 3)
    record.printed("empty bins of 10, D = 3", "9", empty, form=".2f", source="[UCSD]")
    draws = np.random.default_rng(0).random((200, 100, 3))
    cells = [len(np.unique((10 * points).astype(int), axis=0)) for points in draws]
    empty = 10 - np.mean(cells) / 100
    record.claim("the same, counted", "9", f"{empty:.2f}", 8.5 < empty < 9.5, source="[UCSD]")

    report = dimensionality_report(gather(sample("digits")).X)
    for epsilon, measured in report.shells.items():
        record.measured(
            f"digits, 64 columns: rows in a shell of {epsilon}",
            f"{measured:.4f}, of uniform rows {shell_fraction(epsilon, 64):.4f}",
        )
    record.picture(plot_shell_fractions(report), "shells.png", "Rows in a shell")
    record.picture(plot_hubness(report), "hubness.png", "How often a row is a neighbor")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
