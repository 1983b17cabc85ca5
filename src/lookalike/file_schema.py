"""What a file from a stranger may say: every field by its type and range, named where it is wrong.

Model files and index files are checked by the same rules before anything is built from them.
"""

from __future__ import annotations

import json
import math
from collections import abc
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, is_dataclass
from dataclasses import fields as dataclass_fields
from types import NoneType, UnionType
from typing import Any, NoReturn, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from lookalike.errors import ModelFileError
from lookalike.validation import finite_float, once_each, shown

LARGEST_COUNT = 2**63 - 1  # that arrays and files can have

Rule: TypeAlias = Callable[[Any, str], None]  # raises where a value of a field is wrong


def parse_plain_json(text: str | bytes) -> Any:
    """Parse JSON strictly: no key twice, no NaN, no number that 64 bits cannot hold.

    Examples
    --------
    >>> parse_plain_json('{"a": 1}')
    {'a': 1}
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=once_each,
            parse_constant=_refuse,
            parse_float=finite_float,
            parse_int=_short,
        )
    except RecursionError:
        raise ModelFileError("nested too deeply") from None
    except ValueError as error:
        raise ModelFileError(str(error)) from None


def record(fields: Mapping[str, Rule]) -> Rule:
    """Return the rule of an object that has these fields and no others."""

    def check(value: object, field: str) -> None:
        if not isinstance(value, dict):
            raise wrong_field(field, value, "an object")
        odd = sorted(set(value) ^ set(fields))
        if odd:
            what = "lacks" if odd[0] in fields else "has an unknown"
            raise ModelFileError(f"{field or 'the list'} {what} {shown(odd[0])}")
        for name, rule in fields.items():
            rule(value[name], f"{field}.{name}" if field else name)

    return check


def open_record(fields: Mapping[str, Rule], *, optional: Collection[str] = ()) -> Rule:
    """Return the rule of an object that has these fields and maybe others, which are ignored."""

    def check(value: object, field: str) -> None:
        if not isinstance(value, dict):
            raise wrong_field(field, value, "an object")
        for name, rule in fields.items():
            if name in value:
                rule(value[name], f"{field}.{name}" if field else name)
            elif name not in optional:
                raise ModelFileError(f"{field or 'the file'} lacks {shown(name)}")

    return check


def items(rule: Rule, *, least: int = 0, most: int = LARGEST_COUNT) -> Rule:
    """Return the rule of a list whose items all follow `rule`."""

    def check(value: object, field: str) -> None:
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise wrong_field(field, value, f"a list of {least} to {most} items")
        for number, item in enumerate(value):
            rule(item, f"{field}[{number}]")

    return check


def named(rule: Rule) -> Rule:
    """Return the rule of an object with any names, whose values all follow `rule`."""

    def check(value: object, field: str) -> None:
        if not isinstance(value, dict):
            raise wrong_field(field, value, "an object")
        for name, item in value.items():
            rule(item, f"{field}.{name}")

    return check


def whole(least: int = 0, most: int = LARGEST_COUNT) -> Rule:
    """Return the rule of a whole number within bounds."""

    def check(value: object, field: str) -> None:
        if type(value) is not int or not least <= value <= most:
            raise wrong_field(field, value, f"a whole number from {least} to {most}")

    return check


def number(least: float = -math.inf, most: float = math.inf) -> Rule:
    """Return the rule of a finite number within bounds."""

    def check(value: Any, field: str) -> None:
        if (
            type(value) not in (int, float)
            or not math.isfinite(value)
            or not least <= value <= most
        ):
            raise wrong_field(field, value, f"a finite number from {least:g} to {most:g}")

    return check


def power_of_two(value: Any, field: str) -> None:
    """Raise unless a value is a power of two that float64 holds in full."""
    number(2.0**-1022)(value, field)
    if math.frexp(value)[0] != 0.5:
        raise wrong_field(field, value, "a power of two")


def text(value: object, field: str) -> None:
    """Raise unless a value is text."""
    if not isinstance(value, str):
        raise wrong_field(field, value, "text")


def boolean(value: object, field: str) -> None:
    """Raise unless a value is true or false."""
    if not isinstance(value, bool):
        raise wrong_field(field, value, "true or false")


def choice(*allowed: object) -> Rule:
    """Return the rule of one of some values."""

    def check(value: object, field: str) -> None:
        if not any(type(value) is type(option) and value == option for option in allowed):
            raise wrong_field(field, value, " or ".join(map(repr, allowed)))

    return check


def optional(rule: Rule) -> Rule:
    """Return the rule of a value that may be null."""

    def check(value: object, field: str) -> None:
        if value is not None:
            rule(value, field)

    return check


def scalar(value: object, field: str) -> None:
    """Raise unless a value is text, a number, true, false or null."""
    if isinstance(value, (dict, list)):
        raise wrong_field(field, value, "a single value")


def rule_of(kind: object) -> Rule:  # noqa: PLR0911 - a line for every kind
    """Return the rule of what is written of a value of a type: of a dataclass, field by field.

    Fields that have a default may be absent, numbers that are not finite are null.

    Examples
    --------
    >>> rule_of(dict[str, tuple[float, float]])({"age": [0.5, None]}, "intervals")
    >>> rule_of(int | None)("x", "distinct")
    Traceback (most recent call last):
    lookalike.errors.ModelFileError: distinct is 'x', and a whole number from ... is needed
    """
    if kind in _RULES_OF_TYPES:
        return _RULES_OF_TYPES[kind]
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        return _rule_of_fields(kind)
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        others = [rule_of(part) for part in parts if part is not NoneType]
        rule = others[0] if len(others) == 1 else _anything
        return optional(rule) if NoneType in parts else rule
    if origin is tuple and Ellipsis not in parts:
        return _in_order([rule_of(part) for part in parts])
    if origin in (tuple, list):
        return items(rule_of(parts[0]))
    if origin in (dict, abc.Mapping):
        return named(rule_of(parts[1]))
    return items(_anything) if origin is np.ndarray else _anything


def fill_defaults(kind: object, value: Any) -> Any:
    """Return what is written of a value of a type, with the defaults of fields that are absent.

    Examples
    --------
    >>> from lookalike.studies.results import Candidate
    >>> written = {"name": "knn", "title": "K-NN", "description": "votes"}
    >>> fill_defaults(tuple[Candidate, ...], [written])[0]["skipped"]
    ''
    """
    origin, parts = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(value, dict):
        types = get_type_hints(kind)
        for field in (one for one in dataclass_fields(kind) if one.metadata.get("json", True)):
            if field.name in value:
                value[field.name] = fill_defaults(types[field.name], value[field.name])
            elif field.default is not MISSING:
                value[field.name] = list(field.default) if field.default == () else field.default
            elif field.default_factory is not MISSING:
                value[field.name] = field.default_factory()
    elif origin in (Union, UnionType):
        for part in parts:
            value = fill_defaults(part, value)
    elif origin in (tuple, list) and isinstance(value, list) and len(set(parts) - {...}) == 1:
        value = [fill_defaults(parts[0], one) for one in value]
    elif origin in (dict, abc.Mapping) and isinstance(value, dict):
        value = {name: fill_defaults(parts[1], one) for name, one in value.items()}
    return value


def _rule_of_fields(kind: Any) -> Rule:
    """Return the rule of a dataclass or a named tuple; those that hold each other have an end."""
    types = get_type_hints(kind)
    if is_dataclass(kind):
        written = [one for one in dataclass_fields(kind) if one.metadata.get("json", True)]
        names = [one.name for one in written]
        free = [
            one.name
            for one in written
            if one.default is not MISSING or one.default_factory is not MISSING
        ]
    else:
        names, free = list(kind._fields), list(kind._field_defaults)
    return open_record({name: rule_of(types[name]) for name in names}, optional=free)


def _in_order(rules: Sequence[Rule]) -> Rule:
    def check(value: object, field: str) -> None:
        items(_anything, least=len(rules), most=len(rules))(value, field)
        for number, (rule, item) in enumerate(zip(rules, cast(list[object], value), strict=True)):
            rule(item, f"{field}[{number}]")

    return check


def _anything(value: object, field: str) -> None:
    """Accept any value."""


_RULES_OF_TYPES: dict[Any, Rule] = {
    str: text,
    bool: boolean,
    int: whole(-LARGEST_COUNT),
    float: optional(number()),
    object: scalar,
}


def wrong_field(field: str, value: object, wanted: str) -> ModelFileError:
    """Return the error of a field that is not what it must be."""
    return ModelFileError(f"{field or 'the list'} is {shown(value)}, and {wanted} is needed")


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _short(digits: str) -> int:
    value = int(digits)
    if not -(2**63) <= value < 2**64:
        raise ValueError(f"{digits[:20]}… is too large")
    return value
