"""Whether the sentences of studies are true, on problems whose answer is known.

Run: python -m benchmarks.bench_truth [--quick] [--seeds N] [--problems TEXT] [--jobs N] [--time T]
A full run with --time 25s took 20 minutes of a loaded core.

Each problem is studied with default settings, and every sentence of its summary is judged by the
truth check of its kind. Printed: a line for each study, its false and misleading sentences, and at
the end the table kind × verdict.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from benchmarks.timing import BenchParser
from benchmarks.truth.checks import VERDICTS, Truth, judge
from benchmarks.truth.problems import PROBLEMS
from lookalike.engines.blas import single_threaded_blas

TIME_LIMIT, QUICK_TIME_LIMIT = "120s", "5s"
SHOWN = ("false", "misleading")  # verdicts whose sentences are printed


class Sentence(NamedTuple):
    """A sentence of a study with its verdict."""

    problem: str
    seed: int
    kind: str
    verdict: str
    text: str


def judge_study(name: str, seed: int, limit: str = TIME_LIMIT) -> list[Sentence]:
    """Study the rows of a problem, and judge every sentence of the summary."""
    import lookalike

    warnings.simplefilter("ignore")
    drawn = next(one for one in PROBLEMS if one.name == name).rows(seed)
    with single_threaded_blas():
        study = lookalike.study(
            drawn.studied, target=drawn.target, time=limit, seed=seed, **drawn.options
        )
        truth = Truth(drawn, study)
        return [
            Sentence(name, seed, one.kind, judge(truth, one), one.text) for one in study.summary
        ]


def print_table(sentences: Iterable[Sentence]) -> None:
    """Print how many sentences of each kind have each verdict."""
    counts = Counter((one.kind, one.verdict) for one in sentences)
    total = Counter(one.verdict for one in sentences)
    print(f"{'kind':24s}" + "".join(f"{verdict:>12s}" for verdict in VERDICTS))
    for kind in sorted({kind for kind, _ in counts}):
        print(f"{kind:24s}" + "".join(f"{counts[kind, verdict]:12d}" for verdict in VERDICTS))
    print(f"{'all':24s}" + "".join(f"{total[verdict]:12d}" for verdict in VERDICTS))


def main() -> None:
    parser = BenchParser(__doc__, seeds=(1, 1))
    parser.add_argument("--problems", default="", help="those whose names have this text")
    parser.add_argument("--jobs", type=int, default=2, help="processes, each of one thread")
    parser.add_argument("--time", default="", help=f"of a study, {TIME_LIMIT} unless told")
    options = parser.parse_args()
    chosen = [
        one.name
        for one in PROBLEMS
        if options.problems in one.name and (one.quick or not options.quick)
    ]
    limit = options.time or (QUICK_TIME_LIMIT if options.quick else TIME_LIMIT)
    what = f"--seeds {options.seeds} --time {limit}: {len(chosen)} problems"
    print(f"python -m benchmarks.bench_truth {what}", flush=True)
    begin, sentences = time.monotonic(), []
    with ProcessPoolExecutor(options.jobs) as pool:
        running = [
            (name, seed, pool.submit(judge_study, name, seed, limit))
            for seed in range(options.seeds)
            for name in chosen
        ]
        for name, seed, future in running:
            try:
                found = future.result()
            except Exception as error:
                print(f"{name} ({seed}): {type(error).__name__}: {error}", flush=True)
                continue
            sentences += found
            kinds = ", ".join(one.kind for one in found)
            print(f"{name} ({seed}), at {time.monotonic() - begin:.0f} s: {kinds}", flush=True)
            for one in found:
                if one.verdict in SHOWN:
                    print(f"  {one.verdict} | {one.kind} | {one.text}", flush=True)
    print()
    print_table(sentences)
    print(f"({time.monotonic() - begin:.0f} s)")


if __name__ == "__main__":
    main()
