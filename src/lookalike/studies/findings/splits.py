"""Claims on rows held out in another way: identical rows, and rows in time."""

from __future__ import annotations

from lookalike.studies.evaluate.significance import is_worse_later
from lookalike.studies.findings.claim import Figures, claim
from lookalike.studies.results import OtherSplit, Study


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
    own, error = write.score("held_out.error"), write.estimate(path)
    if write.stated[f"{path}.error"] == own:
        return None
    are = "row is" if other.n_copies == 1 else "rows are"
    copies = f"{write.count(f'{path}.n_copies')} held-out {are} identical to a training row"
    if other.kind == "distinct":
        return (
            f"{copies} (train/test leakage); on the others the held-out {write.title} is {error}, "
            f"on all {own}."
        )
    end = ": too good for new rows." if other.error < study.held_out.interval[0] else "."
    return (
        f"Identical rows are kept on one side of every split. In a random split {copies}, and the "
        f"selected model has {_article(write.title)} {write.title} of {error} instead of {own}{end}"
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
        return (
            f"Warning: the {write.title} is higher for later rows. {compared} If later rows are to "
            "be predicted, the first is the one to expect: use --split time:COL."
        )
    return (
        "Warning: rows that follow each other are alike (lag-1 autocorrelation of the target "
        f"{write.fixed(f'{path}.autocorrelation', 2)}). {compared} If rows are ordered in time or "
        "come in groups, the first is the one to expect: use --split time:COL or --groups COL."
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
    verdict = "the model beats it"
    if other.persistence < other.interval[0]:
        verdict = "the model does not beat it"
    elif other.persistence <= other.interval[1]:
        verdict = "no difference can be seen"
    return (
        f"On {other.description}, persistence (the target of the row before) has "
        f"{_article(write.title)} {write.title} of {write.score(f'{path}.persistence')}, the "
        f"selected model {write.estimate(path)}: {verdict}."
    )


def _other_split(study: Study, *kinds: str) -> tuple[str, OtherSplit | None]:
    """Return the path of the other split of one of these kinds, and the split."""
    for index, other in enumerate(() if study.held_out is None else study.held_out.other_splits):
        if other.kind in kinds:
            return f"held_out.other_splits.{index}", other
    return "", None


def _article(title: str) -> str:
    return "an" if title[:1] in "aeioAEIOR" else "a"
