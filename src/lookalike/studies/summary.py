"""The summary of a study: its claims in sentences, the most important first."""

from __future__ import annotations

from lookalike.studies.findings import (  # noqa: F401 - they register their kinds of claims
    all_rows,
    columns,
    data,
    leakage,
    limits,
    model,
    reliability,
    slices,
    splits,
)
from lookalike.studies.findings.claim import CLAIM_KINDS
from lookalike.studies.results import Finding, Study

SUMMARY_ORDER = (
    "skipped",
    "groups",
    "leakage",
    "requested_score",
    "rare_classes",
    "thresholds",
    "model",
    "baseline",
    "equal_models",
    "references",
    "few_rows",
    "heavy_tails",
    "slices",
    "integers",
    "similar_labels",
    "all_rows",
    "all_rows_error",
    "all_rows_leakage",
    "duplicates",
    "time",
    "persistence",
    "calibration",
    "prediction_intervals",
    "bayes_error",
    "learning_curve",
    "capped_target",
    "columns",
    "clustering",
    "audit",
    "feature_importance",
)
REPORT_ONLY = ("estimated_dimension", "intrinsic_dimension", "prototype_selection")


def summarize(study: Study) -> tuple[Finding, ...]:
    """Return the findings of all parts that a study has; those that say nothing are left out."""
    findings = (CLAIM_KINDS[kind].finding(study) for kind in SUMMARY_ORDER)
    return tuple(finding for finding in findings if finding is not None)
