"""The data audit alone: rows are read and prepared, and a model is selected, as in a study."""

from __future__ import annotations

from typing import Any

from lookalike.errors import ShapeError
from lookalike.studies.all_rows.audit_rows import AllRowsAudit
from lookalike.studies.analysis_results import AuditSummary
from lookalike.studies.analyze.analyses import run_audit
from lookalike.studies.analyze.data_audit import AUDIT_NEIGHBORS
from lookalike.studies.context import StudyContext, StudyOptions, load_context
from lookalike.studies.evaluate.evaluation import HeldOutResult, evaluate
from lookalike.studies.select.budget import Budget, parse_seconds
from lookalike.studies.study import split_context
from lookalike.validation import check_int


def audit_data(
    X: object,
    y: object = None,
    *,
    time: str | float | None = "5m",
    k: int = AUDIT_NEIGHBORS,
    **options: Any,
) -> tuple[AuditSummary, StudyContext, str | None, AllRowsAudit | None]:
    """Audit a table, images or documents: the audit of :func:`lookalike.study`, row by row.

    Parameters
    ----------
    X, y, time
        As in :func:`lookalike.study`.
    k : int, default=10
        Neighbors of each row.
    **options
        target, text, dialect, task, test, split, metric and seed, as in :func:`lookalike.study`.

    Returns
    -------
    audit : AuditSummary
        How many rows of each kind there are, and the table of all rows.
    context : StudyContext
        The data as they were read, with the task and what was decided.
    winner : str or None
        The model whose probabilities were used.
    all_rows : AllRowsAudit or None
        Where the audit is of a sample of the rows.

    Examples
    --------
    >>> audit, context, winner, _ = audit_data("iris")
    >>> audit.counts["duplicate"], context.task.name
    (1, 'classification')
    """
    budget = Budget(parse_seconds(time))
    with budget.stage("reading"):
        given = StudyOptions(X, y, **options)
        context = load_context(given, budget)
    split = split_context(context)
    result = None
    if split is not None and context.task is not None:
        result = evaluate(context, context.task, split)
    audit = run_audit(context, result, split, check_int("k", k, least=2))
    if audit is None:
        why = [d for d in context.decisions if d.choice == "skipped"]
        raise ShapeError(f"The rows could not be audited. {'; '.join(map(str, why))}.")
    winner = None if result is None else result.selection.winner
    return audit, context, winner, _of_all_rows(context, result, audit)


def _of_all_rows(
    context: StudyContext, result: HeldOutResult | None, summary: AuditSummary
) -> AllRowsAudit | None:
    """Return the audit of all rows of a table that does not fit memory; it is read when used."""
    source = context.source
    table = len(context.dataset) < (source.n_rows or 0) and context.dataset.data_kind == "table"
    if not context.dataset.sampled or not source.repeatable or not table:
        return None
    model = None if result is None else result.selection.model
    return AllRowsAudit(context, source, model, summary.noise_rate, summary.table)
