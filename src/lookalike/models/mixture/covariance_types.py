"""The four shapes a component of a mixture may have: any, one for all, axis-parallel, round."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from lookalike.errors import ParameterError, ShapeError
from lookalike.reductions.mixture import ComponentMoments
from lookalike.typing import Array, Rows

AT_FLOOR = 1 + 1e-6  # of the floor, up to which a variance counts as held up by it


class Limits(NamedTuple):
    """What holds covariances up."""

    floor: Array  # (d,), the least variance along each column
    pull: float  # rows that the prior counts for in every component, 0 without one
    towards: Array  # (d,), the variances of these


class Shape(ABC):
    """How covariances of one shape are estimated, counted, and written for users.

    While a mixture is fitted, every component has a covariance of its own: (k, d, d), or the
    variances of its columns (k, d) where `diagonal`. Users see no more numbers than are free.
    """

    name: str
    diagonal: bool

    @abstractmethod
    def estimate(self, moments: ComponentMoments, pull: float, towards: Array) -> Array:
        """Return the covariances of greatest likelihood, drawn `towards` variances by `pull`."""

    @abstractmethod
    def public(self, covariances: Array) -> Array:
        """Return covariances, or factors of them, as users see them."""

    @abstractmethod
    def of_each(self, public: Array, n_components: int, n_features: int) -> Array:
        """Return what users see as one covariance a component."""

    @abstractmethod
    def n_parameters(self, n_components: int, n_features: int) -> int:
        """Return how many numbers the covariances are free to choose."""

    def even(self, variances: Array) -> Array:
        """Return variances of the columns as this shape can have them."""
        return variances

    def of_columns(self, variances: Array, n_components: int) -> Array:
        """Return components that are all as wide as the columns."""
        one = self.even(variances)
        return np.repeat((one if self.diagonal else np.diag(one))[None], n_components, axis=0)

    def given(self, precisions: Array, n_components: int, n_features: int) -> Array:
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
        if not symmetric or not np.all(np.linalg.eigvalsh(each) > 0):
            raise ParameterError(
                f"The parameter '{self.name} precision' should be symmetric, positive-definite. "
                "Give precisions_init that are."
            )
        return np.asarray(np.linalg.inv(each))


class Full(Shape):
    """Every component has a covariance of its own."""

    name, diagonal = "full", False

    def estimate(self, moments: ComponentMoments, pull: float, towards: Array) -> Array:
        """Divide the scatter of each by what it holds."""
        scatter = moments.scatter + pull * np.diag(towards)
        return np.asarray(scatter / _held(moments, pull)[:, None, None])

    def public(self, covariances: Array) -> Array:
        """Return them as they are."""
        return covariances

    def of_each(self, public: Array, n_components: int, n_features: int) -> Array:  # noqa: ARG002
        """Return them as they are."""
        return public

    def n_parameters(self, n_components: int, n_features: int) -> int:
        """Count the triangles."""
        return n_components * n_features * (n_features + 1) // 2


class Tied(Shape):
    """All components have one covariance."""

    name, diagonal = "tied", False

    def estimate(self, moments: ComponentMoments, pull: float, towards: Array) -> Array:
        """Divide the scatter of all by what all hold."""
        count = len(moments.count)
        scatter = moments.scatter.sum(axis=0) + count * pull * np.diag(towards)
        one = scatter / (moments.count.sum() + count * pull)
        return np.repeat(one[None], count, axis=0)

    def public(self, covariances: Array) -> Array:
        """Return the one."""
        return np.asarray(covariances[0])

    def of_each(self, public: Array, n_components: int, n_features: int) -> Array:  # noqa: ARG002
        """Repeat the one."""
        return np.repeat(public[None], n_components, axis=0)

    def n_parameters(self, n_components: int, n_features: int) -> int:  # noqa: ARG002
        """Count the triangle."""
        return n_features * (n_features + 1) // 2


class Diagonal(Shape):
    """Within a component the columns are independent."""

    name, diagonal = "diag", True

    def estimate(self, moments: ComponentMoments, pull: float, towards: Array) -> Array:
        """Divide the squares of each column by what the component holds."""
        return np.asarray((moments.scatter + pull * towards) / _held(moments, pull)[:, None])

    def public(self, covariances: Array) -> Array:
        """Return them as they are."""
        return covariances

    def of_each(self, public: Array, n_components: int, n_features: int) -> Array:  # noqa: ARG002
        """Return them as they are."""
        return public

    def n_parameters(self, n_components: int, n_features: int) -> int:
        """Count a variance for each column."""
        return n_components * n_features


class Spherical(Shape):
    """Every component is equally wide in all directions."""

    name, diagonal = "spherical", True

    def estimate(self, moments: ComponentMoments, pull: float, towards: Array) -> Array:
        """Average the variances of the columns."""
        spread = (moments.scatter + pull * towards) / _held(moments, pull)[:, None]
        return self.of_each(spread.mean(axis=1), *spread.shape)

    def public(self, covariances: Array) -> Array:
        """Return one variance each."""
        return np.ascontiguousarray(covariances[:, 0])

    def of_each(self, public: Array, n_components: int, n_features: int) -> Array:  # noqa: ARG002
        """Repeat the variance for every column."""
        return np.repeat(public[:, None], n_features, axis=1)

    def n_parameters(self, n_components: int, n_features: int) -> int:  # noqa: ARG002
        """Count one variance each."""
        return n_components

    def even(self, variances: Array) -> Array:
        """Return the average in the place of each."""
        return np.full_like(variances, variances.mean())


SHAPES: dict[str, Shape] = {
    shape.name: shape for shape in (Full(), Tied(), Diagonal(), Spherical())
}


def raised(covariances: Array, floor: Array) -> Array:
    """Return covariances whose variance is nowhere below the floor.

    In units of the floor, eigenvalues below one become one: the most likely covariance of all that
    are at least the floor in every direction.
    """
    if covariances.ndim == 2:
        return np.maximum(covariances, floor)
    if not floor.all():
        return covariances
    unit = np.sqrt(np.outer(floor, floor))
    scaled = covariances / unit
    try:
        np.linalg.cholesky(scaled - np.eye(len(floor)))
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(scaled)
        lifted = (vectors * np.maximum(values, 1.0)[:, None, :]) @ vectors.transpose(0, 2, 1)
        lifted = (lifted + lifted.transpose(0, 2, 1)) / 2 * unit
        return np.where((values[:, 0] < 1)[:, None, None], lifted, covariances)
    return covariances


def held_up(covariances: Array, floor: Array) -> Rows:
    """Return for every component in how many directions the floor holds it up."""
    if not floor.all():
        return np.zeros(len(covariances), dtype=np.int64)
    if covariances.ndim == 2:
        return np.asarray((covariances <= AT_FLOOR * floor).sum(axis=1))
    scaled = covariances / np.sqrt(np.outer(floor, floor))
    return np.asarray((np.linalg.eigvalsh(scaled) <= AT_FLOOR).sum(axis=1))


def inverse_factors(covariances: Array) -> Array:
    """Return upper factors U of the precisions U U', or raise where there are none."""
    if covariances.ndim == 2:
        if not np.all(covariances > 0):
            raise _ill_defined()
        return np.asarray(1 / np.sqrt(covariances))
    try:
        lower = np.linalg.cholesky(covariances)
    except np.linalg.LinAlgError:
        raise _ill_defined() from None
    return np.triu(np.linalg.inv(lower).transpose(0, 2, 1))


def precisions_of(factors: Array) -> Array:
    """Return the precisions."""
    return np.asarray(factors**2 if factors.ndim == 2 else factors @ factors.transpose(0, 2, 1))


def _held(moments: ComponentMoments, pull: float) -> Array:
    return np.maximum(moments.count + pull, np.finfo(float).tiny)


def _ill_defined() -> ParameterError:
    return ParameterError(
        "Fitting the mixture model failed because some components have ill-defined empirical "
        "covariance (for instance caused by singleton or collapsed samples). Try to decrease the "
        "number of components, increase reg_covar, or scale the input data."
    )
