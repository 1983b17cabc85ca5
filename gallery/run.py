"""Run the examples: `make gallery`, or python gallery/run.py [NAME ...].

Every example runs, one after another; gallery/index.html shows their pictures and figures, and
gallery/measured.json keeps the figures, from which the tables of the docs are made. The exit
code is 1 if a figure does not match its source or an example fails. Examples whose data are not
there are skipped, and listed with the reason.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
import traceback
from pathlib import Path
from typing import NamedTuple

from page import write_page
from record import HERE, Figure, Picture, Record, as_text, counted, missing_data
from tables import refresh_docs

MEASURED = HERE / "measured.json"
QUICK = (  # examples of a second or two without data files
    "angles",
    "bayes_line",
    "circle",
    "curves",
    "discriminant",
    "editing",
    "em_film",
    "kd_tree",
    "kernel_circles",
    "priors",
    "projections",
    "rbf_curves",
    "rings",
    "scales",
    "shells_and_bins",
    "ten_points",
    "voronoi",
)


class Result(NamedTuple):
    """An example after its run."""

    name: str
    title: str
    source: str
    systems: tuple[str, ...]
    rows: list[Figure]
    pictures: list[Picture]
    seconds: float
    skipped: str = ""
    failed: str = ""


def examples() -> list[str]:
    """Return the names of all examples: the files that define `figures`."""
    files = sorted(HERE.glob("*.py"))
    return [file.stem for file in files if "\ndef figures(" in file.read_text(encoding="utf-8")]


def run(name: str, pictures: Path) -> Result:
    """Run one example."""
    module = importlib.import_module(name)
    record = Record(module.SOURCE, pictures)
    skipped, failed = missing_data(module), ""
    start = time.perf_counter()
    if not skipped:
        try:
            module.figures(record)
        except Exception:
            failed = traceback.format_exc()
    title = (module.__doc__ or name).split("\n\n")[0].replace("\n", " ").strip()
    return Result(
        name,
        title,
        module.SOURCE,
        tuple(module.SYSTEMS),
        record.rows,
        record.pictures,
        time.perf_counter() - start,
        skipped,
        failed,
    )


def keep(results: list[Result]) -> None:
    """Write the figures measured now over those of the last run, if all of an example match."""
    known = json.loads(MEASURED.read_text("utf-8")) if MEASURED.is_file() else {}
    for result in results:
        if not result.skipped and not result.failed:
            known[result.name] = [row._asdict() for row in result.rows]
    kept = {name: known[name] for name in examples() if name in known}
    MEASURED.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="examples, all if none is given")
    parser.add_argument("--out", type=Path, default=HERE, help="folder of index.html")
    options = parser.parse_args()
    results = []
    for name in options.names or examples():
        print(f"\n{name}", end="", flush=True)
        result = run(name, options.out / "pictures")
        print(f" ({result.seconds:.1f} s): {result.title}")
        print(result.failed or (f"  skipped: {result.skipped}" if result.skipped else ""), end="")
        print(as_text(result.rows) if result.rows else "", flush=True)
        results.append(result)
    keep(results)
    refresh_docs()
    write_page(results, options.out / "index.html")
    return summarize(results)


def summarize(results: list[Result]) -> int:
    """Print what matched and what did not, and return the exit code."""
    rows = [row for result in results for row in result.rows]
    wrong = [(result.name, row) for result in results for row in result.rows if row.match is False]
    failed = [result.name for result in results if result.failed]
    skipped = [result.name for result in results if result.skipped]
    print(f"\n{len(results) - len(skipped)} examples. They match their sources: {counted(rows)}.")
    print(f"{len(wrong)} do not; {len(failed)} examples failed, {len(skipped)} were skipped.")
    for name, row in wrong:
        print(f"  {name}: {row.name}: printed {row.printed}, measured {row.measured}")
    for name in failed:
        print(f"  {name} failed")
    print(f"{sum(result.seconds for result in results):.0f} s")
    return 1 if wrong or failed else 0


if __name__ == "__main__":
    sys.exit(main())
