"""The covariance types of a mixture: full, tied, diagonal, spherical."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.interrupt import interruptible
from lookalike.reductions.mixture import ComponentMoments
from lookalike.typing import Array, Rows

VARIANCE_FLOOR_TOLERANCE = 1 + 1e-6  # of the floor, up to which a variance counts as being at it


class CovarianceType(ABC):
    """How covariances of one type are estimated, counted, and shown to users.

    While a mixture is fitted, every component has a covariance of its own: (k, d, d), or the
    variances of its columns (k, d) where `diagonal`. Users see no more numbers than are free.
    """

    name: str
    diagonal: bool

    @abstractmethod
    def estimate(
        self, moments: ComponentMoments, prior_count: float, prior_variance: Array
    ) -> Array:
        """Return the covariances of greatest likelihood, or of greatest posterior with a prior.

        The prior counts for this many rows in every component, with these variances of the columns.
        """

    @abstractmethod
    def public(self, covariances: Array) -> Array:
        """Return covariances, or factors of them, as users see them."""

    @abstractmethod
    def of_each(self, public: Array, n_components: int, n_features: int) -> Array:
        """Return what users see as one covariance per component."""

    @abstractmethod
    def n_parameters(self, n_components: int, n_features: int) -> int:
        """Return the number of free parameters of the covariances."""

    def even(self, variances: Array) -> Array:
        """Return variances of the columns as this type can have them."""
        return variances

    def of_columns(self, variances: Array, n_components: int) -> Array:
        """Return components that are all as wide as the columns."""
        even = self.even(variances)
        return np.repeat((even if self.diagonal else np.diag(even))[None], n_components, axis=0)

    def covariances_of(self, precisions: Array, n_components: int, n_features: int) -> Array:
        """Return the covariances of precisions that a user gave, or raise."""
        expected = self.public(self.of_columns(np.ones(n_features), n_components)).shape
        if precisions.shape != expected:
            raise ShapeError(
                f"The parameter '{self.name} precision' should have the shape of {expected}, but "
                f"got {precisions.shape}. Give precisions_init of that shape."
            )
        each = self.of_each(precisions, n_components, n_features)
        if self.diagonal and not np.all(each > 0):
            raise ParameterError(
                f"The parameter '{self.name} precision' should be positive. "
                "Give precisions_init above 0."
            )
        if self.diagonal:
            return np.asarray(1 / each)
        symmetric = np.allclose(each, each.transpose(0, 2, 1))
        if not symmetric or not np.all(interruptible(np.linalg.eigvalsh, each) > 0):
            raise ParameterError(
                f"The parameter '{self.name} precision' should be symmetric, positive-definite. "
                "Give precisions_init that are."
            )
        return np.asarray(interruptible(np.linalg.inv, each))


class Full(CovarianceType):
    """Every component has a covariance of its own."""

    name: str = "full"
    diagonal: bool = False

    def estimate(
        self, moments: ComponentMoments, prior_count: float, prior_variance: Array
    ) -> Array:
        """Divide the scatter of each component by its count."""
        scatter = moments.scatter + prior_count * np.diag(prior_variance)
        return np.asarray(scatter / _effective_count(moments, prior_count)[:, None, None])

    def public(self, covariances: Array) -> Array:
        """Return them as they are."""
        return covariances

    def of_each(self, public: Array, n_components: int, n_features: int) -> Array:
        """Return them as they are."""
        return public

    def n_parameters(self, n_components: int, n_features: int) -> int:
        """Count the triangles."""
        return n_components * n_features * (n_features + 1) // 2


class Tied(CovarianceType):
    """All components have one covariance."""

    name: str = "tied"
    diagonal: bool = False

    def estimate(
        self, moments: ComponentMoments, prior_count: float, prior_variance: Array
    ) -> Array:
        """Divide the scatter of all components by the count of all."""
        count = len(moments.count)
        prior_count = count * prior_count
        scatter = moments.scatter.sum(axis=0) + prior_count * np.diag(prior_variance)
        one = scatter / (moments.count.sum() + prior_count)
        return np.repeat(one[None], count, axis=0)

    def public(self, covariances: Array) -> Array:
        """Return the one."""
        return np.asarray(covariances[0])

    def of_each(self, public: Array, n_components: int, n_features: int) -> Array:
        """Repeat the one."""
        return np.repeat(public[None], n_components, axis=0)

    def n_parameters(self, n_components: int, n_features: int) -> int:
        """Count the triangle."""
        return n_features * (n_features + 1) // 2


class Diagonal(CovarianceType):
    """Within a component the columns are independent."""

    name: str = "diag"
    diagonal: bool = True

    def estimate(
        self, moments: ComponentMoments, prior_count: float, prior_variance: Array
    ) -> Array:
        """Divide the scatter of each column by the count of the component."""
        scatter = moments.scatter + prior_count * prior_variance
        return np.asarray(scatter / _effective_count(moments, prior_count)[:, None])

    def public(self, covariances: Array) -> Array:
        """Return them as they are."""
        return covariances

    def of_each(self, public: Array, n_components: int, n_features: int) -> Array:
        """Return them as they are."""
        return public

    def n_parameters(self, n_components: int, n_features: int) -> int:
        """Count a variance for each column."""
        return n_components * n_features


class Spherical(Diagonal):
    """Every component is equally wide in all directions."""

    name = "spherical"

    def estimate(
        self, moments: ComponentMoments, prior_count: float, prior_variance: Array
    ) -> Array:
        """Average the variances of the columns."""
        spread = super().estimate(moments, prior_count, prior_variance)
        return self.of_each(spread.mean(axis=1), *spread.shape)

    def public(self, covariances: Array) -> Array:
        """Return one variance each."""
        return np.ascontiguousarray(covariances[:, 0])

    def of_each(self, public: Array, n_components: int, n_features: int) -> Array:
        """Repeat the variance for every column."""
        return np.repeat(public[:, None], n_features, axis=1)

    def n_parameters(self, n_components: int, n_features: int) -> int:
        """Count one variance each."""
        return n_components

    def even(self, variances: Array) -> Array:
        """Return the average in the place of each."""
        return np.full_like(variances, variances.mean())


COVARIANCE_TYPES: dict[str, CovarianceType] = {
    kind.name: kind for kind in (Full(), Tied(), Diagonal(), Spherical())
}


def covariance_limits(
    kind: CovarianceType,
    variances: Array,
    mean: Array,
    n_components: int,
    *,
    reg_covar: float,
    decisions: Decisions,
) -> tuple[Array, Array]:
    """Return the minimum variances of the columns and those of the prior, from the data's scale."""
    flat = ~(variances > (1e-14 * np.abs(mean)) ** 2)
    if flat.any():
        usual = float(variances[~flat].mean()) if not flat.all() else 1.0
        variances = np.where(flat, usual, variances)
        if reg_covar > 0:
            decisions.add(
                "covariance", f"minimum variance for {flat.sum()} columns", "they are constant"
            )
    variances = kind.even(variances)
    return float(reg_covar) * variances, variances / n_components ** (2 / len(variances))


