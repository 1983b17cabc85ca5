"""Base of supervised neighbor models: training rows, targets and weights."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.batches import gather
from lookalike.data.source import Source, open_source
from lookalike.data.sources.arrays import ArraySource
from lookalike.data.targets import one_a_row
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.index.base import Neighbors
from lookalike.index.validate import rows_left
from lookalike.kernels.native_arrays import NativeRows
from lookalike.models.estimator import check_is_fitted, with_callbacks
from lookalike.models.inputs import as_sample_weight
from lookalike.models.neighbors.neighbors_model import NeighborsModel
from lookalike.models.neighbors.search_space import fit_rows
from lookalike.models.neighbors.voting import WEIGHT_SUM_ROUNDING, NeighborQuery, is_everyone
from lookalike.models.state import replace_state
from lookalike.models.targets import missing_target
from lookalike.typing import AnyArray, Array, Rows, TableLike, is_tensor, to_host
from lookalike.validation import check_choice, is_function


class SupervisedNeighbors(NeighborsModel):
    """Training rows with targets; subclasses predict from the targets of the neighbors.

    Subclasses read targets in `_read`, and predict from the `targets_` of the neighbors.
    """

    _several_outputs = True
    weights: object = "uniform"
    targets_: Any

    @with_callbacks
    def fit(
        self, X: object, y: object = None, sample_weight: object = None, groups: object = None
    ) -> Self:
        """Keep the rows of `X`, any table, and their targets; select what is "loo" or "cv".

        With ``metric="precomputed"``, `X` are distances. `y` holds labels of any one kind, or
        finite numbers; it is None where `X` is a source that holds them. A row of weight two counts
        as that row twice, one of weight zero as absent. Rows of one of the `groups` are held out
        together, and are not neighbors of each other, while a hyperparameter is selected.
        """
        self._learn(X, y, sample_weight, groups=groups)
        return self

    @replace_state
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
        if not hasattr(self, "space_"):
            self._learn(X, y, sample_weight, classes)
            return self
        space = self.space_
        table = space.table(X)
        rows, given, weight = _with_targets(table, y, sample_weight, type(self))
        targets = self._read(self._with_more(given), self._declare(classes))
        if space.weight is not None or weight is not None:
            before = np.ones(space.n_rows) if space.weight is None else space.weight
            after = np.ones(len(one_a_row(given))) if weight is None else weight
            weight = np.concatenate([before, after])
        self._hold_space(space.extend(rows, weight, self._check_columns))
        return self._take_over(targets)

    @replace_state
    def remove(self, rows: object) -> Self:
        """Drop training rows by number and close the gaps: as if fitted on the rows left."""
        check_is_fitted(self)
        left = np.flatnonzero(rows_left(rows, self.n_samples_fit_, some=True))
        targets = self._read(self._given_targets()[left], self._declare(None))
        if self.space_.weight is not None:
            as_sample_weight(self.space_.weight[left])  # raises where none is above zero
        self._hold_space(self.space_.remove(rows))
        return self._take_over(targets)

    def _take_over(self, targets: object) -> Self:
        """Take over the targets of rows that were added or removed."""
        self.decisions_: Decisions = Decisions(self.decisions_)
        self._hold(targets, self.space_.weight)
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
    def _declare(self, classes: object) -> object:
        """Return the classes declared in `partial_fit`, which need no rows."""

    @abstractmethod
    def _hold(self, targets: Any, weight: Array | None) -> None:
        """Keep the targets, and set the attributes that depend on them and the weights."""

    def _choose(self, groups: object) -> None:
        """Select the hyperparameters to be selected, with rows of one group held out together."""
        if groups is not None:
            raise ParameterError(
                f"groups matter where a hyperparameter is selected, and {type(self).__name__} "
                "selects none. Leave them out."
            )

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
        table, imputer = fit_rows(X, self.search_options(), sample_weight)
        rows, given, weight = _with_targets(table, to_host(y), sample_weight, type(self))
        targets = self._read(given, self._declare(classes))
        self._arrange(rows, imputer, weight)
        self._hold(targets, weight)
        self._choose(groups)
        self._make_ready()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.weights is not None and not is_function(self.weights):
            check_choice("weights", self.weights, ("uniform", "distance"))

    @property
    def weighting(self) -> Any:
        """How the targets of neighbors count: "uniform", "distance" or a function."""
        return "uniform" if self.weights is None else self.weights

    def _require_one_target_a_row(self) -> None:
        """Raise where targets and rows differ in number, as in a file of a stranger."""
        held, space = self.targets_, self.space_
        targets = len(held.codes if hasattr(held, "codes") else held.values)
        weights = targets if space.weight is None else len(space.weight)
        if not space.n_rows == targets == weights:
            raise ShapeError(
                f"The model holds {space.n_rows} rows, {targets} targets and {weights} "
                "weights. Fit it again."
            )

    def _enough(self, k: int, query: NeighborQuery) -> int:
        """Return `k` where there are this many neighbors, or raise."""
        weight = self.space_.weight
        if query.available < k <= self.n_samples_fit_ and self.metric == "precomputed":
            query.search(np.arange(query.n_queries), k)  # raises where the graph holds fewer
        if weight is None:
            return self._check_k(k, query.available < self.n_samples_fit_)
        total, held_out = float(weight.sum()), query.own is not None
        total -= float(np.minimum(weight, 1.0).max()) if held_out else 0.0
        if total < k * (1 - WEIGHT_SUM_ROUNDING):
            raise ParameterError(
                f"sample_weight adds up to {weight.sum():g}, n_neighbors is {k}: weights "
                "count rows, so that some query has fewer neighbors"
                f"{' when it is left out' if held_out else ''}. Give larger weights."
            )
        return k


def neighbor_query(model: SupervisedNeighbors, X: object = None) -> NeighborQuery:
    """Return the query for the neighbors of the rows of `X`; for None leave-one-out.

    A row of weight w stands for w copies, of which w - 1 stay when one is left out.
    """
    check_is_fitted(model)
    model._require_one_target_a_row()
    space, queries = model.space_.checked_queries(X, model._check_columns)
    self_rows, n_queries, n_jobs = space.own_rows(X), queries.shape[0], model.n_jobs

    def search(part: Rows, k: int) -> Neighbors:
        rows_of_part = queries if is_everyone(part, n_queries) else rows_of(queries, part)
        without = None if self_rows is None else self_rows[part]
        return space.nearest(rows_of_part, k, exclude=without, n_jobs=n_jobs)

    copies = None
    if self_rows is not None and space.weight is not None:
        copies = np.maximum(space.weight - 1.0, 0.0)
    return NeighborQuery(
        search,
        n_queries,
        space.available(queries, self_rows),
        own=self_rows,
        weight=space.weight,
        copies=copies,
        threads=model._threads(),
    )


def rows_of(queries: TableLike, part: Rows) -> TableLike:
    """Return some rows of an array, a sparse matrix or a data frame."""
    if isinstance(queries, NativeRows):
        return NativeRows(queries.values[part])
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
    return X, y, None if weight is None else _as_counts(weight)


def _as_counts(weight: Array) -> Array:
    """Return weights as numbers of rows.

    Weights that add up to one, as boosting gives them, say how rows compare and not how many there
    are: they are scaled to add up to the number of rows that have any.
    """
    total = float(weight.sum())
    if total > 1 + WEIGHT_SUM_ROUNDING:
        return weight
    counts = weight * (np.count_nonzero(weight) / total)
    whole = np.rint(counts)
    return np.where(np.abs(counts - whole) < WEIGHT_SUM_ROUNDING, whole, counts)


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
