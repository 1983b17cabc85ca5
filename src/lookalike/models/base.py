"""What all models share: rows come in as a Source, answers go out as the kind that came in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from lookalike.data.chunk import Chunk
from lookalike.data.checks import require_finite
from lookalike.data.frames import like
from lookalike.data.source import Source, open_source
from lookalike.decisions import Decisions
from lookalike.engines import Engine, engine_for
from lookalike.typing import AnyArray


class Model(BaseEstimator):  # type: ignore[misc]
    """Base of the estimators: opens rows, picks the engine, keeps `decisions_`.

    Subclasses have the parameters `engine` and `n_jobs`.
    """

    engine: str
    n_jobs: int | None
    decisions_: Decisions

    def _open(self, X: Any, y: Any = None, sample_weight: Any = None) -> Source:
        """Return the rows to fit on, and note their columns."""
        self.decisions_ = Decisions()
        source = open_source(X, y, weight=sample_weight)
        self._note_columns(X, source, reset=True)
        return source

    def _reopen(self, X: Any) -> Source:
        """Return the rows to answer for, checked against those of fit."""
        check_is_fitted(self)
        source = open_source(X)
        self._note_columns(X, source, reset=False)
        return source

    def _note_columns(self, X: Any, source: Source, *, reset: bool) -> None:
        shown = X if hasattr(X, "shape") or isinstance(X, list | tuple) else _Shape(source)
        validate_data(self, shown, reset=reset, skip_check_array=True)

    def _engine_for(self, source: Source) -> Engine:
        return engine_for(source, self.engine, n_jobs=self.n_jobs, decisions=self.decisions_)

    def _map_rows(
        self, function: Callable[[AnyArray], AnyArray], X: Any, names: AnyArray | None
    ) -> Any:
        """Return `function` of the rows of `X`, as the kind of table that `X` is."""
        source = self._reopen(X)

        def of_chunk(chunk: Chunk) -> AnyArray:
            require_finite(chunk.X, chunk.offset, source.columns)
            return function(chunk.X)

        engine = engine_for(source, self.engine, n_jobs=self.n_jobs)
        return like(X, np.concatenate(list(engine.map(of_chunk, source))), names)
