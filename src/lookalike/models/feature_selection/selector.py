"""What the selectors of features share: some columns stay, as they came."""

from __future__ import annotations

import warnings
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.sources.frames import as_frame, values_of
from lookalike.models.estimator import Transformer, check_is_fitted
from lookalike.models.sklearn_bases import SelectorMixin
from lookalike.typing import AnyArray, TableLike


class Selector(SelectorMixin, Transformer):
    """A model that keeps the columns of `support_`; scikit-learn's contract of selectors."""

    _requires_target = True
    support_: AnyArray  # (n_features,) bool
    missing: str = "error"

    def transform(self, X: object) -> TableLike:
        """Return the columns of `X` selected; a frame stays a frame, a sparse matrix sparse."""
        check_is_fitted(self)
        if not self.support_.any():
            warnings.warn(
                "No features were selected: either the data is too noisy or the selection test "
                "too strict.",
                UserWarning,
                stacklevel=2,
            )
        table: Any = X
        if nw.dependencies.is_into_dataframe(table):
            return self._columns_of(X, as_frame(table))
        if sp.issparse(X):
            source = self._reopen(X)
            kept = [self._kept(source.columns, chunk) for chunk in source.chunks()]
            return sp.vstack(kept, format="csr")
        return self._map_rows(self._kept, X, self.get_feature_names_out())

    def _get_support_mask(self) -> AnyArray:
        check_is_fitted(self)
        return self.support_

    def _columns_of(self, X: object, frame: nw.DataFrame[Any]) -> object:
        source = self._reopen(X)
        places = np.flatnonzero(self.support_).tolist()
        chosen = frame[:, places]
        for series, place in zip(chosen.iter_columns(), places, strict=True):
            column = source.columns[place]
            if column.kind == "number" and self.missing == "error":
                values = values_of(series, column.name, "number")
                if values.dtype.kind == "f":
                    require_finite(values[:, None], 0, [column])
        return nw.to_native(chosen)

    def _kept(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        require_finite(chunk.X, chunk.offset, columns, allow_nan=self.missing != "error")
        return chunk.X[:, np.flatnonzero(self.support_)]
