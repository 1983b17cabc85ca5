"""What ``verbose`` writes while a map is learned, in the form of scikit-learn."""

from __future__ import annotations

import sys

FIRST_MAP_NAMES = {"pca": "principal components", "lda": "most discriminative components"}
LOG_HEADER = f"{'Iteration':>10} {'Objective Value':>20} {'Time(s)':>10}"


class FitLog:
    """The objective at each step of a model, written where its `verbose` is above 0."""

    def __init__(self, model: object) -> None:
        self._name = type(model).__name__
        self._verbose = bool(getattr(model, "verbose", 0))
        self._begun = False

    def write_step(self, iteration: int, objective: float, seconds: float) -> None:
        """Write one line, the first with what its columns are."""
        if not self._verbose:
            return
        lines = []
        if not self._begun:
            self._begun = True
            lines = ["", f" {LOG_HEADER}", f" {'-' * len(LOG_HEADER)}"]
        lines.append(f" {iteration:>10} {objective:>20.6e} {seconds:>10.2f}")
        sys.stdout.writelines(f"[{self._name}]{line}\n" for line in lines)


def write_start(init: object, seconds: float) -> None:
    """Write what the first map was found by, where that takes a computation."""
    if isinstance(init, str) and init in FIRST_MAP_NAMES:
        sys.stdout.write(f"Finding {FIRST_MAP_NAMES[init]}... done in {seconds:5.2f}s\n")
