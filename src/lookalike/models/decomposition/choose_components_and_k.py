"""The number of components and K chosen together, from one pass over the distances."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from lookalike.errors import ParameterError, ShapeError
from lookalike.index.base import Neighbors
from lookalike.kernels.votes import VotingRule
from lookalike.models.decomposition.pca import PCA
from lookalike.models.inputs import as_rows
from lookalike.models.labels import read_labels
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.voting import SPARE_NEIGHBORS_FOR_TIES, NeighborQuery, vote
from lookalike.settings import settings
from lookalike.typing import Array, Rows
from lookalike.validation import check_int, check_pair, typed


class ComponentChoice(NamedTuple):
    """Errors of every number of components M and of neighbors K."""

    components: Rows  # (ms,), from 1
    k: Rows  # (ks,), from 1
    error: Array  # (ms, ks)
    standard_error: Array  # (ms, ks)
    pca: PCA  # of as many components as were tried

    @property
    def best(self) -> tuple[int, int]:
        """The M and K of lowest error: the fewest components, then the fewest neighbors."""
        m, k = np.unravel_index(self.error.argmin(), self.error.shape)
        return int(self.components[m]), int(self.k[k])

    def pipeline(self, X: object, y: object) -> Pipeline:
        """Return the PCA and the neighbors of lowest error, fitted to the rows of the choice.

        The components are those of the choice: the rows are not decomposed again.
        """
        n_components, k = self.best
        pca = first_directions(self.pca, n_components)
        neighbors = KNeighborsClassifier(k).fit(pca.transform(X), y)
        return Pipeline([("pca", pca), ("neighbors", neighbors)])


@typed
def choose_components_and_k(
    X: object,
    y: object,
    *,
    max_components: int = 50,
    k_max: int = 25,
    validation: tuple[object, object] | None = None,
) -> ComponentChoice:
    r"""Return the error of neighbors in M principal components, for every M and K together.

    Distances in M + 1 components are those in M and one square more,

    .. math:: \|z_a - z_b\|^2_{(M+1)} = \|z_a - z_b\|^2_{(M)} + (z_{a,M+1} - z_{b,M+1})^2,

    so that one pass over the rotated rows serves every M [Barber, 15.2.4, example 15.3]. The
    directions are those of all rows of `X`; labels do not enter them.

    Parameters
    ----------
    X : table of numbers
        The rows.
    y : array of shape (n_rows,)
        Their labels.
    max_components : int, default=50
        Largest M tried; at most the number of columns, and of rows less one.
    k_max : int, default=25
        Largest K tried.
    validation : (rows, labels), optional
        Validation rows; leave-one-out over `X` when None.

    Examples
    --------
    >>> rows = [[0.0, 5.0], [0.1, 5.1], [1.0, -5.0], [1.1, -5.2]]
    >>> choose_components_and_k(rows, list("aabb"), k_max=2).best
    (1, 1)
    """
    check_int("max_components", max_components, least=1)
    check_int("k_max", k_max, least=1)
    rows, labels = as_rows(X), read_labels(y)
    if not labels.flat:
        raise ParameterError("y has several outputs. Choose for each.")
    if len(labels.codes) != len(rows):
        raise ShapeError(f"y holds {len(labels.codes)} entries, X {len(rows)} rows. Give one each.")
    n_components = min(max_components, rows.shape[1], len(rows) - 1)
    pca = PCA(n_components).fit(rows)
    Z = np.ascontiguousarray(np.asarray(pca.transform(rows), np.float64).T)
    codes = labels.codes[:, 0]
    if validation is None:
        queries, truth, alone = Z, codes, True
    else:
        other, truth = check_pair("validation", validation, "(X, y)")
        queries = np.ascontiguousarray(np.asarray(pca.transform(as_rows(other)), np.float64).T)
        truth, alone = _among(labels.classes[0], truth), False
    k_max = min(k_max, len(rows) - alone)
    wrong = np.zeros((n_components, k_max))
    batch = max(1, settings().memory // 4 // (24 * len(rows)))
    for begin in range(0, queries.shape[1], batch):
        part = np.arange(begin, min(begin + batch, queries.shape[1]))
        self_rows = part if alone else None
        wrong += _wrong(Z, queries[:, part], codes, truth[part], own=self_rows, k_max=k_max)
    error = wrong / queries.shape[1]
    spread = np.sqrt(error * (1 - error) / max(queries.shape[1] - 1, 1))
    numbers = np.arange(1, n_components + 1), np.arange(1, k_max + 1)
    return ComponentChoice(*numbers, error, spread, pca)


def first_directions(pca: PCA, n_components: int) -> PCA:
    """Return the model that would have been fitted with fewer `n_components`, without a fit."""
    fewer = copy.copy(pca)
    fewer.n_components = fewer.n_components_ = n_components
    dropped = float(pca.explained_variance_[n_components:].sum())
    degrees = pca.n_samples_ - pca.ddof
    fewer.reconstruction_error_ = pca.reconstruction_error_ + dropped * degrees
    beyond = len(pca.spectrum_) - n_components
    fewer.noise_variance_ = fewer.reconstruction_error_ / degrees / beyond if beyond else 0.0
    for name in (
        "components_",
        "explained_variance_",
        "explained_variance_ratio_",
        "singular_values_",
    ):
        setattr(fewer, name, getattr(pca, name)[:n_components].copy())
    return fewer


def _wrong(
    Z: Array, queries: Array, codes: Rows, truth: Rows, *, own: Rows | None, k_max: int
) -> Array:
    """Return the number of misclassified queries for every M and K; components lie in rows."""
    squared = np.zeros((queries.shape[1], Z.shape[1]))
    if own is not None:
        squared[np.arange(len(own)), own] = np.inf
    available = Z.shape[1] - (own is not None)
    rule = VotingRule(int(codes.max()) + 1)
    counts = np.zeros((len(Z), k_max))
    for m in range(len(Z)):
        squared += (queries[m][:, None] - Z[m]) ** 2

        def search(part: Rows, width: int, squared: Array = squared) -> Neighbors:
            return _smallest(squared[part], width)

        query = NeighborQuery(search, queries.shape[1], available, spare=SPARE_NEIGHBORS_FOR_TIES)
        votes = vote(query, codes, rule, list(range(1, k_max + 1)))
        counts[m] = (votes.winner != truth[:, None]).sum(axis=0)
    return counts


def _smallest(squared: Array, width: int) -> Neighbors:
    """Return the `width` smallest of every row of `squared`, equal ones by column number."""
    near = np.sort(np.argpartition(squared, width - 1, axis=1)[:, :width], axis=1)
    edge = np.take_along_axis(squared, near, axis=1).max(axis=1)
    split = np.flatnonzero((squared <= edge[:, None]).sum(axis=1) > width)
    if len(split):  # equals on both sides of the edge
        near[split] = np.sort(np.argsort(squared[split], axis=1, kind="stable")[:, :width], axis=1)
    keys = np.take_along_axis(squared, near, axis=1)
    order = np.argsort(keys, axis=1, kind="stable")
    return Neighbors(
        np.take_along_axis(keys, order, axis=1), np.take_along_axis(near, order, axis=1)
    )


def _among(classes: Any, labels: object) -> Rows:
    """Return the place of each label among the classes, -1 of one that was not seen."""
    code_of = {label: number for number, label in enumerate(classes.tolist())}
    return np.array([code_of.get(label, -1) for label in np.asarray(labels).tolist()], np.int64)
