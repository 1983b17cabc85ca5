"""A Gaussian mixture for every class, and Bayes' rule between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.special import log_softmax

from lookalike.data.chunk import Chunk, Column, Table
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import MagnitudeError, ParameterError
from lookalike.models.estimator import Model, check_is_fitted, with_callbacks
from lookalike.models.inputs import require_dense
from lookalike.models.labels import require_two_classes
from lookalike.models.linalg.magnitude import too_large
from lookalike.models.mixture.gaussian import GaussianMixture, require_squares
from lookalike.models.priors import as_priors
from lookalike.models.scores import AccuracyMixin
from lookalike.models.targets import given_labels
from lookalike.reductions.by_class import ClassColumns
from lookalike.reductions.columns import Columns
from lookalike.reductions.wrappers import Checked
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    pass


class GaussianMixtureClassifier(AccuracyMixin, Model):
    r"""Classify by Bayes' rule, with a Gaussian mixture for every class.

    .. math:: p(c | x) = \frac{p(x | c)\, p(c)}{\sum_{c'} p(x | c')\, p(c')}, \qquad
              p(x | c) = \sum_k \pi_{ck}\, N(x | \mu_{ck}, \Sigma_{ck})

    [Barber, 14.3]. Between the kernel classifier, which puts a Gaussian on every row, and one
    Gaussian per class. Where a row is so far off that every density underflows, the prior
    decides, as in the source.

    Parameters
    ----------
    n_components : int, mapping from class to int, "bic" or "cv", default="bic"
        Components of each class; "bic" or "cv" chooses for each by itself.
    covariance_type, tol, reg_covar, max_iter, n_init, prior, random_state
        As in :class:`lookalike.GaussianMixture`.
    priors : None, "balanced", mapping or array, default=None
        Prior probability of each class, by label or in the order of `classes_`. None is its
        share of the rows, "balanced" the same for each.
    engine, n_jobs
        As in :class:`lookalike.GaussianMixture`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels in sorted order.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of each class.
    mixtures_ : list of GaussianMixture
        One a class.
    n_iter_ : int
        Rounds of the slowest.
    decisions_ : Decisions
        What was chosen automatically, class by class.

    Examples
    --------
    >>> from lookalike import GaussianMixtureClassifier
    >>> X = [[0.0], [0.2], [0.1], [5.0], [5.3], [5.1]]
    >>> model = GaussianMixtureClassifier(1).fit(X, ["low", "low", "low", "up", "up", "up"])
    >>> model.predict([[0.3], [4.0]])
    array(['low', 'up'], dtype='<U3')
    """

    classes_: AnyArray
    class_prior_: Array
    decisions_: Decisions
    mixtures_: list[GaussianMixture]
    n_iter_: int

    def __init__(
        self,
        n_components: int | str | Mapping[object, int] = "bic",
        *,
        covariance_type: str = "full",
        priors: object = None,
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        prior: float | None = None,
        random_state: object = None,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.priors = priors
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.prior = prior
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Find the components of every class in `X`, any table that can be read again.

        `y` is the class of each row, unless the source brings it, and `sample_weight` how much it
        counts.
        """
        require_dense(X, "every component is dense")
        y = given_labels(self, X, y)
        decisions = Decisions()
        source = self._open(X, y, sample_weight)
        engine = self._engine(source, decisions)
        summary = engine.reduce(Checked(ClassColumns(), source.columns), source)
        columns = engine.reduce(Columns(), source)
        require_squares(columns, source)
        require_two_classes(summary.classes)
        priors = as_priors(self.priors, summary.classes, summary.count[:, 0])
        own_parameters = ("n_components", "priors")
        shared = {
            name: v for name, v in self.get_params(deep=False).items() if name not in own_parameters
        }
        mixtures = []
        for label in summary.classes.tolist():
            mixture = GaussianMixture(self._components_of(label), **shared)
            rows = mixture._open(_OfClass(source, label))
            try:
                mixtures.append(mixture._learn(rows, columns.variance))
            except MagnitudeError:  # named by its number among all rows
                why = "a component of its class has no covariance in float64"
                raise too_large(source, why) from None
            for decision in mixture.decisions_:
                decisions.add(
                    f"class {label!r}, {decision.about}", decision.choice, decision.reason
                )
        self.classes_, self.class_prior_ = summary.classes, priors
        self.mixtures_, self.decisions_ = mixtures, decisions
        self.n_iter_ = max(mixture.n_iter_ for mixture in mixtures)
        return self

    def _components_of(self, label: object) -> int | str:
        if not isinstance(self.n_components, Mapping):
            return self.n_components
        if label not in self.n_components:
            raise ParameterError(
                f"n_components names {list(self.n_components)}, and y has class {label!r}. "
                "Name every class."
            )
        return self.n_components[label]

    def predict(self, X: object) -> AnyArray:
        """Return the most probable class of every row, the first of equals."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_log_proba(X).argmax(axis=1)])

    def predict_proba(self, X: object) -> Array:
        """Return the probability of every class, in the order of `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: object) -> Array:
        """Return the logarithm of the probabilities."""
        require_dense(X, "every component is dense")
        source = self._reopen(X)
        with np.errstate(divide="ignore"):  # a class may have no probability
            log_prior = np.log(self.class_prior_)
        scores = np.column_stack([mixture.score_samples(source) for mixture in self.mixtures_])
        scores -= scores.max(axis=1, keepdims=True)  # so that the prior counts at any distance
        return np.asarray(log_softmax(scores + log_prior, axis=1))


class _OfClass:
    """The rows of one class of another source."""

    def __init__(self, source: Source, label: object) -> None:
        self._source, self._label = source, label
        self.n_rows: int | None = None
        self.n_features, self.dtype = source.n_features, source.dtype
        self.repeatable, self.home = source.repeatable, source.home
        self.named = source.named

    @property
    def columns(self) -> tuple[Column, ...]:
        return self._source.columns

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        offset = 0
        for chunk in self._source.chunks(rows):
            rows_of_class = np.flatnonzero(np.asarray(chunk.y) == self._label)
            if len(rows_of_class):
                weight = None if chunk.weight is None else chunk.weight[rows_of_class]
                yield Chunk(chunk.X[rows_of_class], None, weight, offset)
            offset += len(rows_of_class)

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        raise NotImplementedError
