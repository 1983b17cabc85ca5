"""Principal component analysis: the directions of largest variance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from lookalike.models.decomposition.pca_updates import PCAModel
from lookalike.models.estimator import Transformer, with_callbacks
from lookalike.models.sklearn_bases import ClassNamePrefixFeaturesOutMixin

if TYPE_CHECKING:
    from sklearn.utils import Tags


class PCA(ClassNamePrefixFeaturesOutMixin, Transformer, PCAModel):
    r"""Project rows onto the directions in which they vary most.

    .. math:: S u_j = \lambda_j u_j, \qquad z_j = u_j^\top (x - \bar x)

    [Barber, algorithm 15.1; Bishop95, eq. 8.22]. The covariance :math:`S` is gathered in one
    pass over the rows, in pieces that any engine can join, and is right at any common offset.
    Every solver and every engine gives the same directions: each is turned so that its largest
    entry is positive, of equally large ones that in the lowest column.

    Parameters
    ----------
    n_components : int, float or {"knee", "parallel", "mle", "cv"}, optional
        Number of components: all of them (None), a number, as many as explain more than this
        fraction of the variance (1.0: all of it, which are as many as the rank), those before
        the knee of the scree plot, parallel analysis [Horn65], the maximum-likelihood number
        [Minka00], or the number that predicts held-out values best (cross-validation).
    copy : bool, default=True
        For compatibility with scikit-learn: the rows given are never changed.
    whiten : bool, default=False
        Whether scores are divided by their deviation. Directions without variance score zero.
    svd_solver : {"auto", "covariance_eigh", "gram", "full", "leading", "arpack", "randomized"}
        ``"covariance_eigh"`` takes one pass and d x d numbers; ``"gram"`` holds the rows and
        n x n numbers; ``"full"`` is the singular value decomposition of all rows, which alone
        resolves variances below 1e-13 of the largest; ``"leading"`` is a block Krylov iteration
        for a few directions, with a pass over the rows a block. ``"arpack"`` and
        ``"randomized"`` are scikit-learn's. ``"auto"`` says in `decisions_` what it chose.
    tol : float, default=0.0
        Residual at which ``"leading"`` and ``"arpack"`` stop; 0 means as small as is sensible.
    iterated_power, n_oversamples, power_iteration_normalizer
        Options of ``"randomized"``, as in scikit-learn.
    random_state : int, RandomState or None
        Seed of ``"parallel"`` and of iterative solvers. None means 0: equal rows, equal results.
    ddof : {1, 0}, default=1
        Whether the covariance divides by N - 1 [Barber] or by N [Bishop95].
    missing : {"error", "em"}, default="error"
        Whether NaN is an error, or stands for a value that is missing at random: the model is
        then learned by EM [Tipping99], in several passes.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where the computation runs.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, by falling variance.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Variance of the scores, and its share of the total; zero for rows that are all equal.
    singular_values_ : ndarray of shape (n_components,)
        :math:`\sqrt{(N - \mathrm{ddof}) \lambda_j}`.
    spectrum_ : ndarray of shape (min(n_rows, n_features),)
        The variance along every direction, kept or not; of ``"leading"``, ``"arpack"`` and
        ``"randomized"`` the kept ones alone.
    mean_ : ndarray of shape (n_features,)
        Mean of the rows.
    noise_variance_ : float
        Mean variance of the directions left out.
    reconstruction_error_ : float
        :math:`(N - 1) \sum_{j > M} \lambda_j` [Barber, eq. 15.2.19], what `inverse_transform`
        misses of the rows, squared and summed.
    n_components_ : int
        Directions kept.
    rank_ : int
        Directions in which the rows vary at all, as far as `spectrum_` goes.
    n_samples_ : int or float
        Rows, or their weight.
    cv_errors_ : ndarray
        With ``n_components="cv"``, the squared error of predicting held-out values with 0, 1,
        2, … components.
    moments_ : CountedState or None
        Rows, weight, mean and scatter, to which `partial_fit` and `merge` join others; None
        where the solver did without.
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    The worked example of [LUMS]:

    >>> from lookalike import PCA
    >>> X = [[2.5, 2.4], [0.5, 0.7], [2.2, 2.9], [1.9, 2.2], [3.1, 3.0],
    ...      [2.3, 2.7], [2.0, 1.6], [1.0, 1.1], [1.5, 1.6], [1.1, 0.9]]
    >>> pca = PCA(n_components=1, ddof=0).fit(X)
    >>> pca.mean_.round(2), pca.explained_variance_.round(4)
    (array([1.81, 1.91]), array([1.1556]))
    """

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        iterated_power: int | str = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: object = None,
        ddof: int = 1,
        missing: str = "error",
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.ddof = ddof
        self.missing = missing
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Find the directions in which the rows of `X`, any table, vary most; `y` is ignored.

        A row of weight two counts as that row twice.
        """
        self._fit(X, sample_weight)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        incomplete = self.missing == "em"
        tags.input_tags.sparse = not incomplete and self.svd_solver not in ("full", "randomized")
        tags.input_tags.allow_nan = incomplete
        return tags


def without_moments(model: PCA) -> PCA:
    """Return a fitted model that transforms alike, without what `partial_fit` goes on from."""
    return model._lean()
