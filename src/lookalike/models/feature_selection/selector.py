"""What the selectors of features share: some columns stay, as they came."""

from __future__ import annotations

import warnings
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import SelectorMixin

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.models.estimator import Model, check_is_fitted
from lookalike.typing import AnyArray


class Selector(SelectorMixin, Model):  # type: ignore[misc]
    """A model that keeps the columns of `support_`; scikit-learn's contract of selectors."""

    support_: AnyArray  # (n_features,) bool
    missing: str = "error"

    def transform(self, X: object) -> Any:
        """Return the columns that were selected, of the type that they have.

        Parameters
        ----------
        X : table
            The columns of fit. A frame stays a frame of its kind, a sparse matrix stays sparse.
        """
        check_is_fitted(self)
        if not self.support_.any():
            warnings.warn(
                "No features were selected: either the data is too noisy or the selection test "
                "too strict.",
                UserWarning,
                stacklevel=2,
            )
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return self._columns_of(X, frame)
        if sp.issparse(X):
            source = self._reopen(X)
            kept = [self._kept(source.columns, chunk) for chunk in source.chunks()]
            return sp.vstack(kept, format="csr")
        return self._map_rows(self._kept, X, self.get_feature_names_out())

    def _get_support_mask(self) -> AnyArray:
        check_is_fitted(self)
        return self.support_

    def _columns_of(self, X: object, frame: nw.DataFrame[Any]) -> Any:
        source = self._reopen(X)
        names = [name for name, kept in zip(frame.columns, self.support_, strict=True) if kept]
        chosen = frame.select(names)
        for name, column in zip(frame.columns, source.columns, strict=True):
            if name in names and column.kind == "number" and self.missing == "error":
                values = chosen.get_column(name).to_numpy()
                if values.dtype.kind == "f":
                    require_finite(values[:, None], 0, [column])
        return nw.to_native(chosen)

    def _kept(self, columns: tuple[Column, ...], chunk: Chunk) -> Any:
        require_finite(chunk.X, chunk.offset, columns, allow_nan=self.missing != "error")
        return chunk.X[:, np.flatnonzero(self.support_)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
