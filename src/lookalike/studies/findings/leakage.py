"""The claim on leakage: columns that nearly determine the target."""

from __future__ import annotations

from shlex import quote

from lookalike.studies.analysis_results import Leak
from lookalike.studies.findings.claim import Figures, claim
from lookalike.studies.format import format_list
from lookalike.studies.results import Study

MAX_LEAKS_NAMED = 4
LEAK_KINDS = {
    "column": "alone nearly determines the target",
    "text copy": "names the target as text",
    "identifier": "is an identifier that nearly determines the target",
    "filled for one class": "is filled almost only for one class or range of the target",
    "timestamp": "nearly determines the target by time",
    "timestamps": "nearly determine the target by their difference",
    "pair": "together nearly determine the target",
    "sum": "nearly determine the target as a linear combination",
}


@claim("leakage", scope="models of few columns; the study without them", method="cross-validation")
def leakage(study: Study, write: Figures) -> str | None:
    """Name the columns that nearly determine the target, and the error without them."""
    search = study.leakage
    if search is None or study.held_out is None:
        return None
    title = write.title
    parts = []
    for index, leak in enumerate(search.leaks[:MAX_LEAKS_NAMED]):
        names = format_list([repr(name) for name in leak.columns])
        error = write.score(f"leakage.leaks.{index}.error")
        used = "" if leak.used else ", not used by the models"
        parts.append(f"{names} {LEAK_KINDS[_kind(leak)]} ({title} {error} by that alone{used})")
    more = len(search.leaks) - len(parts)
    others = ""
    if has_other_columns(study):
        score = write.score("leakage.leaks.0.error_of_others")
        others = f"; {title} {score} by all other columns"
    text = (
        f"Possible leakage: {'; '.join(parts)}{f'; and {more} more' if more > 0 else ''}{others} "
        f"(cross-validation, n = {write.count('leakage.leaks.0.n_rows')})."
    )
    columns = list(
        dict.fromkeys(name for leak in search.leaks if leak.used for name in leak.columns)
    )
    them = "it" if len(columns) == 1 else "them"
    groups = search.groups
    if search.error_without is not None:
        together = f", the rows of each {groups!r} held out together," if groups else ""
        fields = ("error_without", "interval_without", "n_rows")
        text += f" Without {them}{together} the held-out {title} is "
        text += f"{write.estimate('leakage', fields)}, with {them} {write.score('held_out.error')}."
    if groups:
        text += f" To predict rows with new values of {groups!r}: --groups {quote(groups)}."
    if columns and others:
        options = " ".join(f"--drop {quote(name)}" for name in columns)
        what = f"If {them} can be known when predicting, nothing leaks; if not: {options}."
        text += f" {what}"
    return text


def has_other_columns(study: Study) -> bool:
    """Return whether models have columns beside those that nearly determine the target."""
    leaks = () if study.leakage is None else study.leakage.leaks
    leaking = {name for one in leaks for name in one.columns}
    return any(one.role != "dropped" and one.name not in leaking for one in study.columns)


def _kind(leak: Leak) -> str:
    """Return the kind to name: columns that models use are not identifiers."""
    if leak.kind == "timestamp" and len(leak.columns) > 1:
        return "timestamps"
    return "column" if leak.kind == "identifier" and leak.used else leak.kind
