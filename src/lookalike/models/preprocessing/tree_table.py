"""Tables for trees: beside the encoded columns, numbers and codes of categories as they are."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any, Self

import numpy as np

from lookalike.errors import InputWarning
from lookalike.models.preprocessing.table import TablePreprocessor
from lookalike.models.preprocessing.table_encoder import require_encoded
from lookalike.models.sklearn_bases import BaseEstimator, TransformerMixin
from lookalike.models.state import replace_state
from lookalike.typing import AnyArray, Array, TableLike


class TreeTablePreprocessor(TablePreprocessor):
    """Encode the columns of a table, and append them as they are: trees need no encoding.

    The first columns are those of :class:`lookalike.TablePreprocessor`, for models that compare
    rows. After them come the numbers, in which NaN is a missing value, and the codes of categories.

    Attributes
    ----------
    cells_ : TablePreprocessor
        What gives the columns that are appended.
    """

    cells_: TablePreprocessor

    @replace_state
    def fit(self, X: object, y: object = None) -> Self:
        """Learn the scale of numbers and the categories of `X`, any table; `y` is ignored."""
        super().fit(X, y)
        plain = {"scale": "none", "encoding": "codes", "handle_unknown": "ignore"}
        self.cells_ = TablePreprocessor(**self.get_params() | plain).fit(X, y)
        return self

    def transform(self, X: object) -> TableLike:
        """Return the encoded rows of `X`, and the same rows as they are beside them."""
        encoded = self.encoded.transform(X)  # warns of what both have to say
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            cells = copy(self.cells_).set_params(absent_columns=self.absent_columns).transform(X)
        return np.hstack([np.asarray(encoded), np.asarray(cells)])

    def get_feature_names_out(self, input_features: object = None) -> AnyArray:
        """Return the names of the encoded columns, then those of the columns as they are."""
        own = super().get_feature_names_out(input_features)
        return np.concatenate([own, self.cells_.get_feature_names_out(input_features)])

    def table_units(self, Z: AnyArray) -> Array:
        """Return encoded rows, or means of them, in the units of the table."""
        require_encoded(Z, len(self.get_feature_names_out()))
        width = self.n_encoded_
        units = self.encoded.table_units(Z[..., :width])
        return np.concatenate([units, Z[..., width:]], axis=-1)

    def origins(self) -> list[str]:
        """Return for every column of the result the column that it comes from."""
        return super().origins() + self.cells_.origins()

    @property
    def n_encoded_(self) -> int:
        """How many columns the encoded rows have."""
        return len(super().get_feature_names_out())

    @property
    def encoded(self) -> TablePreprocessor:
        """What gives the encoded columns alone."""
        other = TablePreprocessor(**self.get_params())
        other.__dict__.update({k: v for k, v in dict(vars(self)).items() if k != "cells_"})
        return other

    @property
    def code_columns(self) -> list[int]:
        """Which of the columns that are appended are codes of categories."""
        return list(self.cells_.categorical_)


class FeatureRange(TransformerMixin, BaseEstimator):
    """Some consecutive columns, from `begin` up to `end`, of rows that have `width` of them.

    Fitted to rows of another width, where categories have more or fewer values, it takes the
    columns that lie alike from the last one; those from the first on begin there.

    Attributes
    ----------
    n_features_in_ : int
        How many columns the rows have.

    Examples
    --------
    >>> FeatureRange(1, 3, 3).transform(np.array([[1.0, 2.0, 3.0]])).tolist()
    [[2.0, 3.0]]
    >>> wider = np.array([[0.5, 1.0, 2.0, 3.0]])
    >>> FeatureRange(1, 3, 3).fit(wider).transform(wider).tolist()
    [[2.0, 3.0]]
    """

    fitted_width_: int

    def __init__(self, begin: int = 0, end: int = 1, width: int = 1) -> None:
        self.begin = begin
        self.end = end
        self.width = width

    @property
    def n_features_in_(self) -> int:
        """How many columns the rows have."""
        return int(getattr(self, "fitted_width_", self.width))

    @property
    def columns_(self) -> slice:
        """The columns of these rows."""
        shift = self.n_features_in_ - self.width
        return slice(self.begin + shift if self.begin else 0, self.end + shift)

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn how many columns the rows have."""
        self.fitted_width_ = X.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        """Return these columns of the rows."""
        return np.ascontiguousarray(X[:, self.columns_])

    def get_feature_names_out(self, input_features: object = None) -> AnyArray:
        """Return the names of these columns."""
        return np.asarray(input_features, object)[self.columns_]

    def __sklearn_is_fitted__(self) -> bool:
        return True
