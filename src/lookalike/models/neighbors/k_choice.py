"""K given, or chosen by the errors that the rows make when they are left out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from lookalike.errors import ParameterError
from lookalike.models.neighbors.k_selection import KSelection, name_of
from lookalike.models.neighbors.supervised import SupervisedNeighbors
from lookalike.validation import check_int


class ChoosesK(SupervisedNeighbors):
    """Adds ``n_neighbors="loo" | "cv"`` to a model; `selection_` then holds every error."""

    k_max: int
    folds: int
    selection_: KSelection
    _chosen = ("loo", "cv")

    @property
    def n_neighbors_(self) -> int:
        """The K in force: the one given, or the one chosen in `fit`."""
        check_is_fitted(self)
        return self._default_k()

    def select(self, *, groups: Any = None, weights: Sequence[Any] | None = None) -> KSelection:
        """Return the leave-one-out and `folds`-fold errors of every K, from one search of the rows.

        Parameters
        ----------
        groups : array of shape (n_rows,), optional
            Rows of one group are not neighbors of each other.
        weights : sequence, optional
            The weightings to try; "uniform", "distance" and the model's own when None.
        """
        check_is_fitted(self)
        if weights is None:
            own = [] if self._weighing in ("uniform", "distance") else [self._weighing]
            weights = ["uniform", "distance", *own]
        return self._curves(groups, weights)

    @abstractmethod
    def _curves(self, groups: Any, weights: Sequence[Any]) -> KSelection:
        """Return the errors of every K."""

    def _choose(self, groups: Any) -> None:
        self.__dict__.pop("selection_", None)
        if self.n_neighbors in self._chosen:
            self.selection_ = self.select(groups=groups)
            best = self.selection_.best(self.n_neighbors, name_of(self._weighing))
            reason = f"least {self.n_neighbors} error of 1 to {self.selection_.k[-1]}"
            self.decisions_.add("n_neighbors", best, reason)
        elif groups is not None:
            raise ParameterError("groups matter where K is chosen. Give n_neighbors='loo' or 'cv'.")

    def _default_k(self) -> int:
        if self.n_neighbors not in self._chosen:
            return int(self.n_neighbors)
        return self.selection_.best(self.n_neighbors, name_of(self._weighing))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_int("k_max", self.k_max, least=1)
        check_int("folds", self.folds, least=2)
