"""K-nearest-neighbor classification: the majority vote of the K nearest rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.data.source import open_source
from lookalike.data.sources.tensors import as_given
from lookalike.errors import ShapeError
from lookalike.kernels.votes import TIE_RULES, VoteResult
from lookalike.models.labels import (
    Labels,
    declared_classes,
    join_label_arrays,
    join_labels,
    read_labels,
)
from lookalike.models.neighbors.column_codes import read_once
from lookalike.models.neighbors.k_curves import classifier_curves
from lookalike.models.neighbors.k_selection import (
    SELECTION_METHODS,
    KSelection,
    check_selection,
    choose_k,
    default_k,
    select_k,
    selected_k,
)
from lookalike.models.neighbors.supervised import SupervisedNeighbors, neighbor_query
from lookalike.models.neighbors.voting import NeighborQuery, vote
from lookalike.models.neighbors.voting_rules import voting_rule, voting_rules
from lookalike.models.scores import accuracy
from lookalike.models.sklearn_bases import ClassifierMixin
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice

if TYPE_CHECKING:
    from sklearn.utils import Tags


class NeighborsClassifier(ClassifierMixin, SupervisedNeighbors):
    """Base of the classifiers: labels, priors, costs, and predictions from votes."""

    ties: str
    priors: object
    cost: object
    targets_: Labels
    classes_: AnyArray | list[AnyArray]
    score = accuracy

    def predict(self, X: object = None) -> AnyArray:
        """Return the class of every row of `X`; for None of the training rows, leave-one-out."""
        labels: AnyArray = as_given(X, self._named(self._votes(_readable_again(X), votes=False)))
        return labels

    def predict_proba(self, X: object = None) -> AnyArray | list[AnyArray]:
        """Return the share of every class in the votes, a list for several outputs.

        `X` are the rows to classify; None means the training rows, leave-one-out.
        """
        shares: AnyArray = as_given(X, self._shares(self._votes(_readable_again(X), votes=True)))
        return shares

    def predict_both(self, X: object = None) -> tuple[AnyArray, AnyArray | list[AnyArray]]:
        """Return what `predict` and `predict_proba` return, from one search."""
        results = self._votes(_readable_again(X), votes=True)
        return self._named(results), self._shares(results)

    def _read(self, y: object, known: Any) -> Labels:
        return read_labels(y, known)

    def _given_targets(self) -> AnyArray:
        return self.targets_.named(self.targets_.codes)

    def _with_more(self, y: object) -> AnyArray:
        return join_labels(self._given_targets(), y)

    def _declare(self, classes: Any) -> object:
        declared = getattr(self, "_declared_classes", None)
        if classes is None:
            return declared
        several = (
            isinstance(classes, (list, tuple)) and len(classes) > 0 and all(map(np.ndim, classes))
        )
        given = [declared_classes(names) for names in (classes if several else [classes])]
        if declared is not None and len(declared) != len(given):
            raise ShapeError(
                f"classes are of {len(given)} outputs, y has {len(declared)}. Give as many."
            )
        if declared is not None:
            given = [
                np.unique(join_label_arrays(*pair)) for pair in zip(declared, given, strict=True)
            ]
        self._declared_classes = given
        return given

    def _hold(self, targets: Labels, weight: Array | None) -> None:
        for output in range(len(targets.classes)):
            voting_rule(self, targets, output, weight)  # raises for a wrong prior or cost
        self.targets_ = targets
        self.outputs_2d_: bool = not targets.flat
        self.classes_ = targets.classes[0] if targets.flat else list(targets.classes)
        for j, classes in enumerate(targets.classes):
            if len(classes) == 1:
                which = f"of output {j} " if self.outputs_2d_ else ""
                (only,) = classes.tolist()
                self.decisions_.add("y", "constant", f"all labels {which}are {only!r}")
                warnings.warn(
                    f"All labels {which}are {only!r}: every prediction will be this class. "
                    "Give rows of another class.",
                    UserWarning,
                    stacklevel=5,
                )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("ties", self.ties, TIE_RULES)

    def _votes(self, X: object, *, votes: bool) -> list[VoteResult]:
        raise NotImplementedError

    def _named(self, results: list[VoteResult]) -> AnyArray:
        return self.targets_.named(np.column_stack([result.winner[:, -1] for result in results]))

    def _shares(self, results: list[VoteResult]) -> AnyArray | list[AnyArray]:
        shares = [
            rule.probabilities(result.votes)
            for rule, result in zip(voting_rules(self), results, strict=True)
            if result.votes is not None
        ]
        return shares if self.outputs_2d_ else shares[0]

    def _note_ties(self, results: list[VoteResult]) -> None:
        tied = sum(int(np.count_nonzero(result.tied)) for result in results)
        total = sum(result.tied.size for result in results)
        if tied:
            done = {
                "grow": "more neighbors voted",
                "nearest": "the nearest of the tied classes won",
                "fewer": "fewer neighbors voted",
                "prior": "the tied class of the largest prior won",
            }[self.ties]
            self.decisions_.put("ties", f"{tied} of {total} votes", f"ties={self.ties!r}: {done}")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self._several_outputs
        return tags


class KNeighborsClassifier(NeighborsClassifier):
    r"""K-nearest-neighbor classifier: the most frequent class among the K nearest rows.

    .. math:: p(c | x) = \frac{1}{K} \sum_{i=1}^{K} [y_{(i)} = c]

    [Barber, 14.2; UGR]. Replaces scikit-learn's class of this name. Differences: a tie does not go
    to the lowest label. With ``ties="grow"`` all rows as near as the K-th vote, and more until
    one class leads [Barber, algorithm 14.1, step 4], so that neither the
    order of the rows nor the names of the classes decide.

    Parameters
    ----------
    n_neighbors : int, "loo" or "cv", default=5
        K; or chosen from 1 to `k_max` by the leave-one-out or the `folds`-fold error.
    weights : {"uniform", "distance"} or function, default="uniform"
        How votes count: the same, by the inverse of the distance (where rows coincide with the
        query only they vote), or by a function of the distances.
    algorithm, leaf_size, split, approximate, recall, p, metric, metric_params, n_jobs, engine
        As in :class:`lookalike.NearestNeighbors`.
    ties : {"grow", "nearest", "fewer", "prior"}, default="grow"
        What decides a tied vote: more neighbors; the nearest neighbor of a tied class; fewer
        neighbors; the class of the largest prior or frequency. Where even that is tied, the first
        class in sorted order wins.
    priors : None, "balanced", mapping or array, default=None
        Prior probability of each class, by label or in the order of `classes_`. None is its
        share of the rows, "balanced" the same for each. Votes count as
        :math:`\pi_c / (N_c / N)`; at K = 1 one class has all of them, whatever the prior.
    cost : array of shape (n_classes, n_classes) or mapping, optional
        Cost of predicting class j where i is true; the least expected cost wins. A mapping holds
        ``{(true, predicted): cost}``; pairs that it does not name cost 1.
    missing : {"error", "mean", "present"}, default="error"
        As in :class:`lookalike.NearestNeighbors`.
    k_max : int, default=25
        Largest K tried where K is chosen.
    folds : int, default=5
        Folds of ``n_neighbors="cv"``.

    Attributes
    ----------
    classes_ : ndarray, or list of them
        The labels in sorted order.
    n_neighbors_ : int
        The K used.
    selection_ : KSelection
        The errors of every K, where K was chosen.
    outputs_2d_ : bool
        Whether `y` had several outputs.
    effective_metric_, effective_metric_params_, n_samples_fit_, decisions_
        As in :class:`lookalike.NearestNeighbors`; `decisions_` contains how many votes were tied.

    Examples
    --------
    >>> from lookalike import KNeighborsClassifier
    >>> model = KNeighborsClassifier(2).fit([[0.0], [1.0], [3.0]], ["a", "b", "b"])
    >>> model.predict([[0.2]])  # one vote each: a third neighbor votes
    array(['b'], dtype='<U1')
    """

    k_max: int
    folds: int
    selection_: KSelection
    _reads_tensors = True
    _chosen = SELECTION_METHODS
    _curves = classifier_curves
    n_neighbors_: property = property(selected_k)
    select = select_k
    _choose = choose_k
    _default_k = default_k

    def __init__(
        self,
        n_neighbors: int | str = 5,
        *,
        weights: object = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        split: str = "variance",
        approximate: float = 0.0,
        recall: float = 0.95,
        p: float | None = 2,
        metric: object = "minkowski",
        metric_params: Mapping[str, object] | None = None,
        n_jobs: int | None = None,
        ties: str = "grow",
        priors: object = None,
        cost: object = None,
        missing: str = "error",
        k_max: int = 25,
        folds: int = 5,
        engine: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.split = split
        self.approximate = approximate
        self.recall = recall
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.ties = ties
        self.priors = priors
        self.cost = cost
        self.missing = missing
        self.k_max = k_max
        self.folds = folds
        self.engine = engine

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_selection(self)

    def _votes(self, X: object, *, votes: bool) -> list[VoteResult]:
        return self._vote(neighbor_query(self, X), votes=votes)

    def _vote(self, query: NeighborQuery, *, votes: bool) -> list[VoteResult]:
        k = self._enough(self._default_k(), query)
        results = [
            vote(query, self.targets_.codes[:, j], rule, [k], votes=votes)
            for j, rule in enumerate(voting_rules(self))
        ]
        self._note_ties(results)
        return results


def _readable_again(X: object) -> object:
    """Return queries that come once, in memory: a tie may need a second search."""
    return read_once(open_source(X)) if hasattr(X, "__next__") else X
