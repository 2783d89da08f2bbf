"""What nearly everything is said with: an event, and the answer to one, as Socket.IO writes them."""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson

EVENT, ANSWER = "42", "43"  # a message of Engine.IO, and what Socket.IO takes it for
_LONGEST_NUMBER = 15


class Heard(NamedTuple):
    is_answer: bool
    number: int | None
    items: list[Any]


def event(name: str, body: bytes, number: int | None = None) -> str:
    """With a number it wants an answer."""
    return f'{EVENT}{"" if number is None else number}["{name}",{body.decode()}]'


def answer(number: int, body: bytes) -> str:
    return f"{ANSWER}{number}[{body.decode()}]"


def heard(text: str) -> Heard | None:
    """None for what is neither, or is said otherwise than here: the library handles that."""
    kind = text[:2]
    if kind not in (EVENT, ANSWER):
        return None
    try:
        return Heard(kind == ANSWER, *_read(text))
    except ValueError:
        return None


def _read(text: str) -> tuple[int | None, list[Any]]:
    begin = text.index("[")
    digits = text[2:begin]
    if digits and not (digits.isdecimal() and len(digits) <= _LONGEST_NUMBER):
        raise ValueError("not a number")
    items: list[Any] = orjson.loads(text[begin:])
    return int(digits) if digits else None, items
