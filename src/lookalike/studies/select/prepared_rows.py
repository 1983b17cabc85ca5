"""Rows as each kind of model sees them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from lookalike.data.sources.kept_rows import read_only
from lookalike.engines.blas import openmp_threads, single_threaded_blas
from lookalike.models.neighbors.metric_options import NeighborOptions
from lookalike.settings import config
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.select.preparation import Preparation

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.data.chunk import Matrix

SINGLE_THREAD_CELLS = 50_000  # of a table for which threads are not worth their while
SINGLE_BLAS_CELLS = 200_000  # for which those of libraries wait for each other more than they work


class PreparedRows:
    """Rows as each kind of model sees them: one preprocessor for each, fitted once."""

    def __init__(self, dataset: Dataset, preparation: Preparation) -> None:
        self.preparation = preparation
        self._dataset: Dataset | None = dataset
        self._fitted: dict[str, tuple[object, object]] = {}

    def of(self, features: str) -> tuple[BaseEstimator, Matrix]:
        """Return the fitted preprocessor, and the preprocessed rows."""
        features = self.preparation.same(features)
        if features not in self._fitted:
            assert self._dataset is not None, f"{features!r}: the rows were released"
            preprocessor = self.preparation.preprocessor(features)
            Z = read_only(preprocessor.fit_transform(self._dataset.source()))
            self._fitted[features] = preprocessor, Z
        return self._fitted[features]

    def prepare(self, features: Iterable[str]) -> None:
        """Preprocess the rows for these features and the analyses; keep them no longer as given."""
        for name in (*features, *self.preparation.analyzed):
            self.of(name)
        self._dataset = None

    def preprocessor(self, features: str) -> BaseEstimator:
        """Return the fitted preprocessor."""
        known = self._fitted.get(self.preparation.same(features))
        return self.of(features)[0] if known is None else known[0]

    def release_rows(self) -> None:
        """Keep the preprocessors, those of the analyses among them, and no rows."""
        self.prepare(())
        self._fitted = {name: (fitted, None) for name, (fitted, _) in self._fitted.items()}

    def search(self, features: str) -> NeighborOptions:
        """Return the parameters of a neighbor search on these features."""
        features = self.preparation.same(features)
        return self.preparation.search(features, self.preprocessor(features))


@contextmanager
def few_threads(dataset: Dataset) -> Iterator[None]:
    """Work in one thread where rows are few: more would wait for each other.

    The BLAS and OpenMP keep to one thread for larger tables than trees and searches do.
    """
    cells = len(dataset) * len(dataset.kinds)
    if cells > SINGLE_BLAS_CELLS:
        yield
        return
    threads = config(threads=1) if cells <= SINGLE_THREAD_CELLS else nullcontext()
    with threads, single_threaded_blas(), openmp_threads(1):
        yield
