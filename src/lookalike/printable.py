"""Text and numbers as they are shown: characters that act on a terminal become their codes."""

from __future__ import annotations

import math
import re

# Controls but tab and line feed, line and paragraph separators, marks that reverse the reading
# direction, invisible tags, and halves of characters. A carriage return that does not end a line
# would overwrite it.
_CONTROL_CHARACTERS = re.compile(
    "\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff"
    "\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    r"""Return text with the characters that act on a terminal written as their codes.

    Lines and tabs stay; so do marks and joiners that scripts such as Arabic need.

    Examples
    --------
    >>> print(printable("a\x1b[2J\x07 \u202eb"))
    a\x1b[2J\x07 \u202eb
    """
    return _CONTROL_CHARACTERS.sub(_code, text)


def shortened(text: str, most: int) -> str:
    """Return the first characters of a text, `most` at most.

    >>> shortened("neighbors", 6)
    'neigh…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def number(value: float) -> str:
    """Return a number with four significant digits, thousands separated, large ones whole.

    >>> number(56940.25), number(0.98765), number(-12.0), number(1e-7)
    ('56,940', '0.9877', '−12', '1e−07')
    """
    if not math.isfinite(value):
        return "–" if math.isnan(value) else true_minus(f"{'-' if value < 0 else ''}∞")
    return true_minus(f"{value + 0.0:,.0f}" if abs(value) >= 1000 else f"{value + 0.0:.4g}")


def percent(share: float) -> str:
    """Return a share as a percentage.

    >>> percent(0.0312), percent(1.0)
    ('3.1%', '100.0%')
    """
    if not math.isfinite(share):
        return number(share)
    text = f"{share:.1%}"
    return true_minus(text if float(text[:-1]) else text.lstrip("-"))


def count(amount: float, one: str = "", many: str | None = None) -> str:
    """Return a whole number with its thousands separated, and its noun.

    >>> count(1, "row"), count(12345, "row"), count(12345)
    ('1 row', '12,345 rows', '12,345')
    """
    noun = one if amount == 1 or not one else many or one + "s"
    return f"{amount:,.0f} {noun}".rstrip()


def true_minus(text: str) -> str:
    """Return a figure with the sign that is as wide as a plus, as the page writes it.

    >>> true_minus("-0.25")
    '−0.25'
    """
    return text.replace("-", "−")


def seconds(value: float) -> str:
    """Return a duration, in milliseconds where it is short.

    >>> seconds(0.00025), seconds(1.25), seconds(3600)
    ('0.25 ms', '1.2 s', '3,600 s')
    """
    return f"{1000 * value:.2f} ms" if value < 1 else f"{value:,.{int(value < 100)}f} s"


def printable_json(text: str) -> str:
    r"""Return a JSON text, whose meaning stays, with these characters written as JSON has them.

    Examples
    --------
    >>> print(printable_json('{"a\u202e": "\x7f"}'))
    {"a\u202e": "\u007f"}
    """
    return _CONTROL_CHARACTERS.sub(_json_code, text)


def _code(match: re.Match[str]) -> str:
    point = ord(match[0])
    return f"\\x{point:02x}" if point < 0x100 else _wide_code(point)


def _wide_code(point: int) -> str:
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def _json_code(match: re.Match[str]) -> str:
    point = ord(match[0])
    if point < 0x10000:
        return f"\\u{point:04x}"
    high, low = divmod(point - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
