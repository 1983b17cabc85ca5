"""Label propagation and label spreading: classes flow from labeled rows to those near them."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import laplacian
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.multiclass import check_classification_targets

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.kernels.distance import squared_distances
from lookalike.models.estimator import Model, check_is_fitted, with_callbacks
from lookalike.models.inputs import as_floats
from lookalike.models.labels import as_labels
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.models.scores import AccuracyMixin
from lookalike.typing import AnyArray, Array, to_host
from lookalike.validation import check_choice, check_float, check_int, is_function, shown

TARGET_OF_UNLABELED = -1  # the target of rows without a class
GRAPH_KERNELS = ("rbf", "knn")


class _LabelGraph(AccuracyMixin, Model):
    """What both models share: the graph of the rows, and rounds in which classes flow along it."""

    _sparse_rows = True
    _requires_target = True
    kernel: Any
    gamma: float
    n_neighbors: int
    max_iter: int
    tol: float

    @with_callbacks
    def fit(self, X: object, y: object) -> Self:
        """Give a class to the rows of `X` of which the target in `y` is -1, from the others."""
        self._check_parameters()
        source = self._open(X)
        self.X_ = self._read(source)
        self.n_samples_fit_ = self.X_.shape[0]
        if y is None:
            raise ParameterError(
                f"{type(self).__name__} requires y to be passed, but the target y is None. Give a "
                "class for each row, -1 where it is not known."
            )
        target = as_labels(y)
        if len(target) != source.n_rows:
            raise ShapeError(
                f"y has {len(target)} classes for {source.n_rows} rows. Give one class for each "
                "row, -1 where it is not known."
            )
        try:
            check_classification_targets(target)
        except (ValueError, TypeError) as error:
            raise ParameterError(
                f"{error} Give a class for each row, -1 where it is not known."
            ) from None
        labels = np.unique(target)
        self.classes_ = labels[labels != TARGET_OF_UNLABELED]
        if not len(self.classes_):
            raise ParameterError("y has no class at all: every row is -1. Label one row at least.")
        self._neighbors = self._fitted_neighbors()
        known = (target[:, None] == self.classes_).astype(np.float64)
        self.label_distributions_ = self._flow(
            self._build_graph(), known, target == TARGET_OF_UNLABELED
        )
        self.transduction_ = self.classes_[self.label_distributions_.argmax(axis=1)]
        self.decisions_ = Decisions()
        return self

    def predict(self, X: object) -> AnyArray:
        """Return the class of every row of `X`."""
        check_is_fitted(self)
        classes: AnyArray = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return classes

    def predict_proba(self, X: object) -> Array:
        """Return what the rows near each row of `X` say of the classes, in shares.

        A row to which nothing is near has the shares that the classes have among all rows.
        """
        check_is_fitted(self)
        rows = self._read(self._reopen(X))
        if self._neighbors is not None:
            near = self._neighbors.kneighbors(rows, return_distance=False)
            votes: Array = self.label_distributions_[near].sum(axis=1)
        else:
            votes = _votes(self._affinity(self.X_, rows).T, self.label_distributions_)
        total = votes.sum(axis=1, keepdims=True)
        lonely = total[:, 0] == 0
        votes[lonely] = self.label_distributions_.sum(axis=0)
        shares: Array = votes / votes.sum(axis=1, keepdims=True)
        return shares

    def _flow(self, graph: Any, known: Array, unlabeled: AnyArray) -> Array:
        """Return the shares of the classes of every row, after rounds along the graph."""
        shares, before = known, np.zeros_like(known)
        self.n_iter_ = 0
        while np.abs(shares - before).sum() >= self.tol:
            if self.n_iter_ == self.max_iter:
                warnings.warn(
                    f"max_iter={self.max_iter} was reached without convergence.",
                    ConvergenceWarning,
                    stacklevel=4,
                )
                break
            before, shares = shares, self._round(graph @ shares, known, unlabeled)
            self.n_iter_ += 1
        return _normalize(shares)

    @abstractmethod
    def _round(self, moved: Array, known: Array, unlabeled: AnyArray) -> Array:
        """Return the shares after a round along the graph."""

    @abstractmethod
    def _build_graph(self) -> Any:
        """Return what a row takes from each other in a round."""

    def _weights(self) -> Any:
        """Return how near the training rows are to each other."""
        if self._neighbors is None:
            return self._affinity(self.X_, self.X_)
        return sp.csr_array(self._neighbors.kneighbors_graph(self.X_))

    def _affinity(self, left: Any, right: Any) -> Any:
        if is_function(self.kernel):
            return _check_affinity(self.kernel(left, right), left, right)
        if sp.issparse(left) or sp.issparse(right):
            return rbf_kernel(left, right, gamma=self.gamma)
        with np.errstate(over="ignore"):
            return np.exp(-self.gamma * squared_distances(left, right))

    def _fitted_neighbors(self) -> NearestNeighbors | None:
        if is_function(self.kernel) or self.kernel != "knn":
            return None
        if self.X_.shape[0] < self.n_neighbors:
            raise ShapeError(
                f"n_neighbors={self.n_neighbors}, and X has n_samples={self.X_.shape[0]}. Choose "
                "fewer neighbors."
            )
        return NearestNeighbors(self.n_neighbors, n_jobs=self.n_jobs).fit(self.X_)

    def _read(self, source: Source) -> Any:
        chunk = gather(source)
        require_finite(chunk.X, chunk.offset, source.columns)
        rows = to_host(chunk.X)
        return rows if sp.issparse(rows) else as_floats(rows).copy()

    def _check_parameters(self) -> None:
        if not is_function(self.kernel):
            check_choice("kernel", self.kernel, GRAPH_KERNELS)
        check_float("gamma", self.gamma, least=0.0)
        check_int("n_neighbors", self.n_neighbors, least=1)
        check_int("max_iter", self.max_iter, least=1)
        check_float("tol", self.tol, least=0.0)


class LabelPropagation(_LabelGraph):
    r"""Classify rows by classes that flow along a graph from labeled rows, which keep theirs.

    .. math:: F \leftarrow D^{-1} W F, \qquad F_n \text{ stays for labeled rows } n

    [ZhuGhahramani02]. Parameters, attributes and results are those of scikit-learn's
    ``LabelPropagation``; neighbors come from the exact index, ties by row number.

    Parameters
    ----------
    kernel : {"rbf", "knn"} or function, default="rbf"
        How near two rows are: :math:`\exp(-\gamma d^2)`, whether the second is among the nearest
        of the first, or what a function of two tables returns.
    gamma : float, default=20
        :math:`\gamma` of "rbf".
    n_neighbors : int, default=7
        Neighbors of "knn".
    max_iter : int, default=1000
        Rounds at most.
    tol : float, default=0.001
        The change of all shares together below which rounds end.
    n_jobs, engine
        As in :class:`lookalike.NearestNeighbors`; the rows are held in memory.

    Attributes
    ----------
    classes_ : ndarray
        The classes, in sorted order.
    transduction_ : ndarray
        The class of every training row.
    label_distributions_ : ndarray of shape (n_rows, n_classes)
        The shares of the classes of every training row.
    n_iter_ : int
        Rounds that were run.
    X_ : matrix
        The training rows.
    n_samples_fit_ : int
        How many they are.

    Examples
    --------
    >>> from lookalike import LabelPropagation
    >>> model = LabelPropagation().fit([[0.0], [0.2], [1.0], [1.2]], [0, -1, 1, -1])
    >>> model.transduction_
    array([0, 0, 1, 1])
    """

    def __init__(
        self,
        kernel: object = "rbf",
        *,
        gamma: float = 20,
        n_neighbors: int = 7,
        max_iter: int = 1000,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        engine: str = "auto",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.engine = engine

    def _build_graph(self) -> Any:
        weights = self._weights()
        total = np.asarray(weights.sum(axis=1)).reshape(-1)
        share = np.divide(1.0, total, out=np.zeros_like(total, np.float64), where=total > 0)
        if sp.issparse(weights):
            return sp.csr_array(sp.diags_array(share) @ weights)
        return weights * share[:, None]

    def _round(self, moved: Array, known: Array, unlabeled: AnyArray) -> Array:
        return np.where(unlabeled[:, None], _normalize(moved), known)


class LabelSpreading(_LabelGraph):
    r"""Classify rows by classes that flow along a graph, labeled rows giving in a little.

    .. math:: F \leftarrow \alpha D^{-1/2} W D^{-1/2} F + (1 - \alpha) Y

    [Zhou04]. Parameters, attributes and results are those of scikit-learn's ``LabelSpreading``;
    neighbors come from the exact index, ties by row number.

    Parameters
    ----------
    kernel, gamma, n_neighbors, tol, n_jobs, engine
        As in :class:`lookalike.LabelPropagation`.
    alpha : float, default=0.2
        How much a row takes from its neighbors, above 0 and below 1.
    max_iter : int, default=30
        Rounds at most.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, n_iter_, X_, n_samples_fit_
        As in :class:`lookalike.LabelPropagation`.

    Examples
    --------
    >>> from lookalike import LabelSpreading
    >>> model = LabelSpreading().fit([[0.0], [0.2], [1.0], [1.2]], [0, -1, 1, -1])
    >>> model.predict([[0.1], [1.3]])
    array([0, 1])
    """

    def __init__(
        self,
        kernel: object = "rbf",
        *,
        gamma: float = 20,
        n_neighbors: int = 7,
        alpha: float = 0.2,
        max_iter: int = 30,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        engine: str = "auto",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.engine = engine

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not 0.0 < check_float("alpha", self.alpha, least=0.0, most=1.0) < 1.0:
            raise ParameterError(f"alpha={self.alpha} is out of range. Give one between 0 and 1.")

    def _build_graph(self) -> Any:
        graph = -laplacian(self._weights(), normed=True)
        if sp.issparse(graph):
            graph = sp.coo_array(graph)
            graph.data[graph.row == graph.col] = 0.0
            return sp.csr_array(graph)
        np.fill_diagonal(graph, 0.0)
        return graph

    def _round(self, moved: Array, known: Array, unlabeled: AnyArray) -> Array:
        return self.alpha * moved + (1.0 - self.alpha) * known


def _check_affinity(weights: Any, left: Any, right: Any) -> Any:
    """Return what the kernel function of a user gave, or raise unless it is a matrix of numbers."""
    shape, kind = np.shape(weights), getattr(weights, "dtype", np.dtype(object)).kind
    if shape != (left.shape[0], right.shape[0]) or kind not in "biuf":
        raise ParameterTypeError(
            f"kernel gave {shown(weights)} for {left.shape[0]} and {right.shape[0]} rows. Let it "
            "return an array of numbers, a row for each of the former."
        )
    return weights


def _votes(weights: Any, shares: Array) -> Array:
    """Return weighted sums of shares, each row's in an order of its own, whatever comes with it."""
    if sp.issparse(weights):
        return np.asarray(weights @ shares)
    rows = np.ascontiguousarray(weights, np.float64)
    return np.stack([(rows * share).sum(axis=1) for share in shares.T], axis=1)


def _normalize(shares: Array) -> Array:
    total = shares.sum(axis=1, keepdims=True)
    return np.asarray(shares / np.where(total == 0, 1.0, total))
