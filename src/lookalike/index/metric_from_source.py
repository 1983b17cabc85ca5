"""Metrics measured on rows that do not lie in memory."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lookalike.data.source import Source
from lookalike.engines import Engine
from lookalike.errors import MagnitudeError
from lookalike.kernels.metrics import METRIC_ALIASES, Metric, metric_from
from lookalike.kernels.metrics.quadratic import Mahalanobis
from lookalike.reductions.columns import ColumnSummary
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.wrappers import Checked


def metric_from_source(
    metric: object,
    p: float | None,
    metric_params: Mapping[str, object] | None,
    *,
    source: Source,
    engine: Engine,
    seen: ColumnSummary,
) -> Metric:
    """Return the metric that :func:`metric_from` would make of all rows of `source`.

    `seen` are their columns, variances with N - 1; a covariance takes one more pass.
    """
    params = dict(metric_params or {})
    name = METRIC_ALIASES.get(metric.lower(), metric.lower()) if isinstance(metric, str) else None
    if name in ("hamming", "nan_euclidean"):
        params.setdefault("w", np.ones(source.n_features))
    if name in ("seuclidean", "mahalanobis") and not {"V", "VI"} & set(params):
        _require_variances(seen, source)
    if name == "seuclidean":
        params.setdefault("V", seen.variance)
    if name == "mahalanobis" and not {"V", "VI"} & set(params):
        _, _, params["V"] = engine.reduce(Checked(Covariance(), source.columns), source)
    made = metric_from(metric, p, params)
    if name == "mahalanobis":
        assert isinstance(made, Mahalanobis)
        made.center = seen.mean
    return made


def _require_variances(seen: ColumnSummary, source: Source) -> None:
    bad = np.flatnonzero(~np.isfinite(seen.variance))
    if len(bad):
        largest = max(abs(seen.least[bad[0]]), abs(seen.most[bad[0]]))
        raise MagnitudeError(
            f"Column {source.columns[bad[0]].name!r} holds {largest:.3g}, whose square overflows "
            "float64, so that it has no variance. Correct or drop the row, or give V."
        )
