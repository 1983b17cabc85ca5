"""Whole numbers that may be codes: few values with irregular gaps, or the name of a code."""

from __future__ import annotations

import numpy as np

from lookalike.data.column_names import names_a_code, names_an_amount
from lookalike.typing import AnyArray

MAX_DISTINCT_CODES = 50
MIN_ROWS_PER_CODE = 10  # on average
MIN_SHARE_REPEATED = 0.5  # of the codes that come back, at least
MIN_REPEATS = 5  # rows


def may_be_codes(name: str, values: AnyArray) -> str:
    """Return why the numbers of a column may be codes, nothing where they are amounts or counts.

    Examples
    --------
    >>> kinds = np.repeat([20.0, 30, 45, 60, 190], 20)
    >>> may_be_codes("MSSubClass", kinds)
    'its 5 distinct whole numbers have irregular gaps (20, 30, 45 … 190) and may be codes'
    >>> may_be_codes("rooms", np.repeat([1.0, 2, 3, 8], 20)), may_be_codes("zip", kinds)[:12]
    ('', 'its name is ')
    """
    present = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    codes, counts = np.unique(present, return_counts=True)
    if len(codes) < 3 or not (codes == np.floor(codes)).all():
        return ""
    if names_a_code(name):
        return "its name is that of a code"
    if names_an_amount(name):
        return ""
    few = len(codes) <= min(MAX_DISTINCT_CODES, len(present) / MIN_ROWS_PER_CODE)
    repeated = np.mean(counts >= MIN_REPEATS) >= MIN_SHARE_REPEATED
    steps = np.diff(codes)
    counted = codes[0] in (0, 1) and steps[0] == 1  # 0, 1, 2 … are counts, whatever follows
    if not few or not repeated or counted or len(np.unique(steps)) == 1:
        return ""
    if codes[0] <= 0 or np.count_nonzero(steps == 1) > len(steps) / 2:
        return ""  # a zero is an amount; a scale lacks a value now and then
    shown = ", ".join(f"{code:g}" for code in codes[:3])
    last = f" … {codes[-1]:g}" if len(codes) > 3 else ""
    return (
        f"its {len(codes)} distinct whole numbers have irregular gaps ({shown}{last}) and may be "
        "codes"
    )
