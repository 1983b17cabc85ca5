"""The tree of clusters above a size: how long each lasts, and which of them are chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.kernels.spanning_forest import CondensedEdges
from lookalike.typing import AnyArray, Array, Rows


@dataclass(frozen=True)
class CondensedTree:
    """What is left of a tree of merges above a size.

    Cluster c is number ``n_rows + c``; the first is the root, parents come before their children.

    Attributes
    ----------
    n_rows : int
    edges : CondensedEdges
        What every cluster loses, and at which density (one over a distance).
    birth : array
        Of each cluster, the density at which it became one.
    size : array
        Of each cluster, its weight at birth.
    above : array of int64
        Of each cluster, the number (from 0) of that it came from; -1 of the root.
    """

    n_rows: int
    edges: CondensedEdges
    birth: Array
    size: Array
    above: Rows

    @classmethod
    def of(cls, edges: CondensedEdges, weight: Array) -> CondensedTree:
        """Return the tree of its edges, with rows of these weights."""
        n_rows = len(weight)
        count = int(edges.parent.max()) - n_rows + 1
        birth, size, above = np.zeros(count), np.zeros(count), np.full(count, -1)
        clusters = edges.child >= n_rows
        child = edges.child[clusters] - n_rows
        birth[child], size[child] = edges.density[clusters], edges.size[clusters]
        above[child] = edges.parent[clusters] - n_rows
        size[0] = weight.sum()
        return cls(n_rows, edges, birth, size, above)

    @property
    def cluster_of_row(self) -> Rows:
        """The cluster out of which each row falls."""
        return self._of_rows(self.edges.parent - self.n_rows)

    @property
    def density_of_row(self) -> Array:
        """The density at which each row falls out of its cluster."""
        return self._of_rows(self.edges.density)

    def _of_rows(self, values: AnyArray) -> AnyArray:
        rows = self.edges.child < self.n_rows
        result = np.empty(self.n_rows, values.dtype)
        result[self.edges.child[rows]] = values[rows]
        return result

    def stability(self) -> Array:
        """Return the excess of mass of every cluster: how long its rows stay, summed."""
        parent = self.edges.parent - self.n_rows
        with np.errstate(invalid="ignore"):
            lasting = (self.edges.density - self.birth[parent]) * self.edges.size
        lasting[np.isnan(lasting)] = 0.0  # of clusters of copies, that are born and end together
        stability: Array = np.bincount(parent, lasting, len(self.birth)).astype(np.float64)
        return stability

    def death(self) -> Array:
        """Return the largest density that something in each cluster, not below it, reaches."""
        death = np.zeros(len(self.birth))
        np.maximum.at(death, self.edges.parent - self.n_rows, self.edges.density)
        return death

    def largest_density(self) -> Array:
        """Return the largest density reached in each cluster and those below it."""
        death = self.death()
        for cluster in range(len(death) - 1, 0, -1):
            above = self.above[cluster]
            death[above] = max(death[above], death[cluster])
        return death

    def leaves(self) -> AnyArray:
        """Return a mask of the clusters that no other came from."""
        leaf = np.ones(len(self.birth), bool)
        leaf[self.above[1:]] = False
        return leaf

    def most_stable(self, *, root: bool, largest: float) -> AnyArray:
        """Return a mask of clusters that last longer than all below them together.

        Clusters that weigh more than `largest` are not among them, and the root only if `root`.
        """
        stability = self.stability()
        below = np.zeros(len(stability))  # of each cluster, the stability of what is chosen below
        chosen = np.zeros(len(stability), bool)
        for cluster in range(len(stability) - 1, -1, -1):
            if cluster == 0 and not root:
                break
            chosen[cluster] = below[cluster] <= stability[cluster] and self.size[cluster] <= largest
            kept = stability[cluster] if chosen[cluster] else below[cluster]
            if cluster:
                below[self.above[cluster]] += kept
        return self._topmost(chosen)

    def merged_below(self, chosen: AnyArray, epsilon: float, *, root: bool) -> AnyArray:
        """Return chosen clusters, those born below a distance replaced by the first above it."""
        with np.errstate(divide="ignore"):
            distance = 1.0 / self.birth
        merged = np.zeros(len(chosen), bool)
        for cluster in np.flatnonzero(chosen):
            at, parted = int(cluster), distance[cluster] < epsilon
            while parted and at:
                above = int(self.above[at])
                if above == 0 and not root:
                    break
                at, parted = above, distance[above] <= epsilon
            merged[at] = True
        return self._topmost(merged)

    def _topmost(self, chosen: AnyArray) -> AnyArray:
        """Return the chosen clusters that are not below another chosen one."""
        covered = np.zeros(len(chosen), bool)
        for cluster in range(1, len(chosen)):
            above = self.above[cluster]
            covered[cluster] = covered[above] or chosen[above]
        return chosen & ~covered

    def label_of_cluster(self, chosen: AnyArray) -> Rows:
        """Return the label of every cluster: that of the chosen one at or above it, else -1."""
        label = np.full(len(chosen), -1)
        label[chosen] = np.arange(np.count_nonzero(chosen))
        for cluster in range(1, len(chosen)):
            if label[cluster] < 0:
                label[cluster] = label[self.above[cluster]]
        return label
