"""Solvers for the principal components, which all give the same result."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import ArpackError, svds
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import randomized_svd

from lookalike.data.chunk import Chunk
from lookalike.data.source import Source
from lookalike.data.sources.sparse import SparseSource
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.engines.blas import single_threaded_blas
from lookalike.errors import ConvergenceError, RepeatError, ShapeError
from lookalike.interrupt import interruptible
from lookalike.kernels.native_arrays import native_matrix
from lookalike.kernels.scatter import Moments
from lookalike.kernels.symmetric import Symmetric
from lookalike.models.linalg.centered import CenteredRows
from lookalike.models.linalg.eigenvectors import cut_rounding, rounding, settled_axes
from lookalike.models.linalg.krylov import leading_pairs, orthonormal
from lookalike.reductions.columns import Columns
from lookalike.reductions.scatter_product import ScatterProduct
from lookalike.reductions.wrappers import Checked, CountedState, WithRowCount
from lookalike.typing import AnyArray, Array

MAX_LEADING_PASSES = 300  # of the leading solver at most
MIN_GUARD_DIRECTIONS = 20  # that the leading solver keeps beyond those requested
START_ROWS_PER_DIRECTION = 40  # rows a direction, from which its start is computed
DIRECTION_MULTIPLE = 8  # it keeps a multiple of these, as many as the BLAS multiplies at once
LEADING_RESIDUAL_FLOAT64 = 1e-10  # tolerance for tol=0 with products in these types
LEADING_RESIDUAL_FLOAT32 = 2e-6


class PCASolution(NamedTuple):
    """The spectrum and the components of some rows, whatever the solver."""

    rows: int
    weight: float  # of all of them
    mean: Array
    variance: Array  # of the directions known, falling, zero beyond the rank
    rank: int
    total: float  # the variance along all directions
    column_variance: Array
    directions: Callable[[int], Array]  # gives the first this many, one per row


def by_covariance(gathered: CountedState[Moments], ddof: int, products: np.dtype) -> PCASolution:
    r"""Solve :math:`S u = \lambda u` [Bishop95, eq. 8.22] for moments gathered in one pass.

    `products` is the type in which rows were multiplied.
    """
    moments = gathered.state
    rows, n_features = effective_rows(gathered.rows, moments.count), len(moments.mean)
    degrees = max(moments.count - ddof, 0.0)
    covariance = moments.scatter / degrees if degrees > 0 else np.zeros_like(moments.scatter)
    eigen = Symmetric(covariance)
    variance, rank = cut_rounding(eigen.values, rounding(n_features, products))
    return PCASolution(
        rows,
        moments.count,
        moments.mean,
        variance[: min(rows, n_features)],
        rank,
        float(variance.sum()),
        np.diag(covariance).copy(),
        lambda k: settled_axes(eigen.vectors, variance, rank, k, n_features),
    )


def by_gram(data: CenteredRows, ddof: int) -> PCASolution:
    r"""Solve the dual problem of N x N numbers, where rows are fewer than columns.

    .. math:: X^\top X \tilde E = \tilde E \Lambda, \qquad E = X \tilde E \Lambda^{-1/2}

    [Barber, eq. 15.3.4-5, whose columns of E~ have length :math:`\Lambda^{1/2}` where ours have
    one; UCSD]. X holds a centered row a column.
    """
    eigen = Symmetric(data.gram())
    squares, rank = cut_rounding(eigen.values, rounding(data.shape[1]))

    def vectors(k: int) -> Array:
        stretched = data.transposed_times(eigen.vectors(k).T)
        basis, triangle = interruptible(
            np.linalg.qr, stretched
        )  # small variances leave them almost orthogonal
        return (basis * np.where(np.diag(triangle) < 0, -1.0, 1.0)).T

    return _of_squares(data, squares, rank, vectors, ddof)


def by_svd(data: CenteredRows, ddof: int) -> PCASolution:
    r"""Take the singular values :math:`X = U D V^\top` [Barber, eq. 15.3.6].

    Variances are resolved down to the square of the precision of numbers.
    """
    _, size, vectors = interruptible(np.linalg.svd, data.X, full_matrices=False)
    squares, rank = cut_rounding(size**2, (max(data.shape) * data.precision) ** 2)
    return _of_squares(data, squares, rank, lambda k: vectors[:k], ddof)


class TruncatedSolver:
    """The solvers that find the leading `k` components alone; `decisions` gets their residual."""

    k: int
    ddof: int
    tol: float
    decisions: Decisions
    rng: np.random.RandomState

    def __init__(
        self, k: int, ddof: int, tol: float, rng: np.random.RandomState, decisions: Decisions
    ) -> None:
        self.k, self.ddof, self.tol = k, ddof, tol
        self.rng, self.decisions = rng, decisions

    def arpack(self, data: CenteredRows) -> PCASolution:
        """Take the leading singular values by ARPACK, as scikit-learn does."""
        start = self.rng.uniform(-1, 1, min(data.shape)).astype(data.X.dtype)
        vectors = np.eye(self.k, data.shape[1])  # of rows that do not vary any will do
        if data.column_scatter.any():
            try:
                _, _, vectors = svds(data.operator(), k=self.k, tol=self.tol, v0=start)
            except ArpackError as error:
                raise ConvergenceError(
                    f"svd_solver='arpack' found no components: {error}. Choose 'covariance_eigh'."
                ) from error
        return self._rayleigh_ritz(data, vectors, "arpack")

    def randomized(self, data: CenteredRows, **options: object) -> PCASolution:
        """Take those of a random projection [Halko11], as scikit-learn does with its `options`."""
        _, _, vectors = randomized_svd(
            data.X, n_components=self.k, flip_sign=False, random_state=self.rng, **options
        )
        return self._rayleigh_ritz(data, vectors, "randomized")

    def leading(self, engine: Engine, source: Source, gathered: CountedState[Any]) -> PCASolution:
        """Find the leading components by block Krylov, with a pass over the rows for every block.

        Neither the covariance nor the rows are in memory, so that it runs on any engine.
        """
        columns = gathered.state
        count = float(columns.count.max())
        n_features = source.n_features
        width = min(
            n_features,
            -(-(self.k + MIN_GUARD_DIRECTIONS) // DIRECTION_MULTIPLE) * DIRECTION_MULTIPLE,
        )
        products = product_dtype(source)
        mean = columns.mean
        near = count * float(mean @ mean) <= float(columns.scatter.sum())
        dtype = None if near or isinstance(source, SparseSource) else products

        def product(block: Array) -> ScatterProduct:
            return ScatterProduct(block, mean, columns.tail, dtype)

        aim = self.tol or (
            LEADING_RESIDUAL_FLOAT32 if products == np.float32 else LEADING_RESIDUAL_FLOAT64
        )
        with single_threaded_blas():  # thin blocks gain nothing by more threads, and fix the bits
            values, vectors, residual, passes = leading_pairs(
                lambda block: engine.reduce(product(block), source),
                _start(source, product, self.rng.standard_normal((n_features, width))),
                self.k,
                tolerance=aim,
                passes=MAX_LEADING_PASSES,
            )
        self._note_residual(residual, f"{passes} passes over the rows")
        if residual > aim:
            warnings.warn(
                f"The leading components have a residual of {residual:.1e} after "
                f"{passes} passes, and the tolerance is {aim:.0e}. Raise tol, or choose "
                "svd_solver='covariance_eigh'.",
                ConvergenceWarning,
                stacklevel=4,
            )
        degrees = require_degrees(count, self.ddof)
        column_variance = columns.scatter / degrees
        variance, rank = cut_rounding(values / degrees, rounding(n_features, products))
        return PCASolution(
            effective_rows(gathered.rows, count),
            count,
            columns.mean,
            variance,
            rank,
            float(column_variance.sum()),
            column_variance,
            lambda n: settled_axes(lambda m: vectors[:m], variance, rank, n, n_features),
        )

    def _rayleigh_ritz(self, data: CenteredRows, vectors: AnyArray, name: str) -> PCASolution:
        """Return the Rayleigh-Ritz solution in the space of a solver, and record its residual."""
        V = interruptible(np.linalg.qr, vectors.T.astype(np.float64))[0]
        along = data.times(V)
        rising, turn = interruptible(np.linalg.eigh, along.T @ along)
        squares, turn = rising[::-1], turn[:, ::-1]
        V = V @ turn
        residual = data.transposed_times(along @ turn) - V * squares
        largest = max(float(squares[0]), np.finfo(float).tiny)
        self._note_residual(float(np.linalg.norm(residual, axis=0).max()) / largest, f"by {name}")
        squares, rank = cut_rounding(squares, rounding(data.shape[1], data.X.dtype))
        return _of_squares(data, squares, rank, lambda k: V.T[:k], self.ddof)

    def _note_residual(self, residual: float, how: str) -> None:
        choice, what = f"residual {residual:.1e}", f"largest |S u - v u| / v1, {how}"
        self.decisions.add("components_", choice, what)


def column_means(engine: Engine, source: Source) -> CountedState[Any]:
    """Return the moments of each column, and the number of rows."""
    if not source.repeatable:
        raise RepeatError(
            "svd_solver='leading' goes through the rows several times, and they come from an "
            "iterator that is read once. Give a function that returns a new iterator, or choose "
            "svd_solver='covariance_eigh'."
        )
    return engine.reduce(Checked(WithRowCount(Columns()), source.columns), source)


def _start(source: Source, product: Callable[[Array], ScatterProduct], block: Array) -> Array:
    """Return a block turned towards the leading directions of the first rows alone.

    That costs little and spares a pass or two over all rows, where the first are like the
    others. A part that stays random keeps the block of full rank, and the result right, where
    they are not.
    """
    random = block / np.linalg.norm(block, axis=0)
    for _ in range(3):
        turn = product(block)
        state, rows = turn.init(len(block)), 0
        for chunk in map(Chunk.in_memory, source.chunks()):
            state, rows = turn.update(state, chunk), rows + chunk.X.shape[0]
            if rows >= START_ROWS_PER_DIRECTION * block.shape[1]:
                break
        turned = turn.finalize(state)
        length = np.linalg.norm(turned, axis=0)
        block = orthonormal(turned / np.where(length > 0, length, 1.0) + 0.01 * random)
    return block


def product_dtype(source: Source) -> np.dtype:
    """Return the type in which the kernels multiply the rows of `source`."""
    if isinstance(source, SparseSource):
        return np.dtype(np.float64)
    return native_matrix(np.empty((1, 1), source.dtype)).dtype


def require_degrees(weight: float, ddof: int) -> float:
    """Return what sums of squares are divided by, or raise where nothing is left."""
    if weight <= ddof:
        raise ShapeError(
            f"n_samples={weight:g} with ddof={ddof} leaves no degrees of freedom. "
            "Give at least two rows; of weights that sum to one, choose ddof=0."
        )
    return weight - ddof


def effective_rows(rows: int, count: float) -> int:
    """Return how many rows there are, where one of weight 3 counts as three equal ones."""
    return max(rows, int(count))


def _of_squares(
    data: CenteredRows, squares: Array, rank: int, vectors: Callable[[int], Array], ddof: int
) -> PCASolution:
    """Return the solution that squared singular values make."""
    degrees = require_degrees(data.count, ddof)
    rows, n_features = effective_rows(data.rows, data.count), data.shape[1]
    variance = squares[: min(data.shape)] / degrees
    column_variance = data.column_scatter / degrees
    total = float(column_variance.sum())
    if len(variance) == min(data.shape):  # of equal rows that a weight stands for there is no more
        variance = np.pad(variance, (0, min(rows, n_features) - len(variance)))
        total = float(variance.sum())
    return PCASolution(
        rows,
        data.count,
        data.mean,
        variance,
        rank,
        total,
        column_variance,
        lambda k: settled_axes(vectors, variance, rank, k, n_features),
    )
