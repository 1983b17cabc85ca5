"""Mean and scatter of the rows of every fold, from which any fold can be left out."""

from __future__ import annotations

from lookalike.data.chunk import Chunk
from lookalike.kernels.scatter import Moments, scatter
from lookalike.reductions.covariance import Covariance


class Folds:
    """Moments of each of several folds; row n belongs to fold ``n % n_folds``.

    Parameters
    ----------
    n_folds : int
        How many folds.
    """

    def __init__(self, n_folds: int = 5) -> None:
        self.n_folds = n_folds

    def init(self, n_features: int) -> tuple[Moments, ...]:
        """Return the moments of no rows."""
        return tuple(Covariance().init(n_features) for _ in range(self.n_folds))

    def update(self, state: tuple[Moments, ...], chunk: Chunk) -> tuple[Moments, ...]:
        """Join the rows of `chunk`, each to its fold."""
        found = []
        for fold in range(self.n_folds):
            rows = slice((fold - chunk.offset) % self.n_folds, None, self.n_folds)
            weight = None if chunk.weight is None else chunk.weight[rows]
            if chunk.X[rows].shape[0]:
                found.append(scatter(chunk.X[rows], weight))
            else:
                found.append(Covariance().init(chunk.X.shape[1]))
        return self.merge(state, tuple(found))

    def merge(self, left: tuple[Moments, ...], right: tuple[Moments, ...]) -> tuple[Moments, ...]:
        """Join two groups of rows, fold by fold."""
        join = Covariance().merge
        return tuple(join(mine, theirs) for mine, theirs in zip(left, right, strict=True))

    def finalize(self, state: tuple[Moments, ...]) -> tuple[Moments, ...]:
        """Return the moments of each fold."""
        return state
