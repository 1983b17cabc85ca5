"""Whether the sentences of studies are true, on problems whose answer is known.

Run: python -m benchmarks.bench_truth [--quick] [--seeds N] [--problems TEXT] [--time T] [--again]
         [--jobs N]

Each problem is studied with default settings, and every sentence of its summary is judged by the
truth check of its kind. Results are kept study by study in ``results/truth.jsonl`` and, as a
table kind × verdict with all false, misleading and trivial sentences, in ``truth.txt``: started
again with the same options, it goes on where it was stopped; ``--again`` takes studies again.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter
from typing import Any, NamedTuple

from benchmarks.kept_results import KeptResults, current_commit, measure_each
from benchmarks.timing import BenchParser
from benchmarks.truth.checks import VERDICTS, Truth, judge
from benchmarks.truth.registry import REGISTRY
from lookalike.engines.blas import single_threaded_blas

TIME_LIMIT, QUICK_TIME_LIMIT = "120s", "5s"
SHOWN = ("false", "misleading", "trivial")  # verdicts whose sentences are printed


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
    drawn = next(one for one in REGISTRY if one.name == name).rows(seed)
    with single_threaded_blas():
        study = lookalike.study(
            drawn.studied, target=drawn.target, time=limit, seed=seed, **drawn.options
        )
        truth = Truth(drawn, study)
        return [
            Sentence(name, seed, one.kind, judge(truth, one), one.text) for one in study.summary
        ]


def verdict_table(kept: KeptResults) -> str:
    """Return the sentences that are false or misleading, and how many of each kind have which."""
    parts = kept.ordered()
    lines = [
        f"python -m benchmarks.bench_truth --seeds {kept.options['seeds']} --time "
        f"{kept.options['time']}: {len(parts)} of {len(kept.order)} studies"
    ]
    for part in parts:
        lines += [f"{part['study']}: {part['failure']}"] if "failure" in part else []
        lines += [f"{part['study']}: {' | '.join(one)}" for one in part["shown"]]
    counts = Counter[tuple[str, str]]()
    for part in parts:
        for kind, verdicts in part["verdicts"].items():
            counts.update({(kind, verdict): number for verdict, number in verdicts.items()})
    total = Counter[str]()
    for (_, verdict), number in counts.items():
        total[verdict] += number
    lines += ["", f"{'kind':24s}" + "".join(f"{verdict:>12s}" for verdict in VERDICTS)]
    for kind in sorted({kind for kind, _ in counts}):
        line = "".join(f"{counts[kind, verdict]:12d}" for verdict in VERDICTS)
        lines.append(f"{kind:24s}{line}")
    n_sentences = max(sum(total.values()), 1)
    lines.append(f"{'all':24s}" + "".join(f"{total[verdict]:12d}" for verdict in VERDICTS))
    shares = "".join(f"{100 * total[verdict] / n_sentences:11.1f}%" for verdict in VERDICTS)
    lines.append(f"{'of ' + str(n_sentences) + ' sentences':24s}{shares}")
    commits = ", ".join(sorted({part["commit"] for part in parts}))
    lines.append(f"({sum(part['seconds'] for part in parts):.0f} s in all; commits {commits})")
    return "\n".join(lines)


def measure(task: tuple[str, int, str]) -> dict[str, Any]:
    """Return the result of a study: its verdicts by kind, and the sentences that are shown."""
    name, seed, limit = task
    begin, verdicts, shown = time.monotonic(), dict[str, Counter[str]](), list[list[str]]()
    result: dict[str, Any] = {"study": f"{name} ({seed})", "commit": current_commit()}
    try:
        for one in judge_study(name, seed, limit):
            verdicts.setdefault(one.kind, Counter())[one.verdict] += 1
            if one.verdict in SHOWN:
                shown.append([one.verdict, one.kind, one.text])
    except Exception as error:
        result["failure"] = f"{type(error).__name__}: {error}"
    seconds = round(time.monotonic() - begin, 1)
    return result | {"verdicts": verdicts, "shown": shown, "seconds": seconds}


def main() -> None:
    parser = BenchParser(__doc__, seeds=(1, 1))
    parser.add_argument("--problems", default="", help="those whose names have this text")
    parser.add_argument("--time", default="", help=f"of a study, {TIME_LIMIT} unless told")
    parser.add_argument("--again", action="store_true", help="studies that have a result, too")
    parser.add_argument("--jobs", type=int, default=1, help="studies at the same time")
    given = parser.parse_args()
    problems = [one.name for one in REGISTRY if one.quick or not given.quick]
    limit = given.time or (QUICK_TIME_LIMIT if given.quick else TIME_LIMIT)
    keys = [f"{name} {seed}" for seed in range(given.seeds) for name in problems]
    kept = KeptResults("truth", {"seeds": given.seeds, "time": limit}, keys, quick=given.quick)
    tasks = [
        (name, seed, limit)
        for seed in range(given.seeds)
        for name in problems
        if given.problems in name and (f"{name} {seed}" not in kept.parts or given.again)
    ]
    for (name, seed, _), part in measure_each(measure, tasks, given.jobs):
        kept.keep(f"{name} {seed}", part)
        kept.write_table(verdict_table(kept))
        print(f"{part['study']}, {part['seconds']:.0f} s: {', '.join(part['verdicts'])}")
        for one in part["shown"]:
            print(f"  {' | '.join(one)}", flush=True)
    print(verdict_table(kept))


if __name__ == "__main__":
    main()
