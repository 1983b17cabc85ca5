"""Label spreading: classes flow to the rows without a target, and from them to held-out rows.

It is a reference: it shows whether those rows are of use, and is not kept in the model file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp

from lookalike.models.semi_supervised.propagation import TARGET_OF_UNLABELED, LabelSpreading
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.candidates import SECONDS_PER_OPERATION, search_cost
from lookalike.studies.select.references import LibraryClassifier
from lookalike.studies.select.training_rows import ProblemSize, TrainingRows
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


SPREADING_NAME = "spreading"
MAX_SPREAD_ROWS = 20_000  # rows without a target, of more a fixed sample
SPREADING_NEIGHBORS = 10  # that each row of the graph has
SPREADING_SHARE = 0.99  # of what a row says that comes from its neighbors, as in [Zhou04]
SPREADING_ROUNDS = 200  # at most


class SpreadingClassifier(LibraryClassifier):
    """Label spreading over labeled rows and rows without a target, with labels of any type."""

    classes_: AnyArray

    def spread(self, X: Any, y: AnyArray, unlabeled: Any) -> Self:
        """Let the labels of `X` flow to the other rows, along the graph of nearest rows."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        stack: Any = sp.vstack if sp.issparse(X) else np.concatenate
        target = np.concatenate([codes, np.full(unlabeled.shape[0], TARGET_OF_UNLABELED)])
        k = min(SPREADING_NEIGHBORS, len(target))
        model = LabelSpreading(
            "knn", n_neighbors=k, alpha=SPREADING_SHARE, max_iter=SPREADING_ROUNDS
        )
        self.model_: LabelSpreading = model.fit(stack([X, unlabeled]), target)
        return self


def spread_rows(unlabeled: Dataset, seed: int) -> Dataset:
    """Return the rows without a target that labels are spread to: all, or a fixed sample."""
    return unlabeled.take(unlabeled.drawn(MAX_SPREAD_ROWS, seed))


def spreading_candidate(dataset: Dataset) -> CandidateSpec:
    """Return the candidate for rows of which some have no target."""
    others = 0 if dataset.unlabeled is None else len(dataset.unlabeled)
    return CandidateSpec(
        SPREADING_NAME,
        "Reference: label spreading",
        f"Classes flow along nearest rows to {others:,} rows without a target; not kept.",
        _fit_spreading,
        _spreading_cost,
        tasks=("classification",),
        features="linear" if dataset.text is None else "lsa",
        reference=True,
    )


def _fit_spreading(training: TrainingRows) -> FittedCandidate:
    unlabeled = training.unlabeled
    if unlabeled is None:
        unlabeled = training.Z[:0]
    model: BaseEstimator = SpreadingClassifier().spread(training.Z, training.y, unlabeled)
    chosen = {"rows without a target": f"{unlabeled.shape[0]:,}", "K": str(SPREADING_NEIGHBORS)}
    return FittedCandidate((("model", model),), chosen)


def _spreading_cost(size: ProblemSize) -> float:
    rows = size.rows + MAX_SPREAD_ROWS
    return 0.1 + search_cost(size) + 1e3 * SECONDS_PER_OPERATION * rows
