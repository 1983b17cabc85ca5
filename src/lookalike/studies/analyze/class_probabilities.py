"""Out-of-fold class probabilities of the selected model and a random forest: the label audit."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import RidgeClassifierCV
from sklearn.pipeline import Pipeline

from lookalike.data.kept_rows import read_only
from lookalike.decisions import Decisions
from lookalike.explain.audit.out_of_fold import out_of_fold_probabilities
from lookalike.explain.forest import MOST_DRAWN, TREES, out_of_bag_probabilities
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.kernel_classifier import SoftNeighborsClassifier
from lookalike.models.neighbors.nca import NeighborhoodComponentsAnalysis
from lookalike.models.rbf.classifier import RBFNetworkClassifier
from lookalike.studies.evaluate.metrics import class_shares
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.select.budget import Deadline
from lookalike.studies.select.model_selection import ModelSelection
from lookalike.typing import AnyArray, Array

FOLDS = 5
SPLIT = 4e-8  # seconds for a row of a column at a level of a tree
ANSWER = 3e-7  # seconds in which a row finds its leaf, and the votes there are added
WINNER = "the selected model"
NEIGHBORS = ("nearest", "knn", "knn_weighted", "tfidf_knn")  # which the audit has of its own


def class_probabilities(
    selection: ModelSelection,
    dataset: Dataset,
    Z: AnyArray,
    *,
    deadline: Deadline,
    seed: int,
    decisions: Decisions,
) -> dict[str, Array]:
    """Return the probabilities of `WINNER` and of a random forest, by name.

    Those of a row are from models that did not see its label: fitted to other folds, or trees that
    did not draw it. Each is left out where it would not fit the time; the neighbors of the audit
    are always there. The forest takes preprocessed rows `Z`, not of documents.
    """
    labels, codes = np.unique(np.asarray(dataset.y), return_inverse=True)
    seconds = next(one.seconds for one in selection.candidates if one.name == selection.winner)
    models: dict[str, tuple[float, Callable[[], Array]]] = {}
    if selection.winner not in ("baseline", *NEIGHBORS):
        models[WINNER] = (
            2 * seconds,
            lambda: winner_probabilities(selection, dataset, Z, seed),
        )
    if dataset.text is None:
        models["a random forest"] = (
            forest_seconds(*Z.shape),
            lambda: out_of_bag_probabilities(Z, codes, len(labels), seed),
        )
    found = {}
    for name, (cost, compute) in models.items():
        if refused := deadline.refuses(2 * cost):
            decisions.add("label audit", f"without {name}", refused)
        else:
            found[name] = compute()
    return found


def winner_probabilities(
    selection: ModelSelection, dataset: Dataset, Z: AnyArray, seed: int
) -> Array:
    """Return the class probabilities of every row by the winner that did not see its label.

    Preprocessing and hyperparameters are those that were selected. Kernel ridge regression and RBF
    networks are fitted once, or not again: their leave-one-out weights have a closed form. Of
    neighbors, each row is left out of those that vote for it; other models are fitted to the other
    folds.
    """
    model, labels = selection.model, np.unique(np.asarray(dataset.y))
    if selection.left_out is not None and np.isin(model.classes_, labels).all():
        return _left_out_or_held_out(model, selection.left_out(), dataset, labels)
    linear = selection.prepared.preparation.analyzed[1]
    rows = Z  # features for linear models
    if model.steps[0][1] is not selection.prepared.preprocessor(linear):
        rows = model[:1].transform(dataset.source())
    rows = rows if hasattr(rows, "tocsr") else np.asarray(rows)
    last = model.steps[-1][1]
    if isinstance(last, RBFNetworkClassifier) and last.output == "linear":
        between = model[1:-1].transform(rows) if len(model.steps) > 2 else rows
        shares: Array = with_selected_hyperparameters(last).leave_one_out_proba(between, dataset.y)
        return shares
    if isinstance(last, KNeighborsClassifier):
        return neighbor_shares(model[1:-1], last, rows, np.asarray(dataset.y), seed)
    steps = [(name, with_selected_hyperparameters(step)) for name, step in model.steps[1:]]
    return out_of_fold_probabilities(Pipeline(steps), rows, dataset.y, folds=FOLDS, seed=seed)


def neighbor_shares(
    maps: Pipeline, model: KNeighborsClassifier, rows: AnyArray, y: AnyArray, seed: int
) -> Array:
    """Return the class probabilities of every row by its neighbors, itself left out.

    Principal components do not see labels, and are those of the winner. A map that was learned from
    labels (NCA) is learned again: for each half of the rows from rows of the other half.
    """
    order = np.random.default_rng(seed).permutation(len(y))
    halves = [(order[::2], order[1::2]), (order[1::2], order[::2])]
    shares = np.zeros((len(y), len(np.unique(y))))
    for _, step in maps.steps:
        if not isinstance(step, NeighborhoodComponentsAnalysis):
            rows = read_only(np.asarray(step.transform(rows)))
            continue
        for own, others in halves:
            some = others[: step.max_samples]  # in random order
            with warnings.catch_warnings():  # those of the model that is kept are shown
                warnings.simplefilter("ignore")
                learned = clone(step).fit(rows[some], y[some])
            mapped = read_only(np.asarray(learned.transform(rows), np.float32))  # all rows, twice
            shares[own] = clone(model).fit(mapped, y)._left_out_shares(own)
        return shares
    return np.asarray(clone(model).fit(rows, y).predict_proba())


def _left_out_or_held_out(
    model: Pipeline, left_out: Array, dataset: Dataset, labels: AnyArray
) -> Array:
    """Return probabilities of training rows by the model without each, of others by the model."""
    place = {row: place for place, row in enumerate(model.training_rows_.tolist())}
    known = np.array([place.get(row, -1) for row in dataset.row.tolist()])
    shares = np.zeros((len(known), len(labels)))
    of_model = np.searchsorted(labels, model.classes_)
    trained = np.flatnonzero(known >= 0)
    shares[np.ix_(trained, of_model)] = left_out[known[trained]]
    others = np.flatnonzero(known < 0)
    if len(others):
        shares[others] = class_shares(model, dataset.take(others).source(), labels)
    return shares


def forest_seconds(n_rows: int, n_columns: int) -> float:
    """Return how long the random forest takes, roughly."""
    drawn = min(n_rows, MOST_DRAWN)
    grown = drawn * math.log2(drawn + 1) * math.sqrt(n_columns)
    return TREES * (SPLIT * grown + ANSWER * n_rows)


def with_selected_hyperparameters(model: object) -> BaseEstimator:
    """Return a model that is not fitted, with the hyperparameters that `model` selected.

    Examples
    --------
    >>> fitted = RidgeClassifierCV(alphas=[0.1]).fit([[0.0], [1.0], [2.0]], [0, 0, 1])
    >>> with_selected_hyperparameters(fitted).alphas
    [0.1]
    """
    if isinstance(model, RidgeClassifierCV):
        return RidgeClassifierCV(alphas=[float(model.alpha_)])
    if isinstance(model, SoftNeighborsClassifier):
        return clone(model).set_params(bandwidth=model.bandwidth_)
    if isinstance(model, RBFNetworkClassifier):
        chosen = {"n_centers": len(model.centers_), "width": float(model.width_)}
        return clone(model).set_params(**chosen, alpha=float(model.alpha_))
    return clone(model)
