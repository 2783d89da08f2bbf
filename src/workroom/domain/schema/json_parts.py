"""The size of JSON text in memory, estimated before it is parsed.

A few bytes of text can become hundreds: `{},` has 3 bytes and becomes an object of 64, with one key of 232.
"""

from __future__ import annotations

from workroom.errors import BodyTooLarge

_LIST, _OBJECT = 3, 6  # their size relative to a value in a list


def parts_of(text: str | bytes) -> int:
    """An upper bound that is quick to compute: commas and brackets in strings count too."""
    if isinstance(text, str):
        return text.count(",") + _LIST * text.count("[") + _OBJECT * text.count("{")
    return text.count(b",") + _LIST * text.count(b"[") + _OBJECT * text.count(b"{")


def check_parts(text: str | bytes, most: int) -> None:
    if len(text) * _OBJECT > most and parts_of(text) > most:
        raise too_many_parts(most)


def too_many_parts(most: int) -> BodyTooLarge:
    return BodyTooLarge(
        f"JSON may have {most} parts here, where a comma counts 1, a list {_LIST} and an object {_OBJECT}: "
        "send less at once, or a file",
        max_json_parts=most,
    )
