"""How dates are written: the patterns of whole cells in lower case, and the names of months."""

from __future__ import annotations

_TIME_RE = (
    r"(?:[t\s,]\s*(?:at\s+)?(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?)?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?\s*(?P<zone>z|utc|gmt|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
_WEEKDAY_RE = r"(?:[a-zà-ÿ]{2,10}\.?,?\s+)?"  # Sunday, Sun, So.
_YEAR_RE = r"'?(?P<year>[0-9]{4}|[0-9]{2})"
_LONG_YEAR = r"(?P<year>[12][0-9]{3})"
_MONTH_RE = r"(?P<name>[a-zà-ÿ]{3,10})\.?"
_DAY_RE = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er|\.)?"
_BETWEEN_RE = r"(?:[\s./,-]*|\s+de\s+)"  # in a date with the name of a month

NUMERIC_DATE_PATTERN = (
    r"(?P<first>[0-9]{1,2})(?P<separator>[-./])\s?(?P<middle>[0-9]{1,2})"
    r"(?P<separator_2>[-./])\s?(?P<third>[0-9]{4}|[0-9]{2})" + _TIME_RE
)
FIXED_ORDER = (  # what a cell of these means does not depend on the rest of its column
    r"(?P<year>[0-9]{4})[-./](?P<month>[0-9]{1,2})[-./](?P<day>[0-9]{1,2})" + _TIME_RE,
    r"(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})"
    r"t(?P<hour>[0-9]{2})(?P<minute>[0-9]{2})(?P<second>[0-9]{2})?(?P<zone>z)?",
    r"(?P<year>(?:19|20)[0-9]{2})[-/](?P<month>[0-9]{2})",
    _WEEKDAY_RE + _DAY_RE + _BETWEEN_RE + _MONTH_RE + _BETWEEN_RE + _YEAR_RE + _TIME_RE,
    _WEEKDAY_RE + _MONTH_RE + r"[\s./-]*" + _DAY_RE + r"[\s,./-]+" + _YEAR_RE + _TIME_RE,
    _LONG_YEAR + _BETWEEN_RE + _MONTH_RE + _BETWEEN_RE + _DAY_RE + _TIME_RE,
    _MONTH_RE + r"[\s./,-]*" + _LONG_YEAR,
    _WEEKDAY_RE + _MONTH_RE + r"\s+" + _DAY_RE + r"\s+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r":(?P<second>[0-9]{2})(?:\s+(?P<zone>z|utc|gmt|[+-][0-9]{4}))?\s+" + _LONG_YEAR,
)
EIGHT_DIGITS = r"(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})"

_MONTHS_BY_LANGUAGE = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "jän feb mär apr mai jun jul aug sept okt nov dez",
    "januari februari mrz april mei juni juli augustus september oktober november december",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "janv févr mars avr mai juin juil août sept oct nov déc",
    "jan fév mrt avr mei jun jui aou sep oct nov dec",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "ene feb mar abr may jun jul ago sept oct nov dic",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "gen feb mar apr mag giu lug ago set ott nov dic",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "jan fev mar abr mai jun jul ago set out nov dez",
)
MONTH_NUMBERS = {
    name: number
    for names in _MONTHS_BY_LANGUAGE
    for number, name in enumerate(names.split(), start=1)
}
