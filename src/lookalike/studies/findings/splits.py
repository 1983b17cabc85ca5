"""Claims on rows held out in another way: identical rows, rows in time, rows of unseen groups."""

from __future__ import annotations

from shlex import quote

from lookalike.studies.evaluate.significance import is_worse_later
from lookalike.studies.evaluation_results import OtherSplit
from lookalike.studies.findings.claim import Figures, claim
from lookalike.studies.results import Study


@claim(
    "duplicates",
    scope="selected model, a split with identical rows on both sides",
    method="the model fitted again without the held-out rows",
)
def duplicates(study: Study, write: Figures) -> str | None:
    """Compare the held-out error with that of a split that has identical rows on both sides."""
    path, other = _other_split(study, "duplicates", "distinct")
    if other is None or study.held_out is None:
        return None
    own_error, error = write.score("held_out.error"), write.estimate(path)
    if write.stated[f"{path}.error"] == own_error:
        return None
    near = any(decision.about == "near copies" for decision in study.decisions)
    alike = "nearly identical" if near else "identical"
    are = "row is" if other.n_copies == 1 else "rows are"
    copies = f"{write.count(f'{path}.n_copies')} held-out {are} {alike} to a training row"
    if other.kind == "distinct":
        return (
            f"{copies} (train/test leakage); on the others the held-out {write.title} is {error}, "
            f"on all {own_error}."
        )
    end = ": too good for new rows." if other.error < study.held_out.interval[0] else "."
    return (
        f"{alike[:1].upper()}{alike[1:]} rows are kept on one side of every split. In a random "
        f"split {copies}, and the selected model has {_article(write.title)} {write.title} of "
        f"{error} instead of {own_error}{end}"
    )


@claim("time", scope="selected model, the latest rows", method="fitted again on the rows before")
def time(study: Study, write: Figures) -> str | None:
    """Warn where the error on the latest rows is higher than that on random ones."""
    path, other = _other_split(study, "time")
    if other is None or study.held_out is None or not is_worse_later(study.held_out, other):
        return None
    compared = (
        f"Fitted on the rows before, the selected model has {_article(write.title)} {write.title} "
        f"of {write.estimate(path)} on {other.description}, and {write.score('held_out.error')} "
        "where rows are held out at random."
    )
    if other.autocorrelation is None:
        option = f"--split {quote(f'time:{other.column}')}"
        return (
            f"Warning: the {write.title} is higher for later rows. {compared} If later rows are to "
            f"be predicted, the first is the one to expect: use {option}."
        )
    return (
        "Warning: rows that follow each other are alike (lag-1 autocorrelation of the target "
        f"{write.fixed(f'{path}.autocorrelation', 2)}). {compared} If rows are ordered in time or "
        f"come in groups, the first is the one to expect{_advice(other)}."
    )


def _advice(later: OtherSplit) -> str:
    """Return the option that splits by time, by a column that there is."""
    if later.column:
        return f": use --split {quote(f'time:{later.column}')}"
    return "; a column that says when or of whom a row is would allow to split by it"


@claim(
    "groups",
    scope="selected model, values of a column that it has not seen",
    method="the model fitted again without all rows of the held-out values",
)
def groups(study: Study, write: Figures) -> str | None:
    """Warn where the error is higher for values of a column that the model has not seen."""
    path, other = _other_split(study, "groups")
    leaking = "" if study.leakage is None else study.leakage.groups
    if other is None or study.held_out is None or leaking == other.column:
        return None  # that the column leaks says the same
    return (
        f"Warning: rows of one {other.column!r} are alike. With all rows of each held out "
        f"together, the selected model has {_article(write.title)} {write.title} of "
        f"{write.estimate(path)} instead of {write.score('held_out.error')}. For new values of "
        f"{other.column!r} the first is the one to expect: --groups {quote(other.column)}."
    )


@claim(
    "persistence",
    topic="time",
    scope="selected model and persistence, the same latest rows",
    method="fitted again on the rows before; persistence repeats the target of the row before",
)
def persistence(study: Study, write: Figures) -> str | None:
    """Compare the model with the prediction that the target stays as it was."""
    path, other = _other_split(study, "time")
    if other is None or other.persistence is None or other.autocorrelation is None:
        return None
    low, high = other.persistence_interval or (other.persistence, other.persistence)
    verdict = "no difference can be seen"
    if high < other.interval[0]:
        verdict = "the model does not beat it"
    elif low > other.interval[1]:
        verdict = "the model beats it"
    return (
        f"On {other.description}, persistence (the target of the row before) has "
        f"{_article(write.title)} {write.title} of {write.score(f'{path}.persistence')}, the "
        f"selected model {write.estimate(path)}: {verdict}."
    )


def is_for_other_rows(study: Study) -> bool:
    """Return whether the held-out rows are unlike those to come: figures of them are not stated.

    So it is where later rows, or rows of unseen groups, have a higher error.
    """
    scores = study.held_out
    others = () if scores is None else scores.other_splits
    return any(
        split.kind == "groups"
        or (split.kind == "time" and scores and is_worse_later(scores, split))
        for split in others
    )


def _other_split(study: Study, *kinds: str) -> tuple[str, OtherSplit | None]:
    """Return the path of the other split of one of these kinds, and the split."""
    for index, other in enumerate(() if study.held_out is None else study.held_out.other_splits):
        if other.kind in kinds:
            return f"held_out.other_splits.{index}", other
    return "", None


def _article(title: str) -> str:
    return "an" if title[:1] in "aeioAEIOR" else "a"
