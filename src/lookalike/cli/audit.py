"""`lookalike audit`: rows that deserve a second look."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import Data, Json, K, OutCsv, Scale, Task

if TYPE_CHECKING:
    from lookalike.explain.audit.audit import Audit

SHOWN = 5
Target = Annotated[str | None, typer.Option(help="The column of labels or numbers.")]
Test = Annotated[str | None, typer.Option(help="Rows that should not be among those of DATA.")]


def audit(  # noqa: PLR0917 - typer reads the options off
    data: Data,
    target: Target = None,
    task: Task = "auto",
    test: Test = None,
    k: K = 10,
    scale: Scale = False,
    out: OutCsv = None,
    json: Json = False,
) -> None:
    """Look for rows of DATA that are mislabeled, doubled, lonely, or everybody's neighbor.

    Example: lookalike audit wine --scale

    Example: lookalike audit train.csv --target y --test test.csv -o audit.csv
    """
    from lookalike.cli.load_data import open_rows
    from lookalike.cli.output import Sheet, show, show_json
    from lookalike.errors import ParameterError
    from lookalike.explain.audit.audit import audit as make_audit

    rows = open_rows(data, target=target, scale=scale)
    other = open_rows(test, target=target) if test is not None else None
    if other is not None and (scale or other.names != rows.names):
        raise ParameterError(
            f"--test {test}: its columns are not those of {data} as they are, which --scale and "
            "categories change. Give tables of the same numbers."
        )
    found = make_audit(rows.X, rows.y, k=k, test=None if other is None else other.X, task=task)
    if out is not None:
        _write(found, out)
    counts = {kind: found.rows(kind) for kind in found.kinds}
    if json:
        told = {"k": found.k, "dimension": found.dimension, "rows": rows.X.shape[0]}
        show_json({**told, "found": counts, "decisions": [str(one) for one in found.decisions]})
        return
    lines = [
        (kind, len(numbers), ", ".join(map(str, numbers[:SHOWN])) or "none")
        for kind, numbers in counts.items()
    ]
    parts: list[Any] = [Sheet(f"{data}: {rows.X.shape[0]} rows", ("kind", "rows", "worst"), lines)]
    show([*parts, *([f"Audit: {out}"] if out is not None else [])])


def _write(found: Audit, out: Path) -> None:
    """Write a line a row: its flags and its scores."""
    from lookalike.cli.output import save_csv

    scores = {
        "mislabel": found.mislabel,
        "suggested": found.suggested,
        "deviation": found.deviation,
        "duplicate_of": found.duplicate_of,
        "near_duplicate_of": found.near_duplicate_of,
        "outlier": found.outlier,
        "occurrences": found.occurrences,
    }
    kept = {name: values for name, values in scores.items() if values is not None}
    flags: list[list[str]] = [[] for _ in found.outlier]
    for kind in found.kinds:
        for row in found.rows(kind) if kind != "leak" else ():
            flags[row].append(kind)
    cells = zip(*kept.values(), strict=True)
    lines = ((row, " ".join(flags[row]), *line) for row, line in enumerate(cells))
    save_csv(out, ["row", "flags", *kept], lines)
