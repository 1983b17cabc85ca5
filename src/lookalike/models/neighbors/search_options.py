"""The options of a search: by which metric, with which index, and where the rows lie."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.errors import ParameterError
from lookalike.index.kdtree import TREE_SPLITS
from lookalike.index.lsh_rows import check_share
from lookalike.kernels.metrics import Metric
from lookalike.models.neighbors.column_codes import ColumnCodes
from lookalike.validation import check_choice, check_float, check_int, is_float

SEARCH_MISSING_CHOICES = ("error", "mean", "present")
CATEGORY_METRICS = ("gower", "hamming", "jaccard")  # metrics that compare categories
PLAIN_METRICS = ("euclidean", "minkowski")


@dataclass(frozen=True)
class SearchOptions:
    """How rows are searched; the fields are parameters of :class:`lookalike.NearestNeighbors`.

    `reads_tensors` says whether rows and queries may stay on a GPU.
    """

    metric: Any = "minkowski"
    p: float | None = 2
    metric_params: Mapping[str, object] | None = None
    missing: str = "error"
    algorithm: str = "auto"
    leaf_size: int = 30
    split: str = "variance"
    approximate: float = 0.0
    recall: float = 0.95
    engine: str = "auto"
    n_jobs: int | None = None
    reads_tensors: bool = False

    def check(self) -> None:
        """Raise unless the options are possible ones."""
        check_int("leaf_size", self.leaf_size, least=1)
        check_choice("split", self.split, TREE_SPLITS)
        check_float("approximate", self.approximate, least=0.0, most=1e6)
        check_share(self.recall)
        check_choice("missing", self.missing, SEARCH_MISSING_CHOICES)
        if self.missing == "present" and not self.takes_missing(None):
            raise ParameterError(
                f"missing='present' compares rows by metric 'nan_euclidean' or 'gower', and "
                f"metric={self.metric!r} was given. Choose missing='mean' or another metric."
            )
        if isinstance(self.metric, str) and self.metric == "precomputed" and self.metric_params:
            raise ParameterError(
                "metric_params have no effect on precomputed distances. Leave them out."
            )

    def warn_of_two_powers(self) -> None:
        """Warn where `metric_params` has a power, which goes before `p`."""
        if self.p is not None and "p" in (self.metric_params or {}):
            warnings.warn(
                "Parameter p is found in metric_params. The corresponding parameter from __init__ "
                "is ignored.",
                SyntaxWarning,
                stacklevel=8,
            )

    def metric_by(self, codes: ColumnCodes | None) -> Any:
        """Return the metric to search by, where columns are compared by these codes."""
        euclidean = isinstance(self.metric, str) and (
            self.metric == "euclidean" or (self.metric == "minkowski" and self.p == 2)
        )
        if self.missing != "present" or not euclidean:
            return self.metric
        return "nan_euclidean" if codes is None else "gower"

    def metric_name(self, codes: ColumnCodes | None = None) -> str | None:
        """Return the name of the metric to search by; None where it is given as an object."""
        metric = self.metric_by(codes)
        return metric.lower() if isinstance(metric, str) else None

    def takes_missing(self, codes: ColumnCodes | None) -> bool:
        """Return whether the metric compares rows with missing values."""
        return self.metric_name(codes) in ("nan_euclidean", "gower")

    def categorical(self, codes: ColumnCodes | None = None) -> Any:
        """Return the columns that were named as categories."""
        given = (self.metric_params or {}).get("categorical", ())
        return given if self.metric_name(codes) == "gower" else ()

    def is_plain(self) -> bool:
        """Return whether rows are compared as they are: by Euclidean distance, none missing."""
        named = isinstance(self.metric, str) and self.metric.lower() in PLAIN_METRICS
        straight = self.p == 2 or (named and self.metric.lower() == "euclidean")
        return named and straight and not self.metric_params and self.missing == "error"

    def is_semimetric(self) -> bool:
        """Return whether rows are compared by a Minkowski distance without triangle inequality."""
        power = (self.metric_params or {}).get("p", self.p)
        return self.metric_name() in ("minkowski", "p") and is_float(power) and float(power) < 1

    def effective_metric(self, codes: ColumnCodes | None) -> object:
        """Return the metric as scikit-learn names it."""
        metric = self.metric_by(codes)
        if isinstance(metric, str) and metric == "minkowski":
            names: dict[object, str] = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}
            return names.get((self.metric_params or {}).get("p", self.p), metric)
        return metric.name if isinstance(metric, Metric) else metric
