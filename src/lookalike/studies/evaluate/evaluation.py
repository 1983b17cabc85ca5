"""The contest and its honest estimate: on a part set aside, or on every row in folds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lookalike.decisions import Decisions
from lookalike.studies.evaluate.held_out import answer, estimate
from lookalike.studies.load.read import Reading
from lookalike.studies.results import Candidate, FoldModel, HeldOutScores, Predictions
from lookalike.studies.select.budget import Budget
from lookalike.studies.select.candidates import constant
from lookalike.studies.select.model_selection import Outcome, Rules, compare
from lookalike.studies.select.split import Division
from lookalike.typing import AnyArray, Rows

CONTEST = 0.65  # of the time, in which models are compared


@dataclass(frozen=True)
class Judged:
    """The winner, how it fared on rows that took no part, and the rows it was fitted on."""

    outcome: Outcome
    candidates: tuple[Candidate, ...]
    held_out: HeldOutScores
    predictions: Predictions
    train: Rows  # places of the training rows of the model that is kept
    fold_models: tuple[FoldModel, ...]

    @property
    def winner(self) -> Candidate:
        """The candidate that won."""
        return next(one for one in self.candidates if one.name == self.outcome.winner)


def judge(
    reading: Reading,
    y: AnyArray,
    division: Division,
    rules: Rules,
    *,
    apart: tuple[Reading, AnyArray] | None,
    budget: Budget,
    decisions: Decisions,
) -> Judged:
    """Compare the candidates on training rows and try the winner on held-out ones.

    In folds the whole comparison is repeated without each fold, so that choosing is part of what
    is estimated; the model that is kept is then chosen and fitted on all rows.
    """
    held = _held_out(reading, y, division, apart)
    rounds = len(held) + 1 if division.folded else 1
    answers, trials, outcome = [], [], None
    for fold, (train, material, truth, number) in enumerate(held):
        quiet = Decisions() if division.folded else decisions
        outcome = compare(
            reading.material.take(train),
            y[train],
            rules,
            budget=budget,
            deadline=budget.deadline(CONTEST, rounds - fold),
            decisions=quiet,
        )
        with budget.stage("trying the winner"):
            told, sure = answer(outcome.model, material.source())
        trials.append(FoldModel(outcome.model, reading.row[train]))
        naive = _baseline(y[train], len(truth), classify=rules.classify)
        answers.append((number, truth, told, sure, np.full(len(truth), fold), naive))
    train = held[0][0]
    if division.folded or outcome is None:
        train = np.random.default_rng(rules.seed).permutation(len(reading))
        outcome = compare(
            reading.material.take(train),
            y[train],
            rules,
            budget=budget,
            deadline=budget.deadline(CONTEST),
            decisions=decisions,
        )
        decisions.add("model", "fitted on all rows", "folds told how well it does without some")
    else:
        decisions.add("model", f"fitted on the {len(train)} training rows", "as it was tried")
    found, naive = _joined(answers)
    judged = estimate(found, naive, classify=rules.classify, seed=rules.seed)
    candidates = tuple(
        replace(one, held_out_error=judged.error) if one.name == outcome.winner else one
        for one in outcome.candidates
    )
    return Judged(outcome, candidates, judged, found, train, tuple(trials))


def _held_out(
    reading: Reading, y: AnyArray, division: Division, apart: tuple[Reading, AnyArray] | None
) -> list[tuple[Rows, Any, AnyArray, Rows]]:
    """Return training places, and material, truth and numbers of the rows held out of them."""
    if apart is not None:
        other, truth = apart
        return [(division.parts[0][0], other.material, truth, other.row)]
    return [
        (train, reading.material.take(held), y[held], reading.row[held])
        for train, held in division.parts
    ]


def _baseline(y: AnyArray, n_rows: int, *, classify: bool) -> AnyArray:
    model = constant(classify=classify)
    answers: AnyArray = model.fit(np.zeros((len(y), 1)), y).predict(np.zeros((n_rows, 1)))
    return answers


def _joined(answers: list[tuple[Any, ...]]) -> tuple[Predictions, AnyArray]:
    """Return the answers of all folds in order of row, and those of the baseline."""
    parts = [[one[place] for one in answers] for place in range(6)]
    number, truth, told, fold, naive = (np.concatenate(parts[place]) for place in (0, 1, 2, 4, 5))
    known = all(part is not None for part in parts[3])  # winners of some folds may not tell
    sure = np.concatenate(parts[3]) if known else None
    order = np.argsort(number, kind="stable")
    found = Predictions(
        number[order],
        truth[order],
        told[order],
        None if sure is None else sure[order],
        fold[order],
    )
    return found, naive[order]
