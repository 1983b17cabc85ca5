"""The finding on leakage: columns that nearly determine the target."""

from __future__ import annotations

from lookalike.studies.analysis_results import Leak
from lookalike.studies.findings.evidence import StatedFigures
from lookalike.studies.format import listed
from lookalike.studies.results import Finding, Study
from lookalike.studies.task import TASKS

NAMED = 4  # leaks in a sentence
KINDS = {
    "column": "alone nearly determines the target",
    "text copy": "names the target as text",
    "identifier": "is an identifier that nearly determines the target",
    "filled for one class": "is filled almost only for one class or range of the target",
    "timestamp": "nearly determines the target by time",
    "timestamps": "nearly determine the target by their difference",
    "pair": "together nearly determine the target",
    "sum": "nearly determine the target as a linear combination",
}


def on_leakage(study: Study) -> Finding | None:
    """Name the columns that nearly determine the target, and the error without them."""
    leakage, scores = study.leakage, study.held_out
    if leakage is None or scores is None:
        return None
    say, metric, title = StatedFigures(), scores.metric, TASKS[study.task].metric_title
    parts = []
    for place, one in enumerate(leakage.leaks[:NAMED]):
        error = say.score(f"leakage.leaks.{place}.error", metric, one.error)
        names = listed([repr(name) for name in one.columns])
        used = "" if one.used else ", not used by the models"
        parts.append(f"{names} {KINDS[_kind(one)]} ({title} {error} by that alone{used})")
    more = len(leakage.leaks) - len(parts)
    first = leakage.leaks[0]
    others = say.score("leakage.leaks.0.error_of_others", metric, first.error_of_others)
    n_rows = say.count("leakage.leaks.0.n_rows", first.n_rows)
    text = (
        f"Possible leakage: {'; '.join(parts)}{f'; and {more} more' if more > 0 else ''}; {title} "
        f"{others} by all other columns (cross-validation, n = {n_rows})."
    )
    if leakage.error_without is not None and leakage.interval_without is not None:
        without = say.estimate(
            metric,
            ("leakage.error_without", leakage.error_without),
            ("leakage.interval_without", leakage.interval_without),
            ("leakage.n_rows", leakage.n_rows),
        )
        own = say.score("held_out.error", metric, scores.error)
        them = _them(leakage.leaks)
        if leakage.groups:
            them += f", the rows of each {leakage.groups!r} held out together,"
        text += f" Without {them} the held-out {title} is {without}, with {_them(leakage.leaks)} "
        text += f"{own}."
    if leakage.groups:
        text += (
            f" To predict rows with new values of {leakage.groups!r}: --groups {leakage.groups}."
        )
    options = " ".join(f"--drop {name}" for name in _columns(leakage.leaks))
    if options:
        text += f" If not known when predicting: {options}."
    return say.finding("leakage", text)


def _kind(leak: Leak) -> str:
    """Return the kind to name: columns that models use are no identifiers."""
    if leak.kind == "timestamp" and len(leak.columns) > 1:
        return "timestamps"
    return "column" if leak.kind == "identifier" and leak.used else leak.kind


def _columns(leaks: tuple[Leak, ...]) -> list[str]:
    return list(dict.fromkeys(name for one in leaks if one.used for name in one.columns))


def _them(leaks: tuple[Leak, ...]) -> str:
    return "it" if len(_columns(leaks)) == 1 else "them"
