"""The number of components by the likelihood of held-out rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lookalike.data.chunk import Chunk, Table
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import ShapeError
from lookalike.models.mixture.covariance_types import directions_at_floor
from lookalike.models.mixture.em import EM, EMRun
from lookalike.models.mixture.initialization import (
    MAX_COMPONENTS_COMPARED,
    MAX_WORSE_COMPONENTS,
    first_run,
    grow_by_bic,
    one_more,
)
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from lookalike.data.chunk import Column


COMPONENT_CRITERIA = ("bic", "cv")  # ways to choose the number of components
MIXTURE_FOLDS = 5


class FoldRows:
    """A source in which only the rows of one fold count, or only the others.

    Row n is of fold n modulo their number, on every engine; rows that do not count have weight 0.
    """

    n_rows: int | None
    dtype: np.dtype
    repeatable: bool
    named: bool
    columns: tuple[Column, ...]

    def __init__(self, source: Source, fold: int, *, held_out: bool) -> None:
        self._source, self._fold, self._held_out = source, fold, held_out
        self.columns, self.n_rows = source.columns, source.n_rows
        self.n_features: int = source.n_features
        self.dtype, self.repeatable = source.dtype, source.repeatable
        self.home, self.named = source.home, source.named

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give all rows, with the weights of the fold."""
        for chunk in self._source.chunks(rows):
            number = chunk.offset + np.arange(chunk.X.shape[0])
            counted = ((number % MIXTURE_FOLDS == self._fold) == self._held_out).astype(np.float64)
            weight = counted if chunk.weight is None else counted * chunk.weight
            yield chunk._replace(weight=weight)

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the columns as they are in the source."""
        return self._source.tables(rows)


def grow(
    em: EM, how: str, source: Source, weight: float, *, max_iter: int, tol: float
) -> tuple[EMRun, dict[str, AnyArray]]:
    """Return the run of the number of components that `how` chooses, and its curve."""
    if how == "bic":
        run, curve = grow_by_bic(em, weight, max_iter, tol)
    else:
        run, curve = grow_by_validation(em, source, weight, max_iter, tol)
    reason = "lowest BIC" if how == "bic" else "highest held-out likelihood"
    em.decisions.add("n_components", len(run.mixture.weights), reason)
    return run, curve


def grow_by_validation(
    em: EM, source: Source, weight: float, max_iter: int, tol: float
) -> tuple[EMRun, dict[str, AnyArray]]:
    """Return the run of the number of components that makes held-out rows most likely.

    In every fold components are split one by one, and the likelihood of the rows left out is
    taken, until it has not risen for some numbers in a row. The same splits of all rows then give
    the mixture.
    """
    if weight < 2 * MIXTURE_FOLDS:
        raise ShapeError(
            f"n_components='cv' holds out each of {MIXTURE_FOLDS} folds, and n_samples = "
            f"{weight:g}. Give more rows, a number, or n_components='bic'."
        )
    trained = [
        em.over(FoldRows(source, fold, held_out=False), Decisions())
        for fold in range(MIXTURE_FOLDS)
    ]
    unseen = [
        em.over(FoldRows(source, fold, held_out=True), em.decisions)
        for fold in range(MIXTURE_FOLDS)
    ]
    most = max(
        1,
        min(MAX_COMPONENTS_COMPARED, int(weight * (1 - 1 / MIXTURE_FOLDS)) // (len(em.shift) + 1)),
    )
    runs = [first_run(fold, max_iter, tol) for fold in trained]
    flat = max(_at_floor(em, run) for run in runs)
    scores = [_likelihoods(unseen, runs)]
    while (
        len(scores) < most and len(scores) - int(np.argmax(_means(scores))) <= MAX_WORSE_COMPONENTS
    ):
        runs = [one_more(fold, run, max_iter, tol) for fold, run in zip(trained, runs, strict=True)]
        if max(_at_floor(em, run) for run in runs) > flat:
            em.decisions.add("folds", f"up to {len(scores)} components", "more have too few rows")
            break
        scores.append(_likelihoods(unseen, runs))
    run = first_run(em, max_iter, tol)
    for _ in range(int(np.argmax(_means(scores)))):
        run = one_more(em, run, max_iter, tol)
    spread = np.std(scores, axis=1, ddof=1) / np.sqrt(MIXTURE_FOLDS)
    return run, {
        "n_components": np.arange(1, len(scores) + 1),
        "log_likelihood": _means(scores),  # a unit of weight, mean over the folds
        "standard_error": spread,
    }


def _likelihoods(unseen: list[EM], runs: list[EMRun]) -> list[float]:
    """Return the log-likelihood a unit of weight of the rows left out of every fold."""
    gathered = [
        fold.gather(run.mixture.components(fold.shift))
        for fold, run in zip(unseen, runs, strict=True)
    ]
    return [moments.log_likelihood / moments.weight for moments in gathered]


def _means(scores: list[list[float]]) -> Array:
    return np.asarray(np.mean(scores, axis=1))


def _at_floor(em: EM, run: EMRun) -> int:
    return int(directions_at_floor(run.mixture.covariances, em.floor).max())
