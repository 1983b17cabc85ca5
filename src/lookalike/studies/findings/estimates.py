"""Findings on the selected model: its scores on held-out rows, however they are held out."""

from __future__ import annotations

import numpy as np
from scipy.stats import binomtest

from lookalike.studies.findings.evidence import StatedFigures
from lookalike.studies.format import listed, score
from lookalike.studies.results import Candidate, Finding, HeldOutScores, OtherSplit, Study
from lookalike.studies.scoring import SCORINGS
from lookalike.studies.task import TASKS

NAMED = 3  # rare classes in a sentence
LEVEL = 0.05  # of tests
LEAST_SUPPORT = 5  # held-out rows of a class whose recall says something


def on_model(study: Study) -> Finding | None:
    """Name the selected model, its held-out scores and those of the baseline."""
    scores = study.held_out
    if scores is None or study.target is None:
        return None
    say = StatedFigures()
    winner = next(one for one in study.candidates if one.name == study.winner)
    chosen = ", ".join(f"{name} = {value}" for name, value in winner.hyperparameters.items())
    text = f"Best model: {winner.title}{f', {chosen}' if chosen else ''}. "
    text += _leading(study, scores, say)
    task = TASKS[study.task]
    error = say.estimate(
        scores.metric,
        ("held_out.error", scores.error),
        ("held_out.interval", scores.interval),
        ("held_out.n_rows", scores.n_rows),
    )
    text += f"Held-out {task.metric_title} {error}"
    if scores.r2 is not None and scores.mae is not None:
        text += f", R² {say('held_out.r2', score('r2', scores.r2))}"
        text += f", MAE {say.score('held_out.mae', 'mae', scores.mae)}"
    baseline = say.score("held_out.baseline", scores.metric, scores.baseline)
    text += f"; baseline ({task.baseline_title}) {baseline}. Held out: {study.shape.split}."
    if winner.name == "baseline" and scores.baseline == 0:
        text += f" The target {study.target.name!r} is constant: there is nothing to predict."
    elif winner.name == "baseline":
        text += " No model had a better validation score than the baseline."
        if winner.nested and scores.error != scores.baseline:
            text += " Some folds selected another model: the held-out error includes its errors."
    else:
        text += _compared_with_baseline(scores, task.metric_title)
    text += _better_references(study, winner, say) + _without_time(study)
    return say.finding("model", text)


def _compared_with_baseline(scores: HeldOutScores, title: str) -> str:
    """Return a sentence where a model is not significantly better than the baseline.

    Both predict the same rows: of numbers R² compares them, of classes McNemar's exact test, which
    takes the rows on which one of them alone is right.
    """
    if scores.r2_interval is not None:
        worse, better = scores.r2_interval[1] < 0, scores.r2_interval[0] > 0
    elif not scores.confusion_matrix:
        return ""
    else:
        matrix = np.array(scores.confusion_matrix, np.float64) / scores.n_repeats
        share = matrix.sum(axis=1) / matrix.sum()
        common = int(np.abs(share - (1 - scores.baseline)).argmin())  # what the baseline predicts
        model_alone = round(np.trace(matrix) - matrix[common, common])
        baseline_alone = round(matrix[common].sum() - matrix[common, common])
        differ = model_alone + baseline_alone
        certain = differ > 0 and binomtest(model_alone, differ).pvalue < LEVEL
        worse, better = certain and baseline_alone > model_alone, certain
    if worse:
        return f" The baseline has a significantly lower {title}."
    return (
        "" if better else f" No significant difference from the {title} of the baseline detected."
    )


def _without_time(study: Study) -> str:
    """Return a sentence on the models that there was no time for."""
    left = [one.title for one in study.candidates if one.lacked_time and not one.reference]
    if not left:
        return ""
    return f" Not compared, for lack of time: {listed(left, NAMED)}."


def _better_references(study: Study, winner: Candidate, say: StatedFigures) -> str:
    """Return a sentence on references with a smaller validation error than the winner."""
    metric = TASKS[study.task].metric
    better = []
    for place, one in enumerate(study.candidates):
        if one.reference and one.gap is not None and one.gap < 0:
            error = score(metric, float(one.validation_error or 0.0))
            if error != score(metric, float(winner.validation_error or 0.0)):
                error = say(f"candidates.{place}.validation_error", error)
                name = one.title.removeprefix("Reference: ")
                better.append(f"{name} ({error})")
    if not better:
        return ""
    place = next(i for i, one in enumerate(study.candidates) if one.name == winner.name)
    own = float(winner.validation_error or 0.0)
    own_error = say.score(f"candidates.{place}.validation_error", metric, own)
    return (
        f" In the same validation, {listed(better)} had a smaller {TASKS[study.task].metric_title} "
        f"than the selected model ({own_error}): a reference, which is not kept."
    )


