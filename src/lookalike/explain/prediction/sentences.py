"""An explanation in words: what is predicted, what would change it, and how usual the row is."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from lookalike.explain.k_ranges import nearest_other_k
from lookalike.printable import count, number, percent

if TYPE_CHECKING:
    from lookalike.explain.prediction.explanation import Explanation

ROUNDING_OF_SUMS = 1e-9  # up to which two sums are the same


def explanation_sentences(explanation: Explanation) -> dict[str, str]:
    """Return the sentences of an explanation by topic; what is not known is left out."""
    sentences = {
        "model": _model(explanation),
        "members": _members(explanation),
        "training_rows": _training_rows(explanation),
        "companion": explanation.companion_note,
        "neighbors": _neighbors(explanation),
        "flip": _flip(explanation),
        "k_ranges": _k_ranges(explanation),
        "similarity": _similarity(explanation),
    }
    if explanation.companion is not None:
        sentences |= explanation_sentences(explanation.companion)
    return {topic: text for topic, text in sentences.items() if text}


def _model(explanation: Explanation) -> str | None:
    """Return what a model predicts that is explained by effects or by its companion."""
    evidence = (explanation.score, explanation.companion, explanation.ensemble)
    if all(one is None for one in evidence):
        return None
    value = explanation.prediction
    if isinstance(value, (float, np.floating)):
        return f"The model predicts {number(float(value))}."
    if explanation.score is None:
        return f"The model predicts {value}."
    return f"The model predicts {value}, {explanation.score_title} {number(explanation.score)}."


def _members(explanation: Explanation) -> str | None:
    """Return the models whose predictions are averaged, and with which weights."""
    evidence = explanation.ensemble
    if evidence is None:
        return None
    parts = [
        f"{member.name} {number(member.prediction)} ({percent(member.weight)})"
        for member in evidence.members
    ]
    models = f"{count(len(parts), 'model')}: {', '.join(parts)}"
    if evidence.label is None:
        return f"It is the weighted mean of {models}."
    mean = sum(member.weight * member.prediction for member in evidence.members)
    then = "" if abs(mean - evidence.prediction) <= ROUNDING_OF_SUMS else ", then calibrated"
    return f"Its probability is the weighted mean of those of {models}{then}."


def _training_rows(explanation: Explanation) -> str | None:
    """Return how many training rows add to the prediction, and which has the largest part."""
    evidence = explanation.ensemble
    if evidence is None or not len(evidence.rows):
        return None
    what = "it" if evidence.label is None else f"the probability of {evidence.label}"
    rows = count(len(evidence.rows), "training row")
    if abs(evidence.constant) > ROUNDING_OF_SUMS * max(1.0, abs(evidence.prediction)):
        rows += f" and a constant of {number(evidence.constant)}"
    return (
        f"{rows} add up to {what}, {number(evidence.prediction)}; the largest part is that of row "
        f"{evidence.rows[0]}, {number(float(evidence.added[0]))}."
    )


def _neighbors(explanation: Explanation) -> str | None:
    n_voters = explanation.n_voters
    if explanation.moves is not None:
        if not n_voters:
            return "No row has a weight, so nothing is predicted."
        assert explanation.spread is not None
        mean = number(cast("float", explanation.prediction))
        return (
            f"The weighted mean of {count(n_voters, 'neighbor')} is {mean}, their standard "
            f"deviation {number(explanation.spread)}."
        )
    if explanation.classes is None or explanation.votes is None:
        return None
    if not n_voters:
        return f"No row has a vote: {explanation.prediction} is the label of outliers."
    assert explanation.margin is not None
    votes = explanation.votes[explanation.classes == explanation.prediction].sum()
    share = percent(float(votes / explanation.votes.sum()))
    verb = "predicts" if n_voters == 1 else "predict"
    text = f"{count(n_voters, 'neighbor')} {verb} {explanation.prediction}: {share} of the votes, "
    text += f"margin {number(explanation.margin)}"
    return (
        f"{text}, by priors, costs or the rule for ties." if explanation.margin < 0 else f"{text}."
    )


def _flip(explanation: Explanation) -> str | None:
    if explanation.moves is not None:
        return _largest_move(explanation)
    if explanation.classes is None or not explanation.n_voters:
        return None
    label = explanation.prediction
    if explanation.flip_rows is not None:
        removed = len(explanation.flip_rows)
        which = "its nearest row" if removed == 1 else f"its {count(removed)} nearest rows"
        text = f"Without {which} of class {label} the prediction would be {explanation.flip_label}."
    elif explanation.other_row is None:
        text = "Every row is of one class: no row would change it."
    else:
        text = f"Without all neighbors of class {label} the prediction would still be {label}."
    if explanation.k_ranges and explanation.k is not None:
        other = nearest_other_k(explanation.k_ranges, explanation.k)
        text += f" With K = {other[0]} it would be {other[1]}." if other is not None else ""
    return text


def _largest_move(explanation: Explanation) -> str | None:
    """Return what a predicted number would be without the row that moves it most."""
    assert explanation.moves is not None
    if explanation.n_voters < 2:
        return "One row decides the prediction." if explanation.n_voters else None
    moves = np.where(np.isnan(explanation.moves), 0.0, explanation.moves)
    value = cast("float", explanation.prediction) + float(moves[np.abs(moves).argmax()])
    return f"Without the row that moves it most, the prediction would be {number(value)}."


def _k_ranges(explanation: Explanation) -> str | None:
    runs = explanation.k_ranges
    if not runs:
        return None
    if len(runs) == 1:
        first_range = "K = 1" if runs[0].last == 1 else f"Every K from 1 to {runs[0].last}"
        return f"{first_range} predicts {runs[0].prediction}."
    return f"K = {'; '.join(f'{run}: {run.prediction}' for run in runs)}."


def _similarity(explanation: Explanation) -> str | None:
    percentile = explanation.percentile
    if percentile is None:
        return None
    text = (
        f"nearest row is farther away than that of {percent(percentile.share)} of "
        f"{count(percentile.n_rows, 'training row')}."
    )
    return f"No similar case: its {text}" if percentile.no_similar_case else f"Its {text}"
