"""The comparison: every candidate chooses and is scored on the training rows, the best one wins."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sklearn.pipeline import Pipeline

from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError, ShapeError
from lookalike.models.neighbors.k_selection import KSelection
from lookalike.progress import progress
from lookalike.studies.load.dataset import Material
from lookalike.studies.results import Candidate
from lookalike.studies.select.budget import Budget, Deadline, TimeOver
from lookalike.studies.select.candidates import ENTRIES, Entry, Fitted, Training
from lookalike.studies.select.preparation import Preparation, TextPreparation, choose_preparation
from lookalike.studies.select.text_candidates import TEXT_ENTRIES
from lookalike.typing import AnyArray


@dataclass(frozen=True)
class Rules:
    """What is the same in every comparison of a study."""

    columns: Mapping[str, str]
    classify: bool
    metric: str
    seed: int


@dataclass(frozen=True)
class Outcome:
    """The candidates as they were scored, and the winner as a model of tables as they came."""

    candidates: tuple[Candidate, ...]
    winner: str
    model: Pipeline
    selection: KSelection | None
    preparation: Preparation | TextPreparation


class Space:
    """Training rows as each kind of model sees them, prepared once for each."""

    def __init__(self, material: Material, y: AnyArray, rules: Rules, chosen: Any) -> None:
        self._material, self._y, self._rules, self._chosen = material, y, rules, chosen
        self._made: dict[str, tuple[Any, Training]] = {}

    def of(self, entry: Entry) -> tuple[Any, Training]:
        """Return the preparer and the training rows that suit a candidate."""
        space = self._chosen.same(entry.space)
        if space not in self._made:
            preparer = self._chosen.preparer(space)
            Z = preparer.fit_transform(self._material.source())
            training = Training(
                Z,
                self._y,
                self._rules.classify,
                self._rules.seed,
                self._chosen.search(space, preparer),
                self._chosen.scaled(preparer),
            )
            self._made[space] = preparer, training
        return self._made[space]

    def selection(self) -> KSelection | None:
        """Return the errors of every K, where they were found."""
        found = (training.__dict__.get("selection") for _, training in self._made.values())
        return next((one for one in found if one is not None), None)


def compare(
    material: Material,
    y: AnyArray,
    rules: Rules,
    *,
    budget: Budget,
    deadline: Deadline,
    decisions: Decisions,
) -> Outcome:
    """Let every candidate choose and score itself on the rows of `material`; the best wins.

    Those that take least are tried first, so that one that is stopped at the deadline costs none
    of the others their turn.
    """
    with budget.stage("preparing"):
        chosen = choose_preparation(
            material,
            y,
            columns=rules.columns,
            classify=rules.classify,
            metric=rules.metric,
            seed=rules.seed,
            decisions=decisions,
        )
    space = Space(material, y, rules, chosen)
    task = "classification" if rules.classify else "regression"
    every = ENTRIES if material.text is None else TEXT_ENTRIES
    entries = [entry for entry in every if task in entry.tasks]
    tried: dict[str, tuple[Candidate, tuple[Any, Fitted] | None]] = {}
    with budget.stage("comparing models"), progress("models", len(entries)) as advance:
        for entry in sorted(entries, key=lambda entry: entry.cost(space.of(entry)[1].size)):
            tried[entry.name] = _run(entry, space, deadline)
            advance(1)
    results = [tried[entry.name][0] for entry in entries]
    best: tuple[Candidate, Any, Fitted] | None = None
    for result, made in (tried[entry.name] for entry in entries):
        if made is not None and (best is None or _better(result, best[0])):
            best = (result, *made)
    if best is None:
        why = "; ".join(f"{one.title}: {one.skipped}" for one in results)
        raise ShapeError(f"No model could be fitted. {why}")
    return Outcome(
        tuple(results),
        best[0].name,
        Pipeline([("prepare", _kept(best[1], best[2].kept)), *best[2].steps]),
        space.selection(),
        chosen,
    )


def _kept(preparer: Any, directions: int | None) -> Any:
    """Return the preparer with its first directions alone."""
    return preparer if directions is None else preparer.first(directions)


def _run(
    entry: Entry, space: Space, deadline: Deadline
) -> tuple[Candidate, tuple[Any, Fitted] | None]:
    """Return how a candidate fared, and its model where it could be fitted."""
    told = Candidate(entry.name, entry.title, entry.description)
    preparer, training = space.of(entry)
    expected = entry.cost(training.size)
    if expected == 0:  # there is time for what the others are compared with
        deadline = Deadline(None)
    refused = deadline.refuses(expected)
    if expected > entry.most:
        size = training.size
        refused = f"{size.rows} rows of {size.columns} numbers would take about {expected:.0f} s"
    if refused:
        return replace(told, skipped=refused), None
    begin = time.monotonic()
    try:
        with deadline.enforced(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what matters is in the choices and the score
            fitted = entry.fit(training)
    except TimeOver:
        spent = time.monotonic() - begin
        return replace(told, skipped=f"stopped after {spent:.0f} s: its time was over"), None
    except (LookalikeError, ValueError) as error:
        return replace(told, skipped=f"it cannot be fitted here: {error}"), None
    return (
        replace(
            told,
            hyperparameters=fitted.hyperparameters,
            validation_error=fitted.score.value,
            validation_interval=fitted.score.interval,
            validation_method=fitted.score.method,
            n_rows=fitted.rows or len(training.y),
            seconds=time.monotonic() - begin,
        ),
        (preparer, fitted),
    )


def _better(one: Candidate, other: Candidate) -> bool:
    """Return whether the score of one is below that of the other; of level ones the first stays."""
    left: Any = one.validation_error
    right: Any = other.validation_error
    return bool(left < right)
