"""Cosine similarity of documents, and the terms that it comes from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lookalike.typing import AnyArray, Array, Rows

SCORES_IN_MEMORY = 4_000_000  # scores in memory at once


class TermContributions(NamedTuple):
    """The terms behind a match of query and document: each list sums to the score."""

    score: float
    query_terms: list[tuple[str, float]]  # of the query, by the size of their contribution
    document_terms: list[tuple[str, float]]  # of the document


def lengths(Z: Array) -> Array:
    """Return the length of every row; 1 for rows of zeros, which point nowhere."""
    length = np.linalg.norm(Z, axis=1, keepdims=True)
    return np.where(length > 0, length, 1.0)


def nearest_by_cosine(queries: Array, others: Array, k: int) -> tuple[Rows, Array]:
    r"""Return for each query the `k` rows with the largest cosine, ties by row number.

    .. math:: \cos(q, z) = q^\top z / (|q| |z|)

    Rows of zeros have cosine 0.
    """
    queries, others = queries / lengths(queries), others / lengths(others)
    rows, scores = np.empty((len(queries), k), np.int64), np.empty((len(queries), k))
    step = max(1, SCORES_IN_MEMORY // len(others))
    for start in range(0, len(queries), step):
        block = np.clip(queries[start : start + step] @ others.T, -1.0, 1.0)
        best = np.argsort(-block, axis=1, kind="stable")[:, :k]
        rows[start : start + step] = best
        scores[start : start + step] = np.take_along_axis(block, best, axis=1)
    return rows, scores


def term_contributions(
    document: sp.csr_array, axes: Array, z: Array, other: Array, names: AnyArray
) -> list[tuple[str, float]]:
    r"""Return the contribution of each term of a document to its cosine with another one.

    .. math:: \cos(z, z') = \sum_t \frac{x_t\, v_t^\top z'}{|z| |z'|}, \qquad z = \sum_t x_t v_t

    Parameters
    ----------
    document : csr_array of shape (1, n_terms)
        The weighted terms :math:`x_t`.
    axes : ndarray of shape (n_terms, n_components)
        Where each term lies, :math:`v_t`.
    z, other : ndarray of shape (n_components,)
        Where the two documents lie.
    names : ndarray of str
        The terms.
    """
    size = float(np.linalg.norm(z) * np.linalg.norm(other))
    share = document.data * (axes[document.indices] @ other) / (size if size > 0 else 1.0)
    order = np.argsort(-np.abs(share), kind="stable")
    return [(str(names[document.indices[t]]), float(share[t])) for t in order]
