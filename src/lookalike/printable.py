"""Text and numbers as they are shown: characters that act on a terminal become their codes."""

from __future__ import annotations

import re

# Controls but tab and line feed, line and paragraph separators, marks that reverse the reading
# direction, invisible tags, and halves of characters. A carriage return that does not end a line
# would overwrite it.
_ACTING = re.compile(
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
    return _ACTING.sub(_code, text)


def shortened(text: str, most: int) -> str:
    """Return the first characters of a text, `most` at most.

    >>> shortened("neighbors", 6)
    'neigh…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def number(value: float) -> str:
    """Return a number with four significant digits, thousands separated, large ones whole.

    >>> number(56940.25), number(0.98765), number(12.0), number(1e-7)
    ('56,940', '0.9877', '12', '1e-07')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


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
    return _ACTING.sub(_json_code, text)


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
