"""Looking into the values of a job: by path, and by comparing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import StrEnum

from workroom.domain.schema.list_index import index_of

MAX_LEAVES = 1000  # of one job, so that no document takes long
MAX_DEPTH = 8
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_INTEGER = re.compile(r"[+-]?\d{1,30}", re.ASCII)
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None, "none": None}

Scalar = str | int | float | bool | None


class Operator(StrEnum):
    EQUAL = "="
    UNEQUAL = "!="
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="


_ORDER: dict[Operator, Callable[[int], bool]] = {
    Operator.BELOW: lambda order: order < 0,
    Operator.AT_MOST: lambda order: order <= 0,
    Operator.ABOVE: lambda order: order > 0,
    Operator.AT_LEAST: lambda order: order >= 0,
}


def compares(value: object, operator: Operator, text: str) -> bool:
    """Whether a value compares so with what a person typed. A list does if one of its parts does."""
    if isinstance(value, list):
        parts = [part for part in value[:MAX_LEAVES] if not isinstance(part, list | dict)]
        if operator is Operator.UNEQUAL:
            return not any(_equals(part, text) for part in parts)
        return any(compares(part, operator, text) for part in parts)
    if isinstance(value, dict):
        return False
    if operator in (Operator.EQUAL, Operator.UNEQUAL):
        return _equals(value, text) is (operator is Operator.EQUAL)
    order = _order(value, text)
    return order is not None and _ORDER[operator](order)


def _equals(value: object, text: str) -> bool:
    if isinstance(value, str):
        return value.casefold() == text.casefold()
    if value is None or isinstance(value, bool):
        return text.casefold() in _WORDS and _WORDS[text.casefold()] is value
    return number(text) == value


def _order(value: object, text: str) -> int | None:
    """Numbers are compared as numbers and texts, such as dates, as texts; None if they are of two kinds."""
    wanted = number(text)
    if isinstance(value, int | float) and not isinstance(value, bool) and wanted is not None:
        return (value > wanted) - (value < wanted)
    if isinstance(value, str) and wanted is None:
        found, typed = value.casefold(), text.casefold()
        return (found > typed) - (found < typed)
    return None


def number(text: str) -> int | float | None:
    plain = text.replace("_", "")
    if _INTEGER.fullmatch(plain):
        return int(plain)
    return float(plain) if _NUMBER.fullmatch(plain) else None


def at_path(document: object, path: tuple[str, ...]) -> Iterator[object]:
    """The value at a path, if there is one. A name in another case is found if there is none in this case."""
    for key in path:
        if isinstance(document, dict):
            name = key if key in document else _similar(document, key)
            if name is None:
                return
            document = document[name]
        elif isinstance(document, list) and (index := index_of(key, document)) is not None:
            document = document[index]
        else:
            return
    yield document


def _similar(document: dict[str, object], key: str) -> str | None:
    wanted = key.casefold()
    return next((name for name in document if name.casefold() == wanted), None)


def leaves(document: object) -> Iterator[Scalar]:
    """The first values of a document that are no lists or objects, in their order."""
    left = MAX_LEAVES
    stack: list[Iterator[object]] = [iter((document,))]
    while stack and left:
        each = next(stack[-1], stack)
        if each is stack:
            stack.pop()
        elif isinstance(each, dict | list):
            left -= 1
            if len(stack) <= MAX_DEPTH:
                stack.append(iter(each.values()) if isinstance(each, dict) else iter(each))
        elif each is None or isinstance(each, str | int | float | bool):
            left -= 1
            yield each


def contains(value: Scalar, folded: str) -> bool:
    """Whether a text has this part, or a number or word is it."""
    if isinstance(value, str):
        return folded in value.casefold()
    return _equals(value, folded)
