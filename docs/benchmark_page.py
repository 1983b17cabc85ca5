"""Write docs/benchmarks.md and the table of README from benchmarks/results: `make figures`.

Every ratio is read from the file that a benchmark wrote; nothing is typed by hand. A test compares
both pages with what this program would write.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"
BEGIN, END = "<!-- figures of benchmarks/results -->\n", "<!-- end of figures -->"
HEAD_OF_TABLE = re.compile(r"\s+median +least +most +ratio")
LINE_OF_TABLE = re.compile(r"  (\S.*?)\s+([\d.]+)s\s+\S+\s+\S+\s+([\d.]+)x")
DATA = re.compile(r"\S.*?\d+ x \d+[^;:]*")  # a line that says what the tables below it are of
OTHER_PROGRAMS = {  # of results whose program has another name than bench_*
    "compare_trees": "compare_trees",
    "exact_avx2": "bench_exact",
    "exact_strongest": "bench_exact",
    "label_errors": "label_errors",
    "scale_simulation": "scale_simulation",
    "study_speed": "study_speed",
    "winner_boosted": "winner_study",
    "winner_ensemble": "winner_study",
    "winner_study": "winner_study",
}


class Anchor(NamedTuple):
    """A row of README: what was timed against what, and where the ratio stands."""

    work: str
    peer: str
    file: str
    patterns: tuple[str, ...]  # each finds figures in the file, in its groups
    form: str  # of all figures: f0 is the first, r1 the second divided by the first


ANCHORS = (
    Anchor(
        "exact neighbors, MNIST 60k ← 2k queries, k = 10; k = 100, index built",
        "the quicker of FAISS IndexFlatL2 and Panorama",
        "exact_strongest",
        (r"2000 queries, k = 10 .*? ([\d.]+)x \(", r"2000 queries, k = 100 .*? ([\d.]+)x \("),
        "{f0:.1f}×; {f1:.1f}×",
    ),
    Anchor(
        "the same, one query at a time",
        "FAISS Panorama",
        "exact_strongest",
        (r"50 queries, one at a time .*? ([\d.]+)x \(",),
        "{f0:.1f}×",
    ),
    Anchor(
        "1M × 128, SIFT-like, 1,000 queries, k = 10: index built; fit, build and search",
        "FAISS IndexFlatL2",
        "exact_strongest",
        (r"index built .*? (\d+)x\n", r"fit, build, search .*? ([\d.]+)x to ([\d.]+)x"),
        "{f0:.0f}×; {f1:.1f}× to {f2:.1f}×",
    ),
    Anchor(
        "one H200: 1M × 128, 10k queries, k = 10, every query certified",
        "torch `matmul` and `topk`; FlashLib, both float32",
        "gpu_exact",
        (r"1,048,576 x 128, 10,000, 10, 0, float32 \| ([\d.]+) .*?\| ([\d.]+) .*?\| ([\d.]+) ",),
        "{f0:.1f} ms: {r1:.0f}×; {r2:.1f}×",
    ),
    Anchor(
        "KD-tree, 1M 3-D points, all their 8 neighbors, with build",
        "pykdtree; scipy",
        "kdtree",
        (r"uniform 1M x 3 float32 +k=8 .*?pykdtree +([\d.]+)x scipy +([\d.]+)x",),
        "{f0:.1f}×; {f1:.1f}×",
    ),
    Anchor(
        "choosing K from 1 to 25, 10k rows of MNIST",
        "scikit-learn grid search",
        "k_selection",
        (r"against a grid[^|]*?all curves +\S+ +\S+ +\S+ +([\d.]+)x",),
        "{f0:.0f}×",
    ),
    Anchor(
        "k-means, MNIST 60k, k = 100, 50 iterations",
        "scikit-learn-intelex",
        "kmeans",
        (r"lookalike +([\d.]+)s", r"scikit-learn-intelex +([\d.]+)s"),
        "{r1:.1f}×",
    ),
    Anchor(
        "PCA, 60k × 784 → 50, exact",
        "scikit-learn `covariance_eigh`",
        "pca",
        (r"lookalike +\S+ +\S+ +\S+ +([\d.]+)x",),
        "{f0:.2f}×",
    ),
)


class TimedTable(NamedTuple):
    """A table that benchmarks/timing.py printed: ours, and the quickest peer."""

    file: str
    work: str
    seconds: float
    peer: str
    ratio: float


def row_of(anchor: Anchor) -> str:
    """Return a row of the table in README."""
    text = (RESULTS / f"{anchor.file}.txt").read_text("utf-8")
    figures: list[float] = []
    for pattern in anchor.patterns:
        match = re.search(pattern, text)
        assert match is not None, f"{anchor.file}.txt has no {pattern}"
        figures.extend(map(float, match.groups()))
    values = {f"f{i}": figure for i, figure in enumerate(figures)}
    ratios = {f"r{i}": figure / figures[0] for i, figure in enumerate(figures)}
    return f"| {anchor.work} | {anchor.peer} | {anchor.form.format(**values, **ratios)} |"


def table_of_readme() -> str:
    """Return the eight rows of README."""
    head = ["| work | compared with | ratio |", "|---|---|---|"]
    return "\n".join([*head, *map(row_of, ANCHORS)]) + "\n"


def timed_tables(path: Path) -> list[TimedTable]:
    """Return the tables of a file in which a peer was timed beside us."""
    lines = path.read_text("utf-8").splitlines()
    tables, data = [], ""
    for number, line in enumerate(lines):
        if HEAD_OF_TABLE.match(line):
            title = lines[number - 1].strip()
            work = title if not data or title.startswith(data) else f"{data}, {title}"
            tables += _timed(path.stem, work, lines[number + 1 :])
        elif match := DATA.match(line):
            data = match[0].strip()
    return tables


def _timed(name: str, work: str, lines: list[str]) -> list[TimedTable]:
    """Return the table of these lines; none where it has no peer."""
    times = {}
    for line in lines:
        match = LINE_OF_TABLE.match(line)
        if match is None:
            break
        times[match[1]] = float(match[2]), float(match[3])
    (ours, (seconds, ratio)), *_ = times.items()
    peers = {peer: time for peer, time in times.items() if not peer.startswith("lookalike")}
    if not ours.startswith("lookalike") or not peers:
        return []
    peer = max(peers, key=lambda each: peers[each][1])  # ratios are to one of them: the quickest
    return [TimedTable(name, work, seconds, peer, ratio / peers[peer][1])]


def title_of(path: Path) -> str:
    """Return what a program says of itself in its first sentence."""
    program = ROOT / "benchmarks" / f"{program_of(path.stem)}.py"
    text = ast.get_docstring(ast.parse(program.read_text("utf-8")))
    assert text is not None
    return text.split("\n\n")[0].replace("\n", " ")


def program_of(name: str) -> str:
    """Return the program that wrote a file of results."""
    return OTHER_PROGRAMS.get(name, f"bench_{name}")


def page() -> str:
    """Return the page of benchmarks."""
    files = sorted(RESULTS.glob("*.txt"))
    tables = [table for file in files for table in timed_tables(file)]
    timed = [
        f"| `{t.file}` | {t.work} | {t.seconds:.3g} s | {t.peer} | {t.ratio:.1f}× |" for t in tables
    ]
    programs = [
        f"| `{file.stem}.txt` | {title_of(file)} | `python -m benchmarks.{program_of(file.stem)}` |"
        for file in files
    ]
    return "\n".join(
        [
            INTRODUCTION,
            table_of_readme(),
            TIMED,
            *timed,
            PROGRAMS,
            *programs,
            "",
        ]
    )


INTRODUCTION = """# Benchmarks

`make figures` writes this page from `benchmarks/results/`, which holds what the programs of
`benchmarks/` printed, with the machine, the commit and, where other work ran, the load. Ways are
timed in turns in one process, two threads each, on two cores (AMD EPYC, AVX-512) unless the file
says otherwise. A ratio is that of medians, above 1 where ours is quicker. Files of an older commit
are older: `make bench BENCH="pca lsa"` measures them again on your machine.

## The eight of the README
"""
TIMED = """
## Every table with a peer, beside the quickest one

| file | work | ours | quickest peer | ratio |
|---|---|---|---|---|"""
PROGRAMS = """
## What is measured, and by which program
Besides time: coverage, errors of whole studies, memory, recall. Programs of the GPU need one.

| file | the program | run |
|---|---|---|"""


def readme_with_figures(text: str) -> str:
    """Return README with its table as the files of results have it."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{table_of_readme()}{END}{after}"


def main() -> None:
    """Write both pages."""
    PAGE.write_text(page(), "utf-8")
    README.write_text(readme_with_figures(README.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
