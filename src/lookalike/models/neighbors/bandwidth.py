"""Bandwidth of kernels, given or selected by leave-one-out or cross-validated error."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from lookalike.data.source import Source, open_source
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.index.rescale import scale_of
from lookalike.models.cross_validation import HeldOutRows, as_groups, assign_folds
from lookalike.models.linalg.magnitude import RescaledRows
from lookalike.models.neighbors.kernel_sums import nearest_distances
from lookalike.models.neighbors.supervised import SelectionMixin, rows_of
from lookalike.reductions.columns import Columns, ColumnSummary
from lookalike.typing import Array
from lookalike.validation import check_int, is_float

GRID = 25  # bandwidths tried
SAMPLE = 1000  # rows held out in turn while a bandwidth is selected


class BandwidthSelectionMixin(SelectionMixin):
    """Adds ``bandwidth="loo" | "cv"`` to a model; `curve_` then holds the score of every one."""

    weights = "uniform"
    metric = "euclidean"
    metric_params: Mapping[str, object] | None = None
    p = 2.0
    bandwidth: Any
    folds: int
    bandwidth_: float
    curve_: Any
    _named_bandwidths: ClassVar[tuple[str, ...]] = ()  # other names that a bandwidth may have

    @abstractmethod
    def _scores(self, held_out: HeldOutRows, tried: Array) -> dict[str, Array]:
        """Return the scores of the bandwidths `tried` by name, the last of which is the loss."""

    @abstractmethod
    def _rule_bandwidth(self) -> float:
        """Return the bandwidth of the rule that was named."""

    def _choose(self, groups: object) -> None:
        self.__dict__.pop("curve_", None)
        if self.bandwidth in ("loo", "cv"):
            held_out = self._held_out(groups)
            tried = self._tried(held_out)
            self.curve_ = {"bandwidth": tried, **self._scores(held_out, tried)}
            name, loss = list(self.curve_.items())[-1]
            self.bandwidth_ = float(tried[loss.argmin()])
            how = "leave-one-out" if self.bandwidth == "loo" else "cross-validated"
            reason = f"lowest {how} {name} of {GRID} tried"
            self.decisions_.put("bandwidth", f"{self.bandwidth_:.4g}", reason)
        elif groups is not None:
            raise ParameterError("groups matter where a bandwidth is chosen. Give 'loo' or 'cv'.")
        else:
            named = isinstance(self.bandwidth, str)
            self.bandwidth_ = self._rule_bandwidth() if named else float(self.bandwidth)

    def _held_out(self, groups: object) -> HeldOutRows:
        """Return the rows that are held out in turn: all, or a fixed sample."""
        n_rows, weight = self.n_samples_fit_, self._weight
        rows = np.arange(n_rows) if weight is None else np.flatnonzero(weight)
        part = None if groups is None else as_groups(groups, n_rows)
        if self.bandwidth == "cv":
            targets: Any = getattr(self._targets, "codes", self._targets)
            part = assign_folds(
                targets, self.folds, stratify=targets.dtype.kind == "i", groups=part
            )
        n_parts = len(rows) if part is None else len(np.unique(part[rows]))
        copies = weight is not None and part is None and weight.sum() > 1
        if n_parts < 2 and not copies:
            raise ShapeError(
                f"bandwidth={self.bandwidth!r} leaves no row, of n_samples = {n_rows}. "
                "Give a number, more rows, or more groups."
            )
        if len(rows) > SAMPLE:
            rows = np.sort(np.random.default_rng(0).choice(rows, SAMPLE, replace=False))
            self.decisions_.put("held out", f"{SAMPLE} rows", "a sample selects as well")
        return HeldOutRows(rows, part)

    def _tried(self, held_out: HeldOutRows) -> Array:
        """Return bandwidths from a small part of the nearest distance to half the spread of rows.

        Weights act as repetition does: a row with copies is no distance away from the nearest.
        """
        everyone, _ = self._queries(None)
        nearest = nearest_distances(self, rows_of(everyone, held_out.row), held_out)
        distinct = nearest[(nearest > 0) & np.isfinite(nearest)]
        scale = scale_of(float(distinct.max(initial=0.0)))
        near = np.sqrt(np.median((distinct * scale) ** 2)) / scale if len(distinct) else 1.0
        far = max(near, self._spread()) / 2
        return np.geomspace(near / 20, max(far, near / 2), GRID)

    def _spread(self) -> float:
        """Return the root of the summed variances of the columns."""
        columns, scale = self._column_variances()
        return float(np.sqrt(columns.variance.sum()) / scale)

    def _column_variances(self) -> tuple[ColumnSummary, float]:
        """Return moments of the columns of rows times a power of two, and that; 1 as a rule."""
        rows: Source = open_source(self._queries(None)[0], weight=self._weight)
        engine = self._engine(rows)
        with np.errstate(over="ignore", invalid="ignore"):
            columns = engine.reduce(Columns(), rows)
        largest = float(np.abs([columns.least, columns.most]).max())
        scale = scale_of(largest)
        if scale != 1.0:
            columns = engine.reduce(Columns(), RescaledRows(rows, scale))
        return columns, scale

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_int("folds", self.folds, least=2)
        chosen, given = ("loo", "cv", *self._named_bandwidths), self.bandwidth
        if isinstance(given, str):
            if given not in chosen:
                raise ParameterError(
                    f"bandwidth={given!r} is not known. Give a number or one of "
                    f"{', '.join(chosen)}."
                )
        elif not is_float(given):
            raise ParameterTypeError(f"bandwidth={given!r} is not a number. Give one above 0.")
        elif not 0 < float(given) < np.inf:
            raise ParameterError(f"bandwidth={given} is out of range. Give a number above 0.")
        if self.algorithm == "lsh":
            raise ParameterError(
                "algorithm='lsh' may miss rows whose kernels matter. Choose 'auto', or another "
                "exact one."
            )
        if self.missing == "present":
            raise ParameterError("missing='present' leaves kernels undefined. Choose 'mean'.")
