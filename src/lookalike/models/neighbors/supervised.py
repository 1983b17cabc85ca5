"""Base of supervised neighbor models: training rows, targets and weights."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.arrays import ArraySource
from lookalike.data.batches import gather
from lookalike.data.source import Source, open_source
from lookalike.data.targets import one_a_row
from lookalike.errors import ParameterError, ShapeError
from lookalike.index.base import Neighbors
from lookalike.index.validate import rows_left
from lookalike.models.estimator import check_is_fitted, restored_on_failure, with_callbacks
from lookalike.models.inputs import as_sample_weight
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.models.neighbors.voting import ROUNDING, NeighborQuery, is_everyone
from lookalike.models.targets import missing_target
from lookalike.typing import AnyArray, Array, Rows, TableLike, is_tensor, to_host
from lookalike.validation import check_choice, is_function


class SupervisedNeighbors(NearestNeighbors):
    """Training rows with targets; subclasses predict from the targets of the neighbors.

    Subclasses have the parameter `weights` in addition to those of the search,
    read targets in `_read`, and predict from the `_targets` of the neighbors.
    """

    _several_outputs = True
    _reads_tensors = False
    weights: object
    radius = 1.0  # of radius_neighbors, where the model itself uses K neighbors
    n_neighbors: Any = 5  # of kneighbors, where the model itself uses a radius
    split = "variance"  # of a KD-tree, where the model has no such parameter
    approximate = 0.0
    recall = 0.95

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Keep the rows of `X`, any table, and their targets, indexed for search.

        With ``metric="precomputed"``, `X` are distances. `y` is None where `X` is a source that
        holds the targets. A row of weight two counts as that row twice, one of weight zero as
        absent.
        """
        self._learn(X, y, sample_weight)
        return self

    @restored_on_failure
    def partial_fit(
        self, X: object, y: object = None, classes: object = None, sample_weight: object = None
    ) -> Self:
        """Append rows: afterwards the model predicts as one fitted on all of them.

        The means that replace missing values stay those of the first rows, as does a K that was
        chosen.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        classes : array, optional
            Classes that later rows may have; those of `y` are added to them.
        """
        if not hasattr(self, "_index"):
            self._learn(X, y, sample_weight, classes)
            return self
        filled = self._filled(self._table(X))
        rows, targets, weight = _with_targets(filled, y, sample_weight, type(self))
        joined = self._read(self._with_more(targets), self._declared(classes))
        if self._weight is not None or weight is not None:
            before = np.ones(self.n_samples_fit_) if self._weight is None else self._weight
            after = np.ones(len(one_a_row(targets))) if weight is None else weight
            weight = np.concatenate([before, after])
        super().partial_fit(rows)
        self._hold(joined, weight)
        self._make_ready()
        return self

    @restored_on_failure
    def remove(self, rows: object) -> Self:
        """Drop training rows by number and close the gaps: as if fitted on the rows left."""
        check_is_fitted(self)
        left = np.flatnonzero(rows_left(rows, self.n_samples_fit_, some=True))
        targets = self._read(self._given_targets()[left], self._declared(None))
        weight = None if self._weight is None else as_sample_weight(self._weight[left])
        super().remove(rows)
        self._hold(targets, weight)
        self._make_ready()
        return self

    @abstractmethod
    def _read(self, y: object, known: object) -> object:
        """Return the targets in the form in which they are kept."""

    @abstractmethod
    def _given_targets(self) -> AnyArray:
        """Return the targets as they were given."""

    @abstractmethod
    def _with_more(self, y: object) -> AnyArray:
        """Return the targets as they were given, and those of more rows after them."""

    @abstractmethod
    def _declared(self, classes: object) -> object:
        """Return the classes declared in `partial_fit`, which need no rows."""

    @abstractmethod
    def _hold(self, targets: Any, weight: Array | None) -> None:
        """Keep the targets, and set the attributes that depend on them."""

    def _choose(self, groups: object) -> None:
        """Select the hyperparameters to be selected, with rows of one group held out together."""

    def _make_ready(self) -> None:
        """Prepare for queries, once rows or targets have changed."""

    def _learn(
        self,
        X: object,
        y: object,
        sample_weight: object,
        classes: object = None,
        groups: object = None,
    ) -> None:
        self._check_parameters()
        self.__dict__.pop("_declared_classes", None)
        X = self._table(X)
        imputer = self._fitted_imputer(X, sample_weight)
        filled = X if imputer is None else imputer.transform(X)
        rows, given, weight = _with_targets(filled, to_host(y), sample_weight, type(self))
        targets = self._read(given, self._declared(classes))
        columns = X if rows is filled and imputer is None else rows
        self._arrange(columns, open_source(rows), weight)
        self._note_imputer(imputer)
        self._hold(targets, weight)
        self._choose(groups)
        self._make_ready()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.weights is not None and not is_function(self.weights):
            check_choice("weights", self.weights, ("uniform", "distance"))

    @property
    def _weighing(self) -> Any:
        return "uniform" if self.weights is None else self.weights

    def _neighbor_query(self, X: object) -> NeighborQuery:
        """Return the query for the neighbors of the rows of `X`; for None leave-one-out.

        A row of weight w stands for w copies, of which w - 1 stay when one is left out.
        """
        check_is_fitted(self)
        self._require_one_target_a_row()
        queries, exclude = self._queries(X)
        n_queries = queries.shape[0]

        def search(part: Rows, k: int) -> Neighbors:
            some = queries if is_everyone(part, n_queries) else rows_of(queries, part)
            without = None if exclude is None else exclude[part]
            return self._index.query(some, k, exclude=without, threads=self._query_threads())

        own, copies = None, None
        if X is None:
            own = np.arange(n_queries)
            copies = None if self._weight is None else np.maximum(self._weight - 1.0, 0.0)
        return NeighborQuery(
            search,
            n_queries,
            self.n_samples_fit_ - (X is None),
            own=own,
            weight=self._weight,
            copies=copies,
            threads=self._threads(),
        )

    def _require_one_target_a_row(self) -> None:
        """Raise where targets and rows differ in number, as in a file of a stranger."""
        held: Any = self._targets
        targets = len(getattr(held, "codes", held))
        weights = targets if self._weight is None else len(self._weight)
        if not self._index.n_rows == targets == weights:
            raise ShapeError(
                f"The model holds {self._index.n_rows} rows, {targets} targets and {weights} "
                "weights. Fit it again."
            )

    def _enough(self, k: int, query: NeighborQuery) -> int:
        """Return `k` where there are this many neighbors, or raise."""
        if self._weight is None:
            return self._check_k(k, query.available < self.n_samples_fit_)
        total, held_out = float(self._weight.sum()), query.own is not None
        total -= float(np.minimum(self._weight, 1.0).max()) if held_out else 0.0
        if total < k * (1 - ROUNDING):
            raise ParameterError(
                f"sample_weight adds up to {self._weight.sum():g}, n_neighbors is {k}: weights "
                "count rows, so that some query has fewer neighbors"
                f"{' when it is left out' if held_out else ''}. Give larger weights."
            )
        return k


