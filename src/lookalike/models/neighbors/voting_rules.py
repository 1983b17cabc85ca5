"""How votes of neighbors decide for a fitted classifier: weights, ties, priors and costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import ParameterError
from lookalike.kernels.votes import VotingRule
from lookalike.models.labels import Labels
from lookalike.models.priors import as_costs, as_priors
from lookalike.typing import Array

if TYPE_CHECKING:
    from lookalike.models.neighbors.classifier import NeighborsClassifier


def voting_rules(model: NeighborsClassifier) -> list[VotingRule]:
    """Return how votes decide, for each output."""
    targets, weight = model.targets_, model.space_.weight
    return [voting_rule(model, targets, j, weight) for j in range(len(targets.classes))]


def voting_rule(
    model: NeighborsClassifier, targets: Labels, output: int, weight: Array | None
) -> VotingRule:
    """Return how votes for one output of these targets decide."""
    classes = targets.classes[output]
    counts = np.bincount(targets.codes[:, output], weight, minlength=len(classes))
    if (model.cost is not None or isinstance(model.priors, Mapping)) and not targets.flat:
        raise ParameterError("priors and cost are of one output, y has several. Fit each.")
    return VotingRule(
        len(classes),
        model.weighting,
        model.ties,
        counts / counts.sum(),
        prior=None if model.priors is None else as_priors(model.priors, classes, counts),
        cost=as_costs(model.cost, classes),
    )
