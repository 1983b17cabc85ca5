"""Weight and mean of every class, and one scatter of all rows around the mean of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Chunk
from lookalike.kernels.compensated import join_means, two_sum
from lookalike.kernels.native_arrays import native_matrix
from lookalike.reductions.by_class import (
    MAX_CLASSES_COUNTED,
    ClassSummary,
    labels_of,
    require_few_classes,
    with_weight,
)
from lookalike.typing import AnyArray, Array, is_tensor

# The weight of a class, its mean (d,), and what the mean has beyond its 53 bits (d,).
ClassMean: TypeAlias = tuple[float, Array, Array]
# The mean of every class, and the scatter within all of them (d, d).
WithinClassState: TypeAlias = tuple[Mapping[Any, ClassMean], Array]


class WithinClassScatter:
    r"""Weight and mean of every class, and the scatter within the classes, summed.

    .. math:: S_W = \sum_c \sum_{n \in c} w_n (x_n - \bar x_c)(x_n - \bar x_c)^\top

    One d x d matrix however many classes there are, where
    :class:`~lookalike.reductions.by_class.ClassCovariance` keeps one of each. Pieces of a class
    are joined with the pairwise update of [Chan83]. Rows without weight name no class.

    Parameters
    ----------
    limit : int
        The most classes; more of them are an error, since the state must stay small.
    """

    on_gpu = True

    def __init__(self, *, limit: int = MAX_CLASSES_COUNTED) -> None:
        self.limit = limit

    def init(self, n_features: int) -> WithinClassState:
        """Return the moments of no classes."""
        return {}, np.zeros((n_features, n_features))

    def update(self, state: WithinClassState, chunk: Chunk) -> WithinClassState:
        """Join the rows of `chunk` to their classes."""
        chunk = with_weight(chunk)
        y = labels_of(chunk)
        return self.merge(state, _moments(chunk.X, y, chunk.weight)) if len(y) else state

    @np.errstate(over="ignore", invalid="ignore")
    def merge(self, left: WithinClassState, right: WithinClassState) -> WithinClassState:
        """Join two groups of rows, class by class."""
        means, scatter = dict(left[0]), left[1] + right[1]
        gaps = []
        for label, theirs in right[0].items():
            mine = means.get(label)
            if mine is None:
                means[label] = theirs
                continue
            count = mine[0] + theirs[0]
            share = theirs[0] / count
            mean, tail, difference = join_means(mine[1:], theirs[1:], share)
            means[label] = count, mean, tail
            gaps.append(np.sqrt(mine[0] * share) * difference)
        if gaps:
            between = np.stack(gaps)
            scatter += between.T @ between
        require_few_classes(means, self.limit)
        return means, scatter

    def finalize(self, state: WithinClassState) -> ClassSummary:
        """Return the moments with the classes in sorted order."""
        means, scatter = state
        labels = sorted(means)
        count, mean, _ = zip(*(means[label] for label in labels), strict=True)
        return ClassSummary(np.array(labels), np.array(count), np.stack(mean), scatter)


@np.errstate(over="ignore", invalid="ignore")  # who needs finite sums looks at them
def _moments(X: AnyArray | sp.csr_array, y: AnyArray, weight: Array | None) -> WithinClassState:
    """Return the moments of some rows, shifted by one of them so that an offset does no harm."""
    labels, code = np.unique(y, return_inverse=True)
    if is_tensor(X):
        from lookalike.kernels.gpu.within_class_scatter import class_moments

        counts, mean, tail, scatter = class_moments(X, code, len(labels), weight)
        of_class = zip(counts.tolist(), mean, tail, strict=True)
        return dict(zip(labels.tolist(), of_class, strict=True)), scatter
    w = np.ones(len(y)) if weight is None else np.asarray(weight, np.float64)
    member = sp.csr_array((w, (code, np.arange(len(y)))), shape=(len(labels), len(y)))
    count = np.bincount(code, w, minlength=len(labels))
    if sp.issparse(X):
        X = X.astype(np.float64)
        drift = (member @ X).toarray() / count[:, None]
        raw = (X.T @ (sp.diags_array(w) @ X)).toarray()
        scatter = raw - (drift * count[:, None]).T @ drift
        shift = np.zeros(X.shape[1])
    else:
        X = native_matrix(X)
        shift = X[0].astype(np.float64)
        rows = X - X[0]
        drift = np.asarray(member @ rows, dtype=np.float64) / count[:, None]
        rows -= drift.astype(rows.dtype)[code]
        # the means above are rounded to the type of the rows: what is left is taken out too
        rest = np.asarray(member @ rows, dtype=np.float64) / count[:, None]
        if weight is not None:
            rows *= np.sqrt(w).astype(rows.dtype)[:, None]
        scatter = (rows.T @ rows).astype(np.float64)
        scatter -= (rest * count[:, None]).T @ rest
    mean, tail = two_sum(shift, drift)
    of_class = zip(count.tolist(), mean, tail, strict=True)
    return dict(zip(labels.tolist(), of_class, strict=True)), scatter
