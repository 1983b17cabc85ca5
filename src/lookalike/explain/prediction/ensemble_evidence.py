"""The evidence of an ensemble: its members with their shares, and what each training row adds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lookalike.explain.prediction.explanation import EnsembleEvidence, Explanation, MemberShare
from lookalike.explain.prediction.row_contributions import calibrated, row_contributions
from lookalike.explain.prediction.table_model import TableModel, without_name_warnings
from lookalike.models.ensemble.base import WeightedEnsemble, ensemble_members


class PredictedOutput(NamedTuple):
    """Which of the outputs is explained: the number, or the probability of the predicted class."""

    column: int
    label: object  # None of numbers


def with_members(explanation: Explanation, model: TableModel, rows: object) -> Explanation:
    """Return the explanation of one row with the members and training rows of an ensemble.

    Other models are left as they are.
    """
    ensemble = model.last
    if not isinstance(ensemble, WeightedEnsemble):
        return explanation
    prepared, _ = model.prepared(rows)
    x = np.asarray(prepared)
    output = _predicted_output(explanation, ensemble)
    with without_name_warnings():
        contributions = row_contributions(ensemble, x)
        members = tuple(
            MemberShare(name, weight, float(_outputs(ensemble, member, x)[output.column]))
            for name, member, weight, _ in ensemble_members(ensemble)
        )
    calibration = getattr(model.model, "calibration", None)
    if calibration is not None:
        contributions = calibrated(contributions, calibration)
    added = contributions.added[:, output.column]
    order = np.argsort(-np.abs(added), kind="stable")
    order = order[added[order] != 0]
    evidence = EnsembleEvidence(
        members,
        model.data_rows(order),
        added[order],
        float(contributions.constant[output.column]),
        float(contributions.prediction[output.column]),
        output.label,
    )
    return replace(explanation, ensemble=evidence)


def _predicted_output(explanation: Explanation, ensemble: object) -> PredictedOutput:
    """Return the output that the prediction is of."""
    if not hasattr(ensemble, "classes_"):
        return PredictedOutput(0, None)
    column = int(np.flatnonzero(ensemble.classes_ == explanation.prediction)[0])
    return PredictedOutput(column, explanation.prediction)


def _outputs(ensemble: WeightedEnsemble, member: object, x: object) -> Any:
    return np.atleast_1d(ensemble.member_outputs(member, x)[0])
