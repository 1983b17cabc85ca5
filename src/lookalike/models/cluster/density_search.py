"""What DBSCAN, OPTICS and HDBSCAN share: rows arranged for search by scikit-learn's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import has_fit_parameter

from lookalike.data.source import open_source
from lookalike.decisions import Decisions
from lookalike.errors import EngineError, ParameterTypeError
from lookalike.models.estimator import Model
from lookalike.models.neighbors.search_options import SearchOptions
from lookalike.models.neighbors.search_space import SearchSpace, fit_rows
from lookalike.models.sklearn_bases import ClusterMixin
from lookalike.typing import Rows

if TYPE_CHECKING:
    from sklearn.utils import Tags


class DensityClustering(ClusterMixin, Model):
    """A clustering that needs the neighborhoods of all rows."""

    _sparse_rows = True
    labels_: Rows
    metric: object
    metric_params: Mapping[str, object] | None
    algorithm: str
    leaf_size: int
    n_jobs: int | None
    missing: str
    engine: str

    def fit_predict(self, X: object, y: object = None, sample_weight: object = None) -> Rows:
        """Return the labels of the rows of `X` after clustering them; `y` is ignored."""
        model: Any = self
        weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
        if weighted and not has_fit_parameter(self, "sample_weight"):
            raise ParameterTypeError(
                f"{type(self).__name__} has no weights of rows. Leave sample_weight out."
            )
        labels: Rows = model.fit(X, **weighted).labels_
        return labels

    def _arrange(self, X: object, decisions: Decisions) -> SearchSpace:
        """Return the rows of a table, arranged for search, in memory, until they are clustered."""
        options = self._search_options()
        options.warn_of_two_powers()
        rows, _ = fit_rows(X, options)
        source = open_source(rows)
        self._note_columns(rows, source, reset=True)
        space = SearchSpace.fit(source, options, decisions=decisions, kept=False)
        if space.in_chunks:
            raise EngineError(
                f"engine={self.engine!r} leaves the rows in their source, and {type(self).__name__}"
                " needs the neighborhoods of all. Give engine='memory'."
            )
        return space

    def _search_options(self) -> SearchOptions:
        params, p = self.metric_params, getattr(self, "p", None)
        options = SearchOptions(
            metric=self.metric,
            p=2.0 if p is None and "p" not in (params or {}) else p,
            metric_params=params or None,
            missing=self.missing,
            algorithm=self.algorithm,
            leaf_size=self.leaf_size,
            engine=self.engine,
            n_jobs=self.n_jobs,
        )
        options.check()
        return options

    def _is_precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.allow_nan = self.missing != "error" or self.metric == "nan_euclidean"
        return tags
