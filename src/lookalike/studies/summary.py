"""The summary of a study: its results in sentences, the most important first."""

from __future__ import annotations

from lookalike.studies.findings.all_rows import on_all_rows
from lookalike.studies.findings.data import (
    dimension_is_lower,
    on_audit,
    on_clusters,
    on_dimension,
    on_features,
    on_terms,
)
from lookalike.studies.findings.estimates import on_model, on_other_splits
from lookalike.studies.findings.leakage import on_leakage
from lookalike.studies.findings.limits import on_bayes_error, on_more_rows, on_prototypes
from lookalike.studies.findings.profiles import (
    on_calibration,
    on_classes,
    on_columns,
    on_prediction_intervals,
    on_target,
)
from lookalike.studies.results import Finding, Study


def summarize(study: Study) -> tuple[Finding, ...]:
    """Return the findings of all parts that a study has; those that say nothing are left out."""
    findings: list[Finding | None] = [on_leakage(study), on_model(study), on_classes(study)]
    findings.append(on_all_rows(study))
    findings += on_other_splits(study)
    if study.calibration is not None:
        findings.append(on_calibration(study.calibration))
    if study.prediction_intervals is not None:
        findings.append(on_prediction_intervals(study.prediction_intervals))
    findings += [on_bayes_error(study), on_more_rows(study), on_target(study), on_columns(study)]
    if study.clustering is not None:
        findings.append(on_clusters(study.clustering))
    if study.audit is not None:
        findings.append(on_audit(study.audit))
    if dimension_is_lower(study):
        findings.append(on_dimension(study))
    if study.held_out is not None and study.feature_importance:
        if study.data_kind == "texts":
            findings.append(on_terms(study.feature_importance))
        else:
            findings.append(on_features(study.feature_importance, study.held_out.metric))
    if study.prototype_selection is not None:
        findings.append(on_prototypes(study.prototype_selection))
    return tuple(finding for finding in findings if finding is not None)
