"""Claims on the columns and the target: capped values, missing cells, integers, similar labels."""

from __future__ import annotations

from lookalike.models.targets import MIN_ROWS_OF_RAREST_CODE
from lookalike.printable import number
from lookalike.studies.findings.claim import Figures, claim
from lookalike.studies.format import format_list, percent
from lookalike.studies.profile_results import ColumnProfile
from lookalike.studies.results import Study

MAX_COLUMNS_NAMED = 3
MAX_INTEGER_CLASSES = 30  # different integers that may be classes


@claim("capped_target", topic="target", scope="all rows", method="rows at the extreme values")
def capped_target(study: Study, write: Figures) -> str | None:
    """Say where the target is capped, which limits what predictions can be."""
    target = study.target
    if target is None or target.profile is None:
        return None
    parts = _cap(target.profile, "target.profile", write)
    if not parts:
        return None
    return (
        f"The target {target.name!r} is probably capped: {format_list(parts)}. What it would be "
        "beyond cannot be learned."
    )


@claim("similar_labels", topic="target", scope="all rows", method="labels without case and spaces")
def similar_labels(study: Study, _: Figures) -> str | None:
    """Name labels that are probably one class."""
    profile = None if study.target is None else study.target.profile
    alerts = () if profile is None else profile.alerts
    return next((alert.text for alert in alerts if alert.kind == "similar_labels"), None)


@claim("integers", topic="target", scope="all rows", method="different integers of the target")
def integers(study: Study, write: Figures) -> str | None:
    """Say how integers were taken that could be classes, an order or numbers."""
    target = study.target
    taken = any(
        decision.about == "task" and "integers" in decision.reason for decision in study.decisions
    )
    if target is None or not taken:
        return None
    if study.task == "regression":
        if target.distinct is None or target.distinct > MAX_INTEGER_CLASSES:
            return None
        return (
            f"The {write.count('target.distinct')} different integers of {target.name!r} are taken "
            "as numbers: if each is a class, give --task classification."
        )
    ordered = study.held_out is not None and study.held_out.mae is not None
    rarest = min(target.counts, default=0)
    if len(target.counts) <= 2 or (rarest >= MIN_ROWS_OF_RAREST_CODE and not ordered):
        return None
    rows = write.count(f"target.counts.{target.counts.index(rarest)}", "row")
    return (
        f"The integers of {target.name!r} are taken as classes, the rarest in {rows}: if they are "
        "counts or an order, give --task regression."
    )


@claim(
    "columns",
    scope="all rows of the columns",
    method="rows at the extreme values; association of missing cells with the target",
)
def columns(study: Study, write: Figures) -> str | None:
    """Name columns that are capped, or missing in some classes more than in others."""
    named: list[str] = []
    for index, column in enumerate(study.columns):
        profile = column.profile
        if profile is None or column.role == "dropped":
            continue
        shown = write if len(named) < MAX_COLUMNS_NAMED else Figures(study)
        parts = _cap(profile, f"columns.{index}.profile", shown)
        if any(alert.kind == "missing_by_target" for alert in profile.alerts):
            rows = shown.count(f"columns.{index}.missing", "row")
            which = "classes" if study.task == "classification" else "targets"
            parts.append(f"missing in {rows}, more often for some {which} than for others")
        if parts:
            named.append(f"{column.name} ({format_list(parts)})")
    if not named:
        return None
    more = len(named) - MAX_COLUMNS_NAMED
    text = "; ".join(named[:MAX_COLUMNS_NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"Columns to check: {text}."


def _cap(profile: ColumnProfile, path: str, write: Figures) -> list[str]:
    """Return what is said of extremes at which a column is capped."""
    kinds = {alert.kind for alert in profile.alerts}
    ends = {"maximum": (profile.n_at_maximum, 4), "minimum": (profile.n_at_minimum, 0)}
    parts = []
    for which, (n_rows, column) in ends.items():
        if f"capped_at_{which}" in kinds:
            rows = write.count(f"{path}.n_at_{which}", "row")
            share = percent(n_rows / profile.n_values)
            value = write.text(f"{path}.quantiles.{column}", number(profile.quantiles[column]))
            parts.append(f"{rows} ({share} of the rows) at exactly the {which} {value}")
    return parts
