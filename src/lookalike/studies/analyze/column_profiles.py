"""Profiles of the columns and of the target, one column in memory at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lookalike.confidence import wilson
from lookalike.data.chunk import Kind
from lookalike.decisions import Decisions
from lookalike.missing import is_missing
from lookalike.studies.analyze import column_alerts as alerts
from lookalike.studies.analyze.association import (
    MIN_ROWS_OF_CATEGORY,
    association,
    correct_associations,
)
from lookalike.studies.format import Interval
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.profile_results import Alert, Association, ColumnProfile, Histogram
from lookalike.studies.results import ColumnDescription, TargetSummary
from lookalike.typing import AnyArray, Array, Rows

MAX_COLUMNS_PROFILED = 2000  # that are profiled
MAX_ROWS_FOR_ASSOCIATIONS = 20_000  # that associations are measured on
HISTOGRAM_BINS = 16
TOP_CATEGORIES = 8  # categories that are listed
MISSING_LEVEL = 0.001  # of the test whether values are missing by class
MAX_PIXELS_PROFILED = 1_000_000  # values of images
SQUARES_OVERFLOW_FROM = 1e150  # beyond which squares overflow
ONE_DAY = np.timedelta64(1, "D")


def profile_columns(
    dataset: Dataset, columns: tuple[ColumnDescription, ...], seed: int, decisions: Decisions
) -> tuple[ColumnDescription, ...]:
    """Return the descriptions of the columns with their profiles.

    Associations with the target are over at most 20,000 rows, drawn at random; their p-values
    are corrected for the number of columns. Of more than 2,000 columns the first are profiled.
    """
    if dataset.image_shape is not None:
        return tuple(replace(one, profile=_pixels(dataset)) for one in columns)
    shown = columns[:MAX_COLUMNS_PROFILED]
    if len(columns) > len(shown):
        choice = f"of the first {len(shown):,} of {len(columns):,} columns"
        decisions.add("column profiles", choice, "profiles of more would fill the report")
    target = None if dataset.y is None else as_target(dataset.y)
    rows = None
    if target is not None and len(dataset) > MAX_ROWS_FOR_ASSOCIATIONS:
        rows = dataset.drawn(MAX_ROWS_FOR_ASSOCIATIONS, seed)
        choice = f"over {MAX_ROWS_FOR_ASSOCIATIONS:,} of {len(dataset):,} rows, random seed {seed}"
        decisions.add("associations with the target", choice, "enough for narrow intervals")
        target = target[rows]
    parts = [_profile(dataset, index, one, target, rows) for index, one in enumerate(shown)]
    profiles = _correct([profile for profile, _ in parts])
    done = []
    for one, profile, (_, missing) in zip(shown, profiles, parts, strict=True):
        alerts_of_column = profile.alerts
        if missing is not None and target is not None:
            alerts_of_column = (
                *alerts_of_column,
                *alerts.of_missing(profile.missing_association, missing, target),
            )
        done.append(replace(one, profile=replace(profile, alerts=alerts_of_column)))
    return (*done, *columns[MAX_COLUMNS_PROFILED:])


def profile_target(target: TargetSummary, y: AnyArray) -> TargetSummary:
    """Return the target with its distribution: intervals of class frequencies, or quantiles."""
    if target.classes:
        total = sum(target.counts)
        intervals: tuple[Interval, ...] = tuple(wilson(n / total, total) for n in target.counts)
        profile = ColumnProfile(total, alerts=tuple(alerts.of_classes(y)))
        return replace(target, intervals=intervals, profile=profile)
    return replace(target, profile=_numbers(y.astype(np.float64), "", []))


def as_target(y: AnyArray) -> AnyArray:
    """Return classes as codes, numbers as float64."""
    if y.dtype.kind == "f":
        return y.astype(np.float64)
    return np.unique(y, return_inverse=True)[1].astype(np.int64)


def _profile(
    dataset: Dataset,
    index: int,
    column: ColumnDescription,
    target: AnyArray | None,
    rows: Rows | None,
) -> tuple[ColumnProfile, AnyArray | None]:
    """Return the profile of a column, and which values are missing where that is tested."""
    kind = dataset.kinds[column.name]
    values, present, levels, unit = _read(dataset.column(index), kind, column.kind)
    alerts_of_column = alerts.of_description(column, len(dataset))
    profile = (
        _categories(values, levels, alerts_of_column)
        if levels
        else _numbers(values, unit, alerts_of_column)
    )
    if target is None or column.kind in ("constant", "empty", "identifier"):
        return profile, None
    if rows is not None:
        order = np.cumsum(present) - 1
        present = present[rows]
        values = values[order[rows[present]]]
    measured = association(values, target[present])
    missing, tested = ~present, None
    if missing.sum() >= MIN_ROWS_OF_CATEGORY and present.sum() >= MIN_ROWS_OF_CATEGORY:
        tested = association(missing.astype(np.int64), target)
    profile = replace(profile, association=measured, missing_association=tested)
    return profile, None if tested is None else missing


def _correct(profiles: list[ColumnProfile]) -> list[ColumnProfile]:
    """Return profiles whose p-values are corrected for the number of columns."""
    associations: list[Association | None] = correct_associations(
        [profile.association for profile in profiles]
    )
    missing = correct_associations(
        [profile.missing_association for profile in profiles], MISSING_LEVEL
    )
    return [
        replace(profile, association=first, missing_association=second)
        for profile, first, second in zip(profiles, associations, missing, strict=True)
    ]


def _read(values: AnyArray, kind: Kind, content: str) -> tuple[AnyArray, AnyArray, list[str], str]:
    """Return the values of a column, which rows have one, the levels of codes, and the unit.

    Values are float64, or int64 codes of categories, given its type and what it holds.
    """
    if kind == "date":
        present = ~np.isnat(values)
        days = (values[present] - np.datetime64(0, "D")) / ONE_DAY
        return days.astype(np.float64), present, [], "days since 1970"
    if kind in ("number", "boolean"):
        numbers = np.asarray(values, np.float64)
        present = ~np.isnan(numbers)
        if content != "boolean":
            return numbers[present], present, [], ""
        codes = (numbers[present] != 0).astype(np.int64)
        return codes, present, ["0", "1"] if kind == "number" else ["False", "True"], ""
    cells = values.tolist()
    present = np.array([not is_missing(cell) for cell in cells], bool)
    known = [str(cell) for cell, there in zip(cells, present.tolist(), strict=True) if there]
    if content == "text":
        words = np.array([len(cell.split()) for cell in known], np.float64)
        return words, present, [], "words"
    code_of: dict[str, int] = {}
    codes = np.array([code_of.setdefault(cell, len(code_of)) for cell in known], np.int64)
    return codes, present, list(code_of), ""


def _categories(codes: Rows, levels: list[str], found: list[Alert]) -> ColumnProfile:
    counts = np.bincount(codes, minlength=len(levels))
    used = [(level, n) for level, n in zip(levels, counts.tolist(), strict=True) if n]
    used.sort(key=lambda entry: (-entry[1], entry[0]))
    found = [*found, *alerts.of_categories([level for level, _ in used], counts[counts > 0])]
    return ColumnProfile(len(codes), top_values=tuple(used[:TOP_CATEGORIES]), alerts=tuple(found))


def _numbers(values: Array, unit: str, found: list[Alert]) -> ColumnProfile:
    if not len(values):
        return ColumnProfile(0, alerts=tuple(found))
    values = np.sort(values)
    distinct, counts = np.unique(values, return_counts=True)
    label = " of the number of words" if unit == "words" else ""
    if unit != "words" and not any(alert.kind == "identifier" for alert in found):
        found = [*found, *alerts.of_numbers(distinct, counts, label)]
    largest = float(np.abs(values).max())
    scale = (
        2.0**1000 if largest > SQUARES_OVERFLOW_FROM else 1.0
    )  # so that no difference or square overflows
    part = values / scale
    quantiles = tuple((scale * np.quantile(part, [0, 0.25, 0.5, 0.75, 1])).tolist())
    dates: tuple[str, ...] = ()
    if unit == "days since 1970":
        dates = tuple(str(np.datetime64(int(day // 1), "D")) for day in quantiles)
    return ColumnProfile(
        len(values),
        unit,
        quantiles,
        dates,
        scale * float(part.mean()),
        scale * float(part.std()),
        int(counts[0]),
        int(counts[-1]),
        None if largest > SQUARES_OVERFLOW_FROM else _histogram(values),
        alerts=tuple(found),
    )


def _histogram(values: Array) -> Histogram | None:
    low, high = float(values[0]), float(values[-1])
    if high - low <= max(abs(low), abs(high)) * 1e-12 * HISTOGRAM_BINS:
        return None
    edges = np.linspace(low, high, HISTOGRAM_BINS + 1)
    counts = np.histogram(values, edges)[0]
    return Histogram(tuple(edges.tolist()), tuple(counts.tolist()))


def _pixels(dataset: Dataset) -> ColumnProfile:
    """Return the distribution of gray values over all pixels of some images."""
    rows = np.asarray(dataset.rows)
    sample = rows[: max(MAX_PIXELS_PROFILED // max(rows.shape[1], 1), 1)].ravel().astype(np.float64)
    profile = _numbers(sample, "", [])
    return replace(profile, alerts=())
