"""Results of a long benchmark, kept after each of its parts: it can be stopped and go on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from lookalike import config

Task = TypeVar("Task")
Result = TypeVar("Result")

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
FOLDER = Path(__file__).parent / "results"


class KeptResults:
    """The results of each part by name, in a file with a line of JSON for each.

    Parts that were measured with other options do not count. Of a quick run nothing is read or
    written.
    """

    def __init__(
        self, name: str, options: dict[str, Any], order: list[str], *, quick: bool = False
    ) -> None:
        self.path, self.options, self.order = FOLDER / f"{name}.jsonl", options, order
        self.quick = quick
        self.parts: dict[str, dict[str, Any]] = {}
        known = self.path.exists() and not quick
        for line in self.path.read_text(encoding="utf-8").splitlines() if known else ():
            part = json.loads(line)
            if part.pop("options") == options:
                self.parts[part.pop("name")] = part

    def keep(self, name: str, part: dict[str, Any]) -> None:
        """Keep the result of a part, in the place of an earlier one."""
        self.parts[name] = part
        self._write(
            self.path,
            *(
                json.dumps({"name": one, "options": self.options, **self.parts[one]})
                for one in self.order
                if one in self.parts
            ),
        )

    def write_table(self, table: str) -> None:
        """Write the results so far, as a reader sees them, beside the lines of JSON."""
        self._write(self.path.with_suffix(".txt"), table)

    def _write(self, path: Path, *lines: str) -> None:
        if not self.quick:
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def ordered(self) -> list[dict[str, Any]]:
        """Return the results so far."""
        return [self.parts[one] for one in self.order if one in self.parts]


def measure_each(
    measure: Callable[[Task], Result], tasks: Iterable[Task], jobs: int
) -> Iterator[tuple[Task, Result]]:
    """Return each task with its result, in order; more than one job: processes side by side."""
    if jobs == 1:
        yield from ((task, measure(task)) for task in tasks)
        return
    share = max(1, (os.cpu_count() or 1) // jobs)
    os.environ |= dict.fromkeys(THREAD_VARIABLES, str(share))  # for the libraries of processes
    spawned = get_context("spawn")
    with ProcessPoolExecutor(jobs, spawned, limit_threads, (share,)) as processes:
        listed = list(tasks)
        yield from zip(listed, processes.map(measure, listed), strict=True)


def limit_threads(threads: int) -> None:
    """Use so many threads in this process."""
    config(threads=threads)


@cache
def current_commit() -> str:
    """Return the commit of the working tree."""
    import subprocess

    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"