def _leading(study: Study, scores: HeldOutScores, say: StatedFigures) -> str:
    """Return the score that the model was selected by, and the recall of rare classes."""
    text = ""
    rare = [] if study.target is None else study.target.rare_classes
    wanted = [scores.scoring] if scores.scoring not in ("", scores.metric) else []
    if rare and "balanced_accuracy" not in wanted:
        wanted.insert(0, "balanced_accuracy")
    named = {one.name: (place, one) for place, one in enumerate(scores.scores)}
    for name in wanted:
        if name not in named:
            continue
        place, one = named[name]
        path = f"held_out.scores.{place}"
        value = say.score(f"{path}.value", name, one.value)
        ends = say.interval(f"{path}.interval", name, one.interval)
        text += f"{SCORINGS[name].title[:1].upper()}{SCORINGS[name].title[1:]} {value} "
        text += f"(95% CI {ends})"
        if one.baseline is not None:
            text += f", baseline {say.score(f'{path}.baseline', name, one.baseline)}"
        text += ". "
    known = {one.label for one in scores.classes if one.support >= LEAST_SUPPORT}
    shown = [entry for entry in rare if entry[0] in known][:NAMED]
    recall = [_recall(scores, label, share, say) for label, share in shown]
    recall = [one for one in recall if one]
    if recall:
        text += (
            f"Recall of the rare {'class' if len(recall) == 1 else 'classes'} {listed(recall)}. "
        )
    unknown = [_few_rows(scores, *entry, say) for entry in rare if entry[0] not in known][:NAMED]
    unknown = [one for one in unknown if one]
    if unknown:
        text += f"Too few held-out rows for the recall of {listed(unknown)}. "
    return text


def _few_rows(scores: HeldOutScores, label: object, share: float, say: StatedFigures) -> str:
    for place, one in enumerate(scores.classes):
        if one.label == label:
            n_rows = say.count(f"held_out.classes.{place}.support", one.support)
            return f"{label!r} ({share:.1%} of the rows) with n = {n_rows}"
    return ""


def _recall(scores: HeldOutScores, label: object, share: float, say: StatedFigures) -> str:
    for place, one in enumerate(scores.classes):
        if one.label == label and one.recall is not None and one.recall_interval is not None:
            path = f"held_out.classes.{place}"
            ends = say.interval(f"{path}.recall_interval", "error", one.recall_interval)
            return (
                f"{label!r} ({share:.1%} of the rows) {say.share(f'{path}.recall', one.recall)} "
                f"(95% CI {ends}, n = {say.count(f'{path}.support', one.support)})"
            )
    return ""


def on_other_splits(study: Study) -> list[Finding]:
    """Compare the held-out error with that of other splits, where they differ."""
    scores = study.held_out
    if scores is None:
        return []
    findings = []
    for place, other in enumerate(scores.other_splits):
        finding = _on_split(study, scores, other, f"held_out.other_splits.{place}")
        if finding is not None:
            findings.append(finding)
    return findings


def _on_split(study: Study, scores: HeldOutScores, other: OtherSplit, path: str) -> Finding | None:
    say, metric, title = StatedFigures(), scores.metric, TASKS[study.task].metric_title
    own = say.score("held_out.error", metric, scores.error)
    error = say.estimate(
        metric,
        (f"{path}.error", other.error),
        (f"{path}.interval", other.interval),
        (f"{path}.n_rows", other.n_rows),
    )
    if other.kind != "time" and say.figures[f"{path}.error"] == own:
        return None
    are = "row is" if other.n_copies == 1 else "rows are"
    copies = f"{say.count(f'{path}.n_copies', other.n_copies)} held-out {are} identical to a"
    if other.kind == "duplicates":
        text = (
            f"Identical rows are kept on one side of every split. In a random split {copies} "
            f"training row, and the selected model has {_article(title)} {title} of {error} "
            f"instead of {own}"
        )
        text += ": too good for new rows." if other.error < scores.interval[0] else "."
        return say.finding("duplicates", text)
    if other.kind == "distinct":
        text = (
            f"{copies} training row (train/test leakage); on the others the held-out {title} is "
            f"{error}, on all {own}."
        )
        return say.finding("duplicates", text)
    if other.error <= scores.interval[1]:
        return None
    compared = (
        f"Fitted on the rows before, the selected model has {_article(title)} {title} of "
        f"{error} on {other.description}, and {own} where rows are held out at random."
    )
    if other.autocorrelation is not None:
        alike = say(f"{path}.autocorrelation", f"{other.autocorrelation:.2f}")
        text = (
            "Warning: rows that follow each other are alike (lag-1 autocorrelation of the target "
            f"{alike}). {compared} If rows are ordered in time or come in groups, the first is the "
            "one to expect: use --split time:COL or --groups COL."
        )
    else:
        text = (
            f"Warning: the {title} is higher for later rows. {compared} If later rows are to be "
            "predicted, the first is the one to expect: use --split time:COL."
        )
    by_chance = other.autocorrelation is None and other.interval[0] <= scores.error
    return None if by_chance else say.finding("time", text)


def _article(title: str) -> str:
    return "an" if title[:1] in "aeioAEIOR" else "a"
