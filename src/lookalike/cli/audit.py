"""`lookalike audit`: probable label errors, duplicates, outliers and hubs."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.options import Data, Json, K, OutCsv, Scale, Target, Task

SHOWN = 5  # rows listed of each kind
Test = Annotated[str | None, typer.Option(help="Test rows, to check for train/test leakage.")]


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
    """Find probable label errors, duplicates, outliers and hubs among the rows of DATA.

    With --test, also train/test leakage: test rows with an exact or near duplicate in DATA.

    Example: lookalike audit wine --scale

    Example: lookalike audit train.csv --target y --test test.csv -o audit.csv
    """
    from lookalike.cli.destination import check_destinations
    from lookalike.cli.load_data import load_numeric
    from lookalike.cli.output import print_json, print_paths, print_table, save_csv
    from lookalike.errors import ParameterError
    from lookalike.explain.audit.audit import audit as run_audit
    from lookalike.explain.audit.table import audit_table

    streamed = check_destinations(out, json=json)
    table = load_numeric(data, target=target, scale=scale)
    test_table = load_numeric(test, target=target) if test is not None else None
    if test_table is not None and (scale or test_table.names != table.names):
        raise ParameterError(
            f"--test {test}: its columns differ from those of {data}, which --scale and one-hot "
            "encoding change. Give tables of the same numeric columns."
        )
    X_test = None if test_table is None else test_table.X
    result = run_audit(table.X, table.y, k=k, test=X_test, task=task)
    if out is not None:
        flags = audit_table(result)
        save_csv(out, flags.headings(), flags.lines())
    if streamed:
        return
    flagged = {kind: result.rows(kind) for kind in result.kinds}
    n_rows = table.X.shape[0]
    if json:
        print_json(
            {
                "rows": n_rows,
                "n_neighbors": result.k,
                "intrinsic_dimension": result.dimension,
                "flagged_rows": flagged,
                "decisions": list(map(str, result.decisions)),
            }
        )
        return
    lines = [
        (kind, len(rows), ", ".join(map(str, rows[:SHOWN])) or "none")
        for kind, rows in flagged.items()
    ]
    print_table(f"{data}: {n_rows:,} rows", ("kind", "rows", "worst rows"), lines)
    print_paths({"Audit": out})
