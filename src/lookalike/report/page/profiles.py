"""The section on columns and target: distributions, associations and alerts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.printable import number, shortened
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.sparkline import sparkline
from lookalike.report.page.svg import figure
from lookalike.report.plots.histogram import plot_histogram
from lookalike.studies.analyze.association import CORRELATION_RATIO, CRAMERS_V, SPEARMAN_CORRELATION
from lookalike.studies.format import count, interval, percent
from lookalike.studies.profile_results import Association, ColumnProfile
from lookalike.studies.results import ColumnDescription, Study, TargetSummary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS_LISTED = 100  # columns that are shown
CLASS_LINES_LISTED = 40  # classes that are listed
MAX_LETTERS_OF_VALUE = 24  # letters of a value
MEASURE_SIGNS = {SPEARMAN_CORRELATION: "ρ", CORRELATION_RATIO: "η", CRAMERS_V: "V"}
MEAN_ROUNDING = 1e-12  # of the standard deviation: a mean below is 0
KINDS_WITHOUT_DISTRIBUTION = (
    "constant",
    "identifier",
    "empty",
)  # kinds that have no distribution to show
MEASURE_ARTICLES = {SPEARMAN_CORRELATION: "", CORRELATION_RATIO: "the ", CRAMERS_V: ""}
QUANTILE_NAMES = ("minimum", "lower quartile", "median", "upper quartile", "maximum")


def profiles(study: Study) -> Html | None:
    """Return the profile of the target, and a table of the columns."""
    target = None if study.target is None else _target(study.target)
    return join([target, _columns(study)]) if target or study.columns else None


def _target(target: TargetSummary) -> Html:
    title = tag("h3", f"Target {target.name}" if target.name != "target" else "Target")
    alerts = None if target.profile is None else _alerts(target.profile)
    if target.classes:
        return join([title, alerts, _classes(target)])
    return join([title, alerts, _numbers(target)])


def _classes(target: TargetSummary) -> Html:
    total = sum(target.counts)
    ends = target.intervals or ((0.0, 0.0),) * len(target.classes)
    all_classes = sorted(
        zip(target.classes, target.counts, ends, strict=True), key=lambda entry: -entry[1]
    )
    lines = [
        [label, count(n), percent(n / total), interval("error", around) if around[1] else ""]
        for label, n, around in all_classes[:CLASS_LINES_LISTED]
    ]
    more = len(all_classes) - len(lines)
    caption = "Frequencies of the classes" + (f"; {more} more are in study.json" if more else "")
    inside = table(caption, ["class", "rows", "share", "95% CI"], lines)
    if len(lines) <= CLASS_LINES_LISTED // 2:
        return inside
    return tag("details", tag("summary", f"Frequencies of {len(all_classes)} classes"), inside)


def _numbers(target: TargetSummary) -> Html | None:
    profile = target.profile
    if profile is None or profile.histogram is None:
        return None
    histogram, name = profile.histogram, target.name

    def draw(ax: Axes) -> None:
        plot_histogram(histogram, ax=ax).set(xlabel=name)

    drawn = figure(
        draw, name="target", alt=f"Histogram of {name}.", caption="Distribution.", size=(5.2, 2.8)
    )
    return tag("div", drawn, _quantile_table(profile, "Quantiles of the target"), class_="pair")


def _quantile_table(profile: ColumnProfile, caption: str) -> Html:
    values = profile.dates or tuple(map(number, profile.quantiles))
    lines = [[name, value] for name, value in zip(QUANTILE_NAMES, values, strict=True)]
    if profile.mean is not None and profile.std is not None and not profile.dates:
        mean = 0.0 if abs(profile.mean) < MEAN_ROUNDING * profile.std else profile.mean
        lines += [["mean", number(mean)], ["standard deviation", number(profile.std)]]
    return table(caption, ["", profile.unit if not profile.dates else ""], lines)


def _columns(study: Study) -> Html | None:
    columns = study.columns
    if not columns:
        return None
    shown = list(columns)
    caption = count(len(columns), "column")
    if len(columns) > COLUMNS_LISTED:
        shown = sorted(columns, key=_rank)[:COLUMNS_LISTED]
        caption = (
            f"{COLUMNS_LISTED} of {caption}, those with alerts and of the highest "
            "association first; the others are in study.json"
        )
    measured = any(one.profile is not None and one.profile.association for one in shown)
    head = ["column", "kind", "missing", "distinct", "distribution", "values"]
    head += ["association"] if measured else []
    lines = [_line(one, study.shape.n_rows, measured) for one in shown]
    if any(one.profile is not None and one.profile.alerts for one in shown):
        head.append("alerts")
        for line, one in zip(lines, shown, strict=True):
            line.append("" if one.profile is None else _alerts(one.profile) or "")
    title = tag("h3", "All columns") if study.target is not None else None
    note = tag(
        "p", "Values: the range with the median, or the most frequent category with its share."
    )
    return join([title, _measures(shown), note, table(caption, head, lines)])


def _rank(column: ColumnDescription) -> tuple[bool, float]:
    profile = column.profile
    if profile is None:
        return True, 0.0
    association = profile.association
    return not profile.alerts, -abs(
        association.value
    ) if association is not None and association.detected else 0.0


def _measures(columns: list[ColumnDescription]) -> Html | None:
    """Say what the measures of association are."""
    associations = [one.profile.association for one in columns if one.profile is not None]
    known = [one for one in associations if one is not None]
    used = [name for name in MEASURE_SIGNS if any(one.measure == name for one in known)]
    if not used:
        return None
    names = ", ".join(f"{MEASURE_SIGNS[name]} is {MEASURE_ARTICLES[name]}{name}" for name in used)
    n_rows = max(one.n_rows for one in known)
    text = (
        f"Association of each column with the target, alone, over up to {count(n_rows, 'row')}: "
        f"{names}. It is stated where the test, Holm-corrected for {count(len(known), 'column')}, "
        "detects it at 5%; a dash means that none was detected."
    )
    return tag("p", text)


def _line(column: ColumnDescription, n_rows: int, measured: bool) -> list[object]:
    profile = column.profile
    missing = "–"
    if column.missing:
        missing = f"{count(column.missing)} ({percent(column.missing / max(n_rows, 1))})"
    kind = column.kind if column.role != "dropped" else f"{column.kind}, dropped"
    line: list[object] = [_details(column), kind, missing, count(column.distinct)]
    if column.kind == "pixels":
        line[3] = "–"
    if profile is None:
        return [*line, "", "", *(["–"] if measured else [])]
    if column.kind in KINDS_WITHOUT_DISTRIBUTION:
        line += ["", column.example if column.kind == "constant" else ""]
    else:
        line += [sparkline(profile, f"distribution of {column.name}"), _range(profile)]
    if measured:
        line.append(_association(profile.association))
    return line


def _range(profile: ColumnProfile) -> str:
    if not profile.quantiles:
        first = profile.top_values[:1]
        if not first or len(profile.top_values) < 2:
            return ""
        share = percent(first[0][1] / max(profile.n_values, 1))
        return f"{shortened(first[0][0], MAX_LETTERS_OF_VALUE)} ({share})"
    values = profile.dates or tuple(
        number(quantile).replace("-", "−") for quantile in profile.quantiles
    )
    unit = f" {profile.unit}" if profile.unit and not profile.dates else ""
    return f"{values[0]} to {values[4]}{unit} ({values[2]})"


def _association(association: Association | None) -> str:
    if association is None or not association.detected:
        return "–"
    return f"{MEASURE_SIGNS[association.measure]}\N{NO-BREAK SPACE}{association.value:.2f}".replace(
        "-", "−"
    )


def _alerts(profile: ColumnProfile) -> Html | None:
    if not profile.alerts:
        return None
    parts = (
        tag("li", tag("strong", alert.kind.replace("_", " ")), ": ", alert.text)
        for alert in profile.alerts
    )
    return tag("ul", *parts, class_="alerts")


def _details(column: ColumnDescription) -> Html:
    """Return the name of a column, which opens to all that is known of it."""
    profile = column.profile
    inside: list[object] = []
    if column.reason:
        inside.append(tag("p", f"{column.reason[:1].upper()}{column.reason[1:]}."))
    if column.example:
        inside.append(tag("p", f"Example: {column.example}"))
    if profile is not None and profile.association is not None:
        inside.append(tag("p", _test(profile.association, profile.unit)))
    if profile is not None and profile.quantiles and column.kind not in KINDS_WITHOUT_DISTRIBUTION:
        inside.append(_quantile_table(profile, f"Quantiles of {column.name}"))
    if profile is not None and profile.top_values:
        lines = [
            [
                shortened(value, MAX_LETTERS_OF_VALUE),
                count(n),
                percent(n / max(profile.n_values, 1)),
            ]
            for value, n in profile.top_values
        ]
        more = column.distinct - len(lines)
        rest = f"; {count(more)} more" if more > 0 else ""
        inside.append(table(f"Most frequent{rest}", ["value", "rows", "share"], lines))
    if not inside:
        return tag("span", column.name)
    return tag("details", tag("summary", column.name), *inside, class_="column")


def _test(found: Association, unit: str) -> str:
    """Return an association in words."""
    of = "of the number of words " if unit == "words" else ""
    n_rows = count(found.n_rows)
    if not found.detected:
        return f"No association {of}with the target detected ({found.measure}, n = {n_rows})."
    text = f"{found.measure[:1].upper()}{found.measure[1:]} {of}with the target {found.value:.2f}"
    if found.interval is not None:
        text += f" (95% CI {found.interval[0]:.2f} to {found.interval[1]:.2f})"
    return text.replace("-", "−") + f", n = {n_rows}."
