"""Mean and covariance of rows with missing values, by EM for probabilistic components."""

from __future__ import annotations

import math
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.errors import MissingValueError, RepeatError
from lookalike.kernels.scatter import Moments
from lookalike.models.linalg.eigenvectors import principal_axes
from lookalike.progress import progress
from lookalike.reductions.columns import Columns
from lookalike.reductions.em_missing import GaussianEStep
from lookalike.reductions.wrappers import Checked, CountedState, WithRowCount
from lookalike.typing import Array

MAX_EM_ITERATIONS = 1000
EM_TOLERANCE = 1e-7  # change of mean and covariance in an iteration, as a part of the deviation
MIN_NOISE_SHARE = 1e-9  # as a part of the mean variance: below it the density is not a density


def expected_moments(
    engine: Engine, source: Source, n_axes: int | None, decisions: Decisions
) -> CountedState[Moments]:
    """Return the moments of the completed rows, with a pass over them for every iteration.

    Each iteration completes the rows as the model of `n_axes` directions and equal noise expects
    them (E), then takes the directions and the noise that suit best (M): the closed form of
    [Tipping99], so that the likelihood of the values present never falls.
    """
    if not source.repeatable:
        raise RepeatError(
            "missing='em' reads the rows once an iteration, and they come from an iterator "
            "that is read once. Give a function that returns a new iterator."
        )
    gather = Checked(WithRowCount(Columns()), source.columns, allow_nan=True)
    rows, columns = engine.reduce(gather, source)
    empty = np.flatnonzero(columns.count == 0)
    if len(empty):
        raise MissingValueError(
            f"column {source.columns[empty[0]].name!r} has no value in any row, so nothing can be "
            "expected of it. Leave it out."
        )
    variance = columns.scatter / columns.count
    n_axes = min(len(variance) - 1, rows - 1) if n_axes is None else min(n_axes, len(variance) - 1)
    mean, before = columns.mean, np.diag(variance)
    with progress("iterations", MAX_EM_ITERATIONS) as advance:
        for done in range(1, MAX_EM_ITERATIONS + 1):  # noqa: B007 - used after the loop
            expect = GaussianEStep(mean, *loadings_and_noise(before, n_axes))
            moments, _, left_out = engine.reduce(expect, source)
            covariance = moments.scatter / moments.count
            moved = _change(mean, before, moments.mean, covariance)
            mean, before = moments.mean, covariance
            advance(1)
            if moved <= EM_TOLERANCE:
                break
        else:
            warnings.warn(
                f"EM still moved by {moved:.1e} of the deviation after {MAX_EM_ITERATIONS} "
                "iterations. The "
                "components are close to their limit; fewer of them converge sooner.",
                ConvergenceWarning,
                stacklevel=4,
            )
    decisions.add("missing", f"{done} iterations of EM", f"the last one moved {moved:.1e}")
    if left_out:
        decisions.add("rows", f"{left_out} left out", "they have no value at all")
    return CountedState(rows - left_out, moments)


def loadings_and_noise(covariance: Array, n_axes: int) -> tuple[Array, float]:
    r"""Return the most likely Gaussian with `n_axes` directions and equal noise around them.

    .. math:: W = U_q (\Lambda_q - \sigma^2 I)^{1/2}, \qquad
              \sigma^2 = \frac{1}{d - q} \sum_{j > q} \lambda_j

    [Tipping99].
    """
    variance, axes, _ = principal_axes(covariance, n_axes)
    least = MIN_NOISE_SHARE * float(variance.mean())
    noise = max(float(variance[n_axes:].mean()), least, np.finfo(float).tiny)
    return axes.T * np.sqrt(np.maximum(variance[:n_axes] - noise, 0.0)), noise


def _change(mean: Array, covariance: Array, new_mean: Array, new_covariance: Array) -> float:
    """Return how far mean and covariance moved, as a part of the total variance."""
    total = max(float(np.trace(new_covariance)), np.finfo(float).tiny)
    moved = float(((new_mean - mean) ** 2).sum())
    turned = float(np.linalg.norm(new_covariance - covariance))
    return max(math.sqrt(moved / total), turned / total)
