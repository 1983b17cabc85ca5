"""Cells of text become columns of numbers, booleans, dates or strings, never an error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.data.chunk import DateOrder, Dialect, Kind
from lookalike.data.column_names import names_a_code
from lookalike.data.column_types import (
    MAX_DISTINCT_CATEGORIES,
    MIN_SHARE_OF_NUMBERS,
    MISSING_WORDS,
    SAMPLE_ROWS,
    CellEvidence,
    type_by_evidence,
)
from lookalike.data.formats.arrow_values import quick_values
from lookalike.data.formats.date_form import may_be_days, names_a_time, recognize_dates
from lookalike.data.formats.number_form import (
    NumberForm,
    floats,
    parse_numbers,
    recognize_numbers,
)
from lookalike.data.formats.parse_dates import parse_dates
from lookalike.typing import AnyArray

ZERO_LED = "^0[0-9]+$"
ONLY_DIGITS = "^[0-9]+$"
TRUTH_WORDS = pa.array(["true", "false"])


class ColumnForm(NamedTuple):
    """What the cells of a column are, how they are written, and the reason if it is not plain."""

    kind: Kind
    numbers: NumberForm = NumberForm()
    reason: str = ""
    date_order: DateOrder | None = None
    words: str = ""  # for what the cells are, where the kind says less
    clean: bool = False  # whether all cells were seen to be of the kind

    @property
    def choice(self) -> str:
        """What the cells are, in words."""
        return self.words or self.kind


def recognize(
    cells: pa.Array,
    dialect: Dialect,
    name: str = "",
    *,
    kind: Kind | None = None,
    label: bool = False,
    fixed: bool = False,
    order: DateOrder | None = None,
    only_plain: bool = False,
) -> ColumnForm:
    """Return the form of the column whose first cells these are; nulls are missing.

    Where the user gives the `kind`, what is left to find is how the cells are written. A column
    of labels is never one of identifiers. Separators that the user gave are `fixed`, and so is
    the `order` of day, month and year; `only_plain` numbers are those without unit and separators.

    Examples
    --------
    >>> form = recognize(pa.array(["007", "07", "7"]), Dialect())
    >>> form.kind, form.reason
    ('category', 'digits with leading zeros are codes')
    """
    cells = cells[:SAMPLE_ROWS]
    form = NumberForm(dialect.decimal or ".", dialect.thousands)
    may_be_plain = kind is None and form == NumberForm() and not names_a_time(name)
    if may_be_plain and _are_plain_numbers(cells, name):
        return ColumnForm("number", clean=True)
    if kind not in (None, "number"):
        given = _date_form(cells, name, given=True, order=order) if kind == "date" else None
        return given or ColumnForm(kind)
    distinct, counts = _distinct(cells, dialect)
    may_be_numbers = kind is not None or _have_digits(distinct)
    may_be_dates = kind is None and may_be_numbers and _have_digits(distinct, "[0-9].*[0-9]")
    if may_be_dates and (dates := _date_form(cells, name)):
        return dates
    if kind is None and not len(distinct):
        return ColumnForm("category" if _are_words(cells, dialect) else "number")
    if len(distinct) and _are_truth_words(distinct, only=kind is None):  # given numbers: 0 and 1
        return ColumnForm("boolean")
    plain, fixed = form, fixed or names_a_code(name)
    few_labels = label and len(distinct) <= MAX_DISTINCT_CATEGORIES
    if may_be_numbers and not only_plain:
        form = recognize_numbers(
            distinct,
            form,
            fixed=fixed,
            delimiter=dialect.delimiter,
            word_units=not (names_a_code(name) or few_labels),
        )
    evidence = _evidence(distinct, counts, form, numbers=may_be_numbers)
    result, reason = type_by_evidence(evidence, name)
    result = kind or ("category" if label and result == "id" else result)
    reason = "" if kind else reason
    if result == "number" and form != plain:
        described = form.description() or "decimal point"
        reason = f"{described}, as in {_example(distinct, plain, form)!r}"
    elif result != "number" and not reason and 2 * evidence.numbers > evidence.cells:
        reason = (
            f"{evidence.numbers:,} of {evidence.cells:,} cells are numbers, and "
            f"{_example(distinct, form)!r} for example is not"
        )
    return ColumnForm(result, form, reason)


def convert(cells: pa.Array, form: ColumnForm) -> AnyArray:
    """Return the cells as an array of the kind; a cell that is not of it is missing."""
    if form.kind == "number":
        return parse_numbers(cells, form.numbers)
    if form.kind == "boolean":
        return parse_truths(cells)
    if form.kind == "date":
        return parse_dates(cells, form.date_order or "ymd")
    if form.kind == "category" and (texts := quick_values(cells, "category")) is not None:
        return texts  # each distinct one is one object
    values: AnyArray = cells.to_numpy(zero_copy_only=False)
    return values.astype(object, copy=False)


def odd_cells(
    cells: pa.Array, values: AnyArray, form: ColumnForm, dialect: Dialect
) -> AnyArray | None:
    """Return the places of filled cells that are missing in `values`, None where there are none."""
    if form.kind not in ("number", "boolean", "date"):
        return None
    missing = np.isnat(values) if form.kind == "date" else np.isnan(values)
    if np.count_nonzero(missing) == cells.null_count:
        return None
    places = np.flatnonzero(missing)
    odd = cells.take(pa.array(places))
    trimmed = pc.utf8_trim_whitespace(odd)
    blank = pc.fill_null(pc.is_in(trimmed, pa.array([*dialect.missing, ""])), True)
    kept = places[~(pc.or_(blank, odd.is_null()).to_numpy(zero_copy_only=False))]
    return kept if len(kept) else None


def _date_form(
    cells: pa.Array, name: str, *, given: bool = False, order: DateOrder | None = None
) -> ColumnForm | None:
    """Return the form of a column of dates, None where it is not one."""
    if order is not None:
        return ColumnForm("date", date_order=order)
    form = recognize_dates(cells, name, given=given)
    if form is None:
        return None
    return ColumnForm("date", reason=form.reason, date_order=form.order, words=form.choice)


def _are_plain_numbers(cells: pa.Array, name: str) -> bool:
    """Return at once whether all cells are numbers that are not codes; False may be wrong."""
    try:
        numbers = cells.cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    values = floats(numbers)
    filled = values[~np.isnan(values)]
    if len(filled) < len(cells) - cells.null_count or not np.isfinite(filled).all():
        return False
    if not (filled == np.floor(filled)).all():
        return True
    if may_be_days(filled):
        return False
    lengths = floats(pc.binary_length(cells).cast(pa.float64()))
    padded = (lengths > 1) & (np.abs(values) < 10.0 ** (lengths - 1))
    return not padded.any() and not names_a_code(name)


def _distinct(cells: pa.Array, dialect: Dialect) -> tuple[pa.Array, AnyArray]:
    """Return the distinct filled cells that are not words for a missing value, and their counts."""
    met = cells.drop_null().value_counts()
    distinct, counts = met.field("values"), met.field("counts").to_numpy()
    kept = ~are_missing_words(distinct, dialect)
    return distinct.filter(pa.array(kept)), counts[kept]


def are_missing_words(cells: pa.Array, dialect: Dialect) -> AnyArray:
    """Return which cells are blank, or words for a missing value among numbers and dates."""
    words = pa.array([*MISSING_WORDS, *(word.lower() for word in dialect.missing), ""])
    trimmed = pc.utf8_lower(pc.utf8_trim_whitespace(cells))
    values: AnyArray = pc.is_in(trimmed, words).to_numpy(zero_copy_only=False)
    return values


def _are_words(cells: pa.Array, dialect: Dialect) -> bool:
    """Return whether there are cells other than blank ones and markers of the dialect."""
    trimmed = pc.utf8_trim_whitespace(cells.drop_null())
    return not pc.all(pc.is_in(trimmed, pa.array([*dialect.missing, ""]))).as_py()


def _example(distinct: pa.Array, form: NumberForm, other: NumberForm | None = None) -> str:
    """Return a cell that is not a number in `form`, and is one in `other` if that is given."""
    chosen = np.isnan(parse_numbers(distinct, form))
    if other is not None:
        chosen &= ~np.isnan(parse_numbers(distinct, other))
    return str(distinct[int(chosen.argmax())])[:40]


def _have_digits(distinct: pa.Array, pattern: str = "[0-9]") -> bool:
    """Return whether half of the cells have a digit, or fit the pattern of several."""
    if not len(distinct):
        return False
    return bool(pc.mean(pc.match_substring_regex(distinct, pattern)).as_py() >= 0.5)


def _evidence(
    distinct: pa.Array, counts: AnyArray, form: NumberForm, *, numbers: bool
) -> CellEvidence:
    """Return what the cells look like, as numbers too if they may be some."""
    trimmed = pc.utf8_trim_whitespace(distinct)
    evidence = CellEvidence(
        cells=int(counts.sum()),
        distinct=len(distinct),
        characters=int((pc.utf8_length(distinct).to_numpy() * counts).sum()),
        words=int(((pc.count_substring_regex(trimmed, r"\s+").to_numpy() + 1) * counts).sum()),
    )
    if not numbers:
        return evidence
    are_numbers = ~np.isnan(parse_numbers(distinct, form))
    only_digits = _matches(trimmed, ONLY_DIGITS)
    codes = _matches(trimmed, ZERO_LED) if only_digits.any() else only_digits
    return evidence._replace(
        numbers=int(counts[are_numbers].sum()),
        distinct_numbers=int(are_numbers.sum()),
        codes=int(counts[codes].sum()),
        only_digits=bool(counts[only_digits].sum() >= MIN_SHARE_OF_NUMBERS * counts.sum()),
    )


def _matches(cells: pa.Array, pattern: str) -> AnyArray:
    values: AnyArray = pc.match_substring_regex(cells, pattern).to_numpy(zero_copy_only=False)
    return values


def _are_truth_words(distinct: pa.Array, *, only: bool) -> bool:
    """Return whether all cells are true and false; else whether some are, and none is a number."""
    are_words = pc.is_in(pc.utf8_lower(distinct), TRUTH_WORDS)
    if only:
        return bool(pc.all(are_words).as_py())
    are_numbers = ~np.isnan(parse_numbers(distinct, NumberForm()))
    return bool(pc.any(are_words).as_py()) and not are_numbers.any()


def parse_truths(cells: pa.Array) -> AnyArray:
    """Return true as 1, false as 0, and NaN for other cells."""
    lower = pc.utf8_lower(cells)
    known = pc.if_else(pc.is_in(lower, TRUTH_WORDS), lower, None)
    return floats(pc.equal(known, "true").cast(pa.float64()))
