"""Ridge regression (L2 penalty), the penalty chosen by leave-one-out error."""

from __future__ import annotations

from typing import Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.interrupt import interruptible
from lookalike.kernels.transform import map_rows
from lookalike.models.estimator import Model, check_is_fitted, with_callbacks
from lookalike.models.linalg.magnitude import require_shared_magnitude
from lookalike.models.scores import R2Mixin
from lookalike.models.targets import missing_target, read_numbers, require_sums
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_float, check_pair, shown

RIDGE_PENALTIES_TRIED = 25  # penalties tried
RIDGE_PENALTY_RANGE = (1e-6, 1e3)  # of them, as parts of the mean squared singular value
RANK_TOLERANCE = 1e-12  # part of the largest singular value below which one is rounding


class Ridge(R2Mixin, Model):
    r"""Ridge regression: least squares with an L2 penalty, chosen by leave-one-out error.

    .. math:: b = w^\top x + b_0, \qquad
              E(w) = \sum_n v_n (b^n - w^\top x^n - b_0)^2 + \alpha \|w\|^2

    [Barber, exercise 14.3], with weights :math:`v_n` of the rows. One singular value decomposition
    of the centered rows, of cost :math:`O(N D \min(N, D))`, serves every :math:`\alpha`. With
    :math:`\alpha = 0` and more features than rows, of the many w that fit the one of least length
    is taken. Leaving a row out needs no other fit,

    .. math:: b^n - b_{-n}(x^n) = \frac{b^n - b(x^n)}{1 - h_n}, \qquad
              h_n = \frac{1}{\sum_m v_m} + \sum_j \frac{(u_j^\top \tilde x^n)^2}{s_j^2 + \alpha}.

    Parameters
    ----------
    alpha : float or "loo", default="loo"
        The L2 penalty; or the one of lowest leave-one-out error. 0 is least squares.
    fit_intercept : bool, default=True
        Whether there is a :math:`b_0`, which has no penalty.
    target_range : pair of float, optional
        The least and the largest score, such as (0, 100): predictions beyond are set to the end
        of the range, also those that are left out while :math:`\alpha` is chosen.
    engine : {"auto", "memory"}, default="auto"
        The rows are read into memory.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_outputs, n_features)
        w: what a unit of each feature adds to the prediction. :func:`lookalike.report.plots.ridge.
        plot_coefficients` shows it as an image.
    intercept_ : float or ndarray of shape (n_outputs,)
        :math:`b_0`.
    alpha_ : float
        The penalty used.
    curve_ : dict of str to ndarray
        Leave-one-out errors of the penalties tried, for ``alpha="loo"``.
    loo_predictions_ : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        Leave-one-out predictions (of a row of weight two, a copy stays). NaN where a row alone
        determines its own prediction.
    n_samples_fit_ : int
        Rows fitted.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> from lookalike import Ridge
    >>> model = Ridge(0.0).fit([[0.0, 1.0], [1.0, 3.0], [2.0, 0.0]], [1.0, 5.0, 0.0])
    >>> model.coef_.round(10), round(float(model.intercept_), 10)
    (array([0.4, 1.8]), -0.8)
    """

    alpha_: float
    decisions_: Decisions
    intercept_: float | Array
    curve_: dict[str, Array]

    n_jobs: int | None = None  # the decomposition uses the threads of the BLAS

    _several_outputs = True

    def __init__(
        self,
        alpha: float | str = "loo",
        *,
        fit_intercept: bool = True,
        target_range: tuple[float, float] | None = None,
        engine: str = "auto",
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.target_range = target_range
        self.engine = engine

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Fit the coefficients to `X`, any table of numbers.

        `y` holds finite numbers, one or several per row, and is None where `X` is a source that
        holds them. A row of weight two counts as that row twice, one of weight zero as absent.
        """
        self._check_parameters(X)
        decisions = Decisions()
        source = self._open(X, sample_weight=sample_weight)
        chunk = gather(source)
        require_finite(chunk.X, 0, source.columns)
        largest = float(np.abs(chunk.X).max(initial=0.0))
        require_shared_magnitude(source, largest, "the other coefficients")
        targets, flat = self._targets(chunk.y if y is None else y, len(chunk.X))
        solved = _RidgeSVD(chunk, targets, self.fit_intercept, self._range())
        if len(solved.size) < self.n_features_in_:
            rank = f"{len(solved.size)} of {self.n_features_in_} directions"
            decisions.add("rank", rank, "the rows do not vary along the others: w is 0 there")
        curve = None
        if self.alpha == "loo":
            tried = np.geomspace(*RIDGE_PENALTY_RANGE, RIDGE_PENALTIES_TRIED) * max(
                float((solved.size**2).mean()) if len(solved.size) else 0.0, 1e-300
            )
            mse = np.array([solved.loo_error(a) for a in tried])
            curve = {"alpha": tried, "mse": mse}
            alpha = float(tried[mse.argmin()])
            decisions.add(
                "alpha",
                f"{alpha:.4g}",
                f"lowest leave-one-out error of {RIDGE_PENALTIES_TRIED} tried",
            )
        else:
            alpha = float(self.alpha)
        coef, intercept = solved.weights(alpha)
        loo_predictions = solved.loo_predictions(alpha)
        self.coef_: Array = coef[0] if flat else coef
        self.intercept_ = intercept[0] if flat else intercept
        self.loo_predictions_: Array = loo_predictions[:, 0] if flat else loo_predictions
        self.alpha_, self.decisions_ = alpha, decisions
        self.n_samples_fit_: int = len(targets)
        self.__dict__.pop("curve_", None)
        if curve is not None:
            self.curve_ = curve
        return self

    def predict(self, X: object) -> Array:
        """Return the prediction for every row of `X`."""
        check_is_fitted(self)
        if sp.issparse(X):
            raise ParameterTypeError("X is sparse, and rows are centered. Give X.toarray().")
        source = self._reopen(X)
        parts = list(self._engine(source).map(lambda chunk: self._predict(source, chunk), source))
        return np.concatenate(parts)

    def _predict(self, source: Source, chunk: Chunk) -> AnyArray:
        require_finite(chunk.X, chunk.offset, source.columns)
        products = map_rows(chunk.X, np.atleast_2d(self.coef_), threads=1)
        scores = (products[:, 0] if self.coef_.ndim == 1 else products) + self.intercept_
        return np.asarray(np.clip(scores, *self._range()))

    def _targets(self, y: object, n_rows: int) -> tuple[Array, bool]:
        """Return the targets as (rows, outputs), and whether they were one per row."""
        if y is None:
            raise missing_target("Ridge")
        targets, flat = read_numbers(y)
        require_sums(targets)
        if len(targets) != n_rows:
            raise ShapeError(f"y holds {len(targets)} entries, X has {n_rows} rows.")
        low, high = self._range()
        outside = targets[(targets < low) | (targets > high)]
        if outside.size:
            raise ParameterError(
                f"y holds {outside[0]:g}, outside target_range={self.target_range}. Give the range "
                "of the scores, or correct y."
            )
        return targets, flat

    def _range(self) -> tuple[float, float]:
        """Return the range of the predictions."""
        if getattr(self, "target_range", None) is None:
            return -np.inf, np.inf
        ends = check_pair("target_range", self.target_range, "the least and the largest score")
        low, high = (check_float("target_range", end, least=-np.inf, infinite=True) for end in ends)
        if not low < high:
            raise ParameterError(
                f"target_range={self.target_range} is empty. Give the least and the largest score."
            )
        return low, high

    def _check_parameters(self, X: object) -> None:
        if self.alpha != "loo":
            if isinstance(self.alpha, str):
                raise ParameterError(f"alpha={self.alpha!r} is not known. Give a number or 'loo'.")
            check_float("alpha", self.alpha, least=0.0)
        if not isinstance(self.engine, str) or self.engine not in ("auto", "memory"):
            raise ParameterError(
                f"engine={shown(self.engine)} leaves the rows in their source, and their singular "
                "values are taken in memory. Choose 'auto'."
            )
        if sp.issparse(X):
            raise ParameterTypeError("X is sparse, and rows are centered. Give X.toarray().")


class _RidgeSVD:
    """The centered rows as U S V', from which every penalty is solved."""

    def __init__(
        self, chunk: Chunk, targets: Array, fit_intercept: bool, target_range: tuple[float, float]
    ) -> None:
        self._range = target_range
        X = np.asarray(chunk.X, np.float64)
        weight = np.ones(len(X)) if chunk.weight is None else chunk.weight
        self._targets, self._weight, total = targets, weight, float(weight.sum())
        self._center = weight @ X / total if fit_intercept else np.zeros(X.shape[1])
        self._middle = weight @ targets / total if fit_intercept else np.zeros(targets.shape[1])
        self._flat_share = 1 / total if fit_intercept else 0.0
        root = np.sqrt(weight)[:, None]
        self._centered = X - self._center
        left, size, axes = interruptible(np.linalg.svd, self._centered * root, full_matrices=False)
        kept = size > RANK_TOLERANCE * size.max(initial=0.0)
        self.size: Array = size[kept]
        self._axes: Array = axes[kept]  # (rank, columns)
        self._along: Array = left[:, kept].T @ (root * (targets - self._middle))
        self._scores: Array = self._centered @ self._axes.T  # (rows, rank), weights not in them

    def weights(self, alpha: float) -> tuple[Array, Array]:
        """Return w (outputs, columns) and the intercepts."""
        coef: Array = (self._axes.T @ self._shrunk(alpha)).T
        return coef, self._middle - coef @ self._center

    def loo_predictions(self, alpha: float) -> Array:
        """Return the leave-one-out predictions (rows, outputs); of copies, one is left out."""
        residual = self._targets - self._middle - self._scores @ self._shrunk(alpha)
        share = self._flat_share + (self._scores**2 / (self.size**2 + alpha)).sum(axis=1)
        rest = np.where(1 - share > 1e-10, 1 - share, np.nan)[:, None]
        predicted: Array = np.clip(self._targets - residual / rest, *self._range)
        return predicted

    def loo_error(self, alpha: float) -> float:
        """Return the leave-one-out mean squared error."""
        error = ((self._targets - self.loo_predictions(alpha)) ** 2).mean(axis=1)
        known = np.isfinite(error) & (self._weight > 0)
        if not known.any():
            return np.inf
        return float(self._weight[known] @ error[known] / self._weight[known].sum())

    def _shrunk(self, alpha: float) -> Array:
        shrunk: Array = (self.size / (self.size**2 + alpha))[:, None] * self._along
        return shrunk
