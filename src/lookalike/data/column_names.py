"""What the name of a column says of its numbers: codes and identifiers, which are not amounts."""

from __future__ import annotations

import re
import shlex

CODE_WORDS = frozenset(
    {"zip", "zipcode", "postcode", "postalcode", "postal", "plz", "code", "codes", "barcode"}
    | {"phone", "telephone", "fax", "isbn", "issn", "ean", "upc", "gtin", "sku", "fips"}
    | {"iban", "bic", "ssn", "vin"}
)
ID_WORDS = frozenset(["id", "ids", "uid", "uuid", "guid", "pk", "rownum", "customerid", "userid"])
AMOUNT_WORDS = frozenset(
    {"age", "year", "years", "month", "months", "week", "weeks", "day", "days", "hour", "hours"}
    | {"minute", "minutes", "weight", "height", "length", "width", "depth", "size", "area"}
    | {"price", "cost", "amount", "count", "temperature", "dose", "score", "rating", "grade"}
)
NUMBER_WORDS = frozenset(["number", "numbers", "no", "nr", "num"])  # of "phone number"
COLUMN_LETTERS = 26  # of the names in spreadsheets: A to Z, AA, AB …
NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")


def names_a_code(name: str) -> bool:
    """Return whether a name says that whole numbers in the column are codes or identifiers.

    The last word decides: ``zip_population`` counts people.

    Examples
    --------
    >>> [names_a_code(name) for name in ("ZipCode", "PLZ", "zip_code", "Phone No.", "customerID")]
    [True, True, True, True, True]
    >>> [names_a_code(name) for name in ("zip_population", "decode", "phone_calls", "age")]
    [False, False, False, False]
    """
    return _head_word(name) in CODE_WORDS | ID_WORDS


def names_an_id(name: str) -> bool:
    """Return whether a name says that the column tells rows apart.

    Examples
    --------
    >>> [names_an_id(name) for name in ("PassengerId", "user_id", "zip", "paid")]
    [True, True, False, False]
    """
    return _head_word(name) in ID_WORDS


def names_an_amount(name: str) -> bool:
    """Return whether a name says that numbers in the column measure or count.

    Examples
    --------
    >>> [names_an_amount(name) for name in ("age", "LotArea", "MSSubClass")]
    [True, True, False]
    """
    return _head_word(name) in AMOUNT_WORDS


def type_advice(name: str, kind: str) -> str:
    """Return how a user gives the type of a column, as it is typed.

    Examples
    --------
    >>> print(type_advice("Ticket no", "category"))
    --types 'Ticket no=category' (in Python types={'Ticket no': 'category'})
    """
    option = shlex.quote(f"{name}={kind}")
    return f"--types {option} (in Python types={{{name!r}: {kind!r}}})"


def column_letter(index: int) -> str:
    """Return the name that a spreadsheet gives a column.

    Examples
    --------
    >>> column_letter(0), column_letter(25), column_letter(26)
    ('A', 'Z', 'AA')
    """
    before, last = divmod(index, COLUMN_LETTERS)
    return (column_letter(before - 1) if before else "") + chr(ord("A") + last)


def _head_word(name: str) -> str:
    """Return the last word of a name in lower case, the one before it of a "phone number"."""
    words = [word.lower() for word in NAME_WORD.findall(name)]
    if len(words) > 1 and words[-1] in NUMBER_WORDS:
        words.pop()
    return words[-1] if words else ""
