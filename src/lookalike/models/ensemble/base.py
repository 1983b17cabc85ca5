"""Base of the ensembles: fitted members, their weights, and what both are made of."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from math import inf
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.models.cross_validation import deal_folds
from lookalike.models.ensemble.duals import DualWeights, dual_weights
from lookalike.models.ensemble.member_weights import MemberTable, choose_weights
from lookalike.models.estimator import Model, check_is_fitted, cloned, with_callbacks
from lookalike.models.inputs import require_dense
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice, check_int, shown

Members = list[tuple[str, Any]]
WEIGHT_RULES = ("out_of_fold", "equal")


class WeightedEnsemble(Model):
    """Weighted mean of what several models predict; a member without weight is left out.

    Subclasses read targets and say what of a member is averaged.
    """

    n_jobs: int | None = None  # members have their own
    members_: Members
    weights_: Array
    targets_: AnyArray
    n_samples_fit_: int

    def __init__(
        self,
        estimators: Sequence[tuple[str, object]] | None = None,
        *,
        weights: str | Sequence[float] = "out_of_fold",
        cv: int = 5,
        random_state: int = 0,
        engine: str = "auto",
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.cv = cv
        self.random_state = random_state
        self.engine = engine

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Fit all members to `X`, any table of numbers, and choose their weights.

        `y` are the targets, None where a source holds them. With weights "out_of_fold" each
        member is fitted once more in every fold, to predict the rows held out.
        """
        check_int("cv", self.cv, least=2)
        check_int("random_state", self.random_state, least=0)
        require_dense(X, "members are fitted to dense rows")
        source = self._open(X, self._given_targets(X, y))
        chunk = gather(source)
        require_finite(chunk.X, columns=source.columns)
        self._checks_cells = True
        targets = self._read(chunk.y)
        makers, decisions = self._makers(), Decisions()
        weights = self._fixed_weights(len(makers))
        if weights is None:
            table, half = self._out_of_fold(makers, chunk.X, targets)
            weights = choose_weights(table, half)
            reason = f"lowest out-of-fold loss of {self.cv} folds"
            decisions.add(
                "weights", describe_weights([name for name, _ in makers], weights), reason
            )
        kept = [(makers[member], weights[member]) for member in np.flatnonzero(weights)]
        members = [(name, clone(maker).fit(chunk.X, targets)) for (name, maker), _ in kept]
        self._hold(members, np.array([weight for _, weight in kept]), chunk.X, targets)
        self.decisions_ = decisions
        return self

    def _hold(
        self,
        members: Members,
        weights: Array,
        X: Any,
        targets: AnyArray,
        n_rows: Sequence[int] | None = None,
    ) -> None:
        """Keep fitted members, and what says which training rows their predictions are made of.

        `n_rows` are the rows that each was fitted to, the first ones; all of them when None.
        """
        self.members_, self.weights_ = members, weights / weights.sum()
        self.targets_, self.n_samples_fit_ = self._code_targets(targets), len(targets)
        self._duals: dict[str, DualWeights] = {}
        for index, (name, member) in enumerate(members if X is not None else ()):
            fitted = len(targets) if n_rows is None else n_rows[index]
            dual = dual_weights(member, X[:fitted], targets[:fitted])
            if dual is not None:
                self._duals[name] = dual

    @abstractmethod
    def _given_targets(self, X: object, y: object) -> AnyArray | None:
        """Return the targets given with `X`; None where `X` is a source that brings them."""

    @abstractmethod
    def _read(self, y: object) -> AnyArray:
        """Return the targets as members take them, checked."""

    @abstractmethod
    def _code_targets(self, targets: AnyArray) -> AnyArray:
        """Return the numbers, or the places of the classes, of the training rows."""

    @abstractmethod
    def _default_members(self) -> Members:
        """Return the members where none are given."""

    @abstractmethod
    def _stratify(self) -> bool:
        """Return whether folds keep the proportions of classes."""

    @abstractmethod
    def _table(self, outputs: Sequence[AnyArray], targets: AnyArray) -> MemberTable:
        """Return what members predicted, as weights are chosen on it."""

    @abstractmethod
    def member_outputs(self, member: BaseEstimator, X: object) -> Array:
        """Return what is averaged: the numbers, or the probabilities of all classes."""

    def _makers(self) -> Members:
        """Return the members to fit, each with its name."""
        if self.estimators is None:
            return self._default_members()
        given = list(self.estimators) if isinstance(self.estimators, (list, tuple)) else []
        pairs = all(isinstance(pair, tuple) and len(pair) == 2 for pair in given)
        if not given or not pairs or len({str(name) for name, _ in given}) < len(given):
            raise ParameterError(
                f"estimators={shown(self.estimators)} is not a list of members. Give pairs of a "
                "name and a model, such as [('knn', KNeighborsClassifier())], no name twice."
            )
        return [(str(name), cloned(pair, f"estimators: {name}")) for name, pair in given]

    def _fixed_weights(self, n_members: int) -> Array | None:
        """Return the weights that are given; None where they are chosen out of fold."""
        if isinstance(self.weights, str):
            check_choice("weights", self.weights, WEIGHT_RULES)
            chosen = self.weights == "out_of_fold" and n_members > 1
            return None if chosen else np.full(n_members, 1.0 / n_members)
        try:
            weights = np.asarray(self.weights, np.float64)
        except (TypeError, ValueError, OverflowError):
            weights = np.empty(0)
        if weights.shape != (n_members,) or not (weights >= 0).all() or not 0 < sum(weights) < inf:
            raise ParameterError(
                f"weights={shown(self.weights)} are not those of {n_members} members. Give a "
                "number of 0 or more for each, not all 0, or 'out_of_fold'."
            )
        return np.asarray(weights / weights.sum())

    def _out_of_fold(
        self, makers: Members, X: AnyArray, targets: AnyArray
    ) -> tuple[MemberTable, AnyArray]:
        """Return what the members predict for rows held out in turn, and which rows are half."""
        n_folds, rng = min(self.cv, len(targets)), np.random.default_rng(self.random_state)
        if n_folds < 2:
            raise ShapeError("n_samples = 1: weights are chosen on rows held out. Give more rows.")
        fold = deal_folds(targets, n_folds, stratify=self._stratify(), rng=rng)
        outputs: list[Any] = []
        for _, maker in makers:
            parts: Any = None
            for number in np.unique(fold):
                held_out = fold == number
                member = clone(maker).fit(X[~held_out], targets[~held_out])
                predicted = self.member_outputs(member, X[held_out])
                parts = np.zeros((len(X), *predicted.shape[1:])) if parts is None else parts
                parts[held_out] = predicted
            outputs.append(parts)
        return self._table(outputs, targets), fold % 2 == 0

    def _mixture(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        if getattr(self, "_checks_cells", False):
            require_finite(chunk.X, chunk.offset, columns)
        total = 0.0
        for (_, member), weight in zip(self.members_, self.weights_.tolist(), strict=True):
            total = total + weight * self.member_outputs(member, chunk.X)
        return np.asarray(total)

    def _mixed(self, X: object) -> AnyArray:
        """Return the weighted mean of what the members predict."""
        check_is_fitted(self)
        return self._map_chunks(self._mixture, X)


def ensemble_members(
    model: WeightedEnsemble,
) -> Iterator[tuple[str, Any, float, DualWeights | None]]:
    """Give the name, the model, the weight and the dual weights of each member."""
    for (name, member), weight in zip(model.members_, model.weights_.tolist(), strict=True):
        yield name, member, weight, model._duals.get(name)


def describe_weights(names: Sequence[str], weights: Array) -> str:
    """Return the members and their weights, the largest first.

    Examples
    --------
    >>> describe_weights(["forest", "knn"], np.array([0.25, 0.75]))
    'knn 75%, forest 25%'
    """
    order = np.argsort(-weights, kind="stable")
    return ", ".join(
        f"{names[member]} {weights[member]:.0%}" for member in order if weights[member]
    )
