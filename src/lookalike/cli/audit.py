"""`lookalike audit`: probable label errors, duplicates, outliers and hubs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import (
    Data,
    NeighborCount,
    OutputOptions,
    Seed,
    TargetOptions,
    TextColumn,
    Time,
)
from lookalike.validation import few

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lookalike.data.write.corrections import Correction
    from lookalike.decisions import Decision
    from lookalike.explain.audit.table import AuditTable
    from lookalike.studies.analysis_results import AuditSummary

ROWS_LISTED_PER_FLAG = 5  # rows listed of each kind
FLAG_SCORE_COLUMNS = {
    "mislabel": "mislabel_probability",
    "outlier": "outlier_score",
    "hub": "k_occurrences",
}
Test = Annotated[str | None, typer.Option(help="Test rows, to check for train/test leakage.")]
Apply = Annotated[
    bool, typer.Option("--apply", help="Write the corrected table beside DATA, as NAME_cleaned.")
]
Corrections = Annotated[
    Path | None,
    typer.Option(help="With --apply: these corrections (csv: row, action, label) and no audit."),
]


def audit(
    data: Data,
    *,
    target: TargetOptions,
    test: Test = None,
    text: TextColumn = None,
    k: NeighborCount = 10,
    time: Time = "5m",
    seed: Seed = 0,
    output: OutputOptions,
    apply: Apply = False,
    corrections: Corrections = None,
) -> None:
    """Find probable label errors, duplicates, outliers and hubs among the rows of DATA.

    Rows are prepared as in a study, and flagged by the same models: both agree row by row. With
    --test, also train/test leakage: test rows with an exact or near duplicate in DATA. With
    --apply, probable label errors get the suggested label, later copies of a row and empty texts
    are dropped, and what was done is written to NAME_corrections.csv, to be edited and applied
    again with --corrections. Of tables larger than memory a sample is audited; -o then writes
    exact duplicates and probable label errors of all rows, chunk by chunk.

    Example: lookalike audit wine

    Example: lookalike audit train.csv --target y --test test.csv -o audit.csv

    Example: lookalike audit train.csv --target y --apply
    """
    from lookalike.cli.destination import check_destinations
    from lookalike.cli.load_data import named_option, print_suggested_target
    from lookalike.cli.options import file_options
    from lookalike.cli.output import print_note, save_columns, save_table
    from lookalike.data.write.corrections import read_corrections
    from lookalike.errors import ColumnError, ParameterError
    from lookalike.studies.all_rows.audit_rows import AUDIT_HEADINGS
    from lookalike.studies.audit import audit_data

    streamed = check_destinations(output.file, json=output.json, inputs=(data, test, corrections))
    if corrections is not None:
        if not apply:
            raise ParameterError(
                f"--corrections {corrections} are applied by --apply. Give it too."
            )
        if any(output) or test is not None:
            raise ParameterError(
                "--corrections are applied without an audit, which -o, --json and --test are for. "
                "Leave those out."
            )
        _write(data, target.target, read_corrections(corrections), listed=False)
        return
    if apply:
        _require_table(data)
        _require_no_listing(data)
    options = {**target._asdict(), "test": test, "text": text, "seed": seed}
    try:
        summary, context, winner, all_rows = audit_data(
            data, time=time, k=k, dialect=file_options(), **options
        )
    except ColumnError as error:
        raise named_option(error) from error
    if target.target is None and context.task is None:
        print_suggested_target(context.columns, summary.n_rows)
    if all_rows is not None:
        print_note(
            f"a random sample of {summary.n_rows:,} of {all_rows.n_rows:,} rows was audited; "
            f"with -o, exact duplicates {'and labels ' if all_rows.checks_labels else ''}of all "
            "rows are written."
        )
    if output.file is not None and all_rows is not None:
        save_columns(output.file, AUDIT_HEADINGS, all_rows.pieces())
    elif output.file is not None:
        save_table(output.file, summary.table.headings(), summary.table.lines())
    if not streamed:
        _print(data, summary, output, winner=winner, decisions=context.decisions)
    if apply:
        _write(data, target.target, _suggest(summary), listed=True)


def _print(
    data: str,
    summary: AuditSummary,
    output: OutputOptions,
    *,
    winner: str | None,
    decisions: Iterable[Decision],
) -> None:
    from lookalike.cli.output import print_json, print_paths, print_table

    flagged = {kind: _worst_first(summary.table, kind) for kind in summary.counts}
    if output.json:
        print_json(
            {
                "rows": summary.n_rows,
                "n_neighbors": summary.k,
                "model": winner,
                "noise_rate": summary.noise_rate,
                "flagged_rows": flagged,
                "decisions": list(map(str, decisions)),
            }
        )
        return
    lines = [
        (kind, summary.counts[kind], few(rows, ROWS_LISTED_PER_FLAG, str) or "none")
        for kind, rows in flagged.items()
    ]
    print_table(f"{data}: {summary.n_rows:,} rows", ("kind", "rows", "worst rows"), lines)
    print_paths({"Audit": output.file})


def _worst_first(table: AuditTable, kind: str) -> list[int]:
    """Return the rows of a kind, the worst first; of test rows those that leak."""
    if kind == "leak" and table.leaks:
        return sorted(table.leaks)
    score = table.scores.get(FLAG_SCORE_COLUMNS.get(kind, ""))
    places = [index for index, flags in enumerate(table.flags) if kind in flags.split()]
    if score is not None:
        places.sort(key=lambda index: -float(score[index]))
    return [int(table.row[index]) for index in places]


def _suggest(summary: AuditSummary) -> list[Correction]:
    """Return what the audit suggests: a new label, or that a row be dropped."""
    from lookalike.data.write.corrections import Correction

    table, labels = summary.table, summary.target_kind == "label"
    corrections = []
    for index, flags in enumerate(table.flags):
        kinds, row = flags.split(), int(table.row[index])
        first = int(table.scores["duplicate_of"][index])
        if "empty" in kinds or (first not in (-1, row) and "conflict" not in kinds):
            corrections.append(Correction(row, "drop", ""))
        elif "mislabel" in kinds and labels:
            corrections.append(Correction(row, "relabel", table.scores["suggested_label"][index]))
    return corrections


def _require_table(data: str) -> None:
    """Raise where DATA is nothing that can be written again, before the work."""
    import os

    from lookalike.data.samples import BUNDLED_SAMPLES
    from lookalike.data.write.corrections import cleaned_path
    from lookalike.errors import ParameterError

    if data in BUNDLED_SAMPLES or data == "-" or os.path.isdir(data):
        raise ParameterError(
            f"--apply writes a table beside the original, and {data} is not a file of a table. "
            "Give one, or -o FILE for the audit."
        )
    cleaned_path(data)


def _require_no_listing(data: str) -> None:
    """Raise where corrections, which somebody may have edited, would be replaced."""
    from lookalike.errors import ParameterError

    if (path := _listing(data)).exists():
        raise ParameterError(
            f"{path} exists already. Apply it with --corrections {path}, or rename or remove it."
        )


def _listing(data: str) -> Path:
    """Return the file that lists what was corrected in a table."""
    from lookalike.data.formats.files import require_known

    name = Path(data).name[: -len(require_known(data).suffix)]
    return Path(data).with_name(f"{name}_corrections.csv")


def _write(data: str, target: str | None, corrections: list[Correction], *, listed: bool) -> None:
    from lookalike.cli.options import file_options
    from lookalike.cli.output import print_lines, print_paths, save_table
    from lookalike.data.write.corrections import CORRECTION_HEADINGS, write_corrected

    _require_table(data)
    path = write_corrected(data, target, corrections, file_options())
    listing = _listing(data) if listed else None
    if listing is not None:
        save_table(listing, CORRECTION_HEADINGS, corrections)
    relabeled = sum(correction.action == "relabel" for correction in corrections)
    print_lines([f"Rows: {relabeled:,} relabeled, {len(corrections) - relabeled:,} dropped."])
    print_paths({"Cleaned table": path, "Corrections": listing})
