"""The K-NN companion of a selected model that has no neighbors of its own.

It is the best K-NN candidate, fitted on the same rows: with it neighbors and explanations exist
whatever model was selected.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from lookalike.models.preprocessing.table import TablePreprocessor
from lookalike.studies.select.candidate_spec import CandidateSpec
from lookalike.studies.select.candidates import k_nearest, search_cost

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

K_NEIGHBORS = ("nearest", "knn", "knn_weighted", "pca_knn", "tfidf_knn", "lsa_knn")


def has_own_neighbors(model: Pipeline) -> bool:
    """Return whether a fitted model finds nearest training rows itself."""
    return hasattr(model[-1], "kneighbors")


def answer_any_table(model: Pipeline | None) -> Pipeline | None:
    """Return a model that is kept: it predicts rows that lack columns, with a warning.

    Categories that training rows lack are warned of too; within the study, where folds leave some
    out, they are not.
    """
    if model is None or not isinstance(model[0], TablePreprocessor):
        return model
    kept, prepare = copy(model), copy(model[0])
    prepare.set_params(absent_columns="impute", handle_unknown="warn")
    kept.steps = [(model.steps[0][0], prepare), *model.steps[1:]]
    return kept


def companion_spec(features: str) -> CandidateSpec:
    """Return K-NN on these features, for a study that compares no K-NN."""
    return CandidateSpec(
        "knn",
        "K nearest neighbors",
        "",
        lambda training: k_nearest(training, "uniform"),
        search_cost,
        features=features,
    )
