"""The claim on slices: parts of the rows with a much higher error."""

from __future__ import annotations

from lookalike.studies.findings.claim import Figures, claim
from lookalike.studies.findings.splits import is_for_other_rows
from lookalike.studies.format import format_list
from lookalike.studies.results import Study

MAX_SLICES_NAMED = 2


@claim(
    "slices",
    topic="model",
    scope="selected model, the half of the held-out rows that was not searched",
    method="permutation test, Holm-adjusted; simultaneous intervals",
)
def slices(study: Study, write: Figures) -> str | None:
    """Name parts of the rows whose error is much higher than that of the others."""
    parts = []
    for index, found_slice in enumerate(study.slices[:MAX_SLICES_NAMED]):
        path = f"slices.{index}"
        others = write.score(f"{path}.error_of_others")
        parts.append(f"{found_slice.rule}: {write.estimate(path)}, the other rows {others}")
    if not parts or is_for_other_rows(study):
        return None
    title = f"{write.title[:1].upper()}{write.title[1:]}"
    return (
        f"{title} is much higher for some rows, searched on one half of them and measured on the "
        f"other: {format_list(parts)}."
    )