class SelectionMixin(SupervisedNeighbors):
    """Base of the models that select a hyperparameter, K or a bandwidth, in `fit`."""

    @with_callbacks
    def fit(
        self, X: object, y: object = None, sample_weight: object = None, groups: object = None
    ) -> Self:
        """Keep the rows of `X`, any table, and their targets; select what is "loo" or "cv".

        `y` holds labels of any one kind, or finite numbers; it is None where `X` is a source that
        holds them. A row of weight two counts as that row twice, one of weight zero as absent.
        Rows of one of the `groups` are held out together, and are no neighbors of each other, while
        a hyperparameter is selected.
        """
        self._learn(X, y, sample_weight, groups=groups)
        return self


def rows_of(queries: TableLike, part: Rows) -> TableLike:
    """Return some rows of an array, a sparse matrix or a data frame."""
    if isinstance(queries, np.ndarray) or sp.issparse(queries) or is_tensor(queries):
        return queries[part]
    import narwhals.stable.v2 as nw

    return nw.to_native(nw.from_native(queries, eager_only=True)[part])


def _with_targets(
    X: object, y: object, sample_weight: object, kind: type
) -> tuple[object, object, Array | None]:
    """Return rows, targets and weights, which may all come from a Source."""
    source: Source = open_source(X)
    weight = as_sample_weight(sample_weight)
    if y is None:
        X, y, given = _with_own_targets(source)
        if y is None:
            raise missing_target(kind.__name__)
        weight = as_sample_weight(given) if weight is None else weight
        source = open_source(X)
    n_rows = source.n_rows
    length = len(one_a_row(y))
    if n_rows is not None and length != n_rows:
        raise ShapeError(f"y holds {length} entries, X has {n_rows} rows. Give one entry per row.")
    if weight is not None and weight.shape != (length,):
        raise ShapeError(
            f"sample_weight has shape {weight.shape}, X has {length} rows. Give one weight per row."
        )
    return X, y, weight


def _with_own_targets(source: Source) -> tuple[Source, object, object]:
    """Return a source with the targets and weights that it holds; rows are kept if read once."""
    if not source.repeatable:
        chunk = gather(source)
        names = [column.name for column in source.columns] if source.named else None
        return ArraySource(chunk.X, names=names), chunk.y, chunk.weight
    parts = [(chunk.y, chunk.weight) for chunk in source.chunks()]
    y, weight = (
        None if not parts or part[0] is None else np.concatenate(part)
        for part in zip(*parts, strict=True)
    )
    return source, y, weight