def raise_to_floor(covariances: Array, floor: Array) -> Array:
    """Return covariances whose variance is nowhere below the floor.

    In units of the floor, eigenvalues below one become one: the covariance of greatest likelihood
    among all that are at least the floor in every direction.
    """
    if covariances.ndim == 2:
        return np.maximum(covariances, floor)
    if not floor.all():
        return covariances
    unit = np.sqrt(np.outer(floor, floor))
    scaled = covariances / unit
    try:
        interruptible(np.linalg.cholesky, scaled - np.eye(len(floor)))
    except np.linalg.LinAlgError:
        values, vectors = interruptible(np.linalg.eigh, scaled)
        lifted = (vectors * np.maximum(values, 1.0)[:, None, :]) @ vectors.transpose(0, 2, 1)
        lifted = (lifted + lifted.transpose(0, 2, 1)) / 2 * unit
        return np.where((values[:, 0] < 1)[:, None, None], lifted, covariances)
    return covariances


def directions_at_floor(covariances: Array, floor: Array) -> Rows:
    """Return for every component in how many directions its variance is at the floor."""
    if not floor.all():
        return np.zeros(len(covariances), dtype=np.int64)
    if covariances.ndim == 2:
        return np.asarray((covariances <= VARIANCE_FLOOR_TOLERANCE * floor).sum(axis=1))
    scaled = covariances / np.sqrt(np.outer(floor, floor))
    return np.asarray(
        (interruptible(np.linalg.eigvalsh, scaled) <= VARIANCE_FLOOR_TOLERANCE).sum(axis=1)
    )


def inverse_factors(covariances: Array) -> Array:
    """Return upper factors U of the precisions U U', or raise where there are none."""
    if covariances.ndim == 2:
        if not np.all(covariances > 0):
            raise _ill_defined()
        return np.asarray(1 / np.sqrt(covariances))
    try:
        lower = interruptible(np.linalg.cholesky, covariances)
    except np.linalg.LinAlgError:
        raise _ill_defined() from None
    return np.triu(interruptible(np.linalg.inv, lower).transpose(0, 2, 1))


def precisions_of(factors: Array) -> Array:
    """Return the precisions."""
    return np.asarray(factors**2 if factors.ndim == 2 else factors @ factors.transpose(0, 2, 1))


def _effective_count(moments: ComponentMoments, prior_count: float) -> Array:
    return np.maximum(moments.count + prior_count, np.finfo(float).tiny)


def _ill_defined() -> ParameterError:
    return ParameterError(
        "Fitting the mixture model failed because some components have ill-defined empirical "
        "covariance (for instance caused by singleton or collapsed samples). Try to decrease the "
        "number of components, increase reg_covar, or scale the input data."
    )
