"""Socket.IO events and acks in the default namespace, as text: nearly every message is one of these."""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson

EVENT, ACK = "42", "43"  # an Engine.IO message (4) with a Socket.IO EVENT (2) or ACK (3)
_MAX_ID_DIGITS = 15


class Message(NamedTuple):
    is_ack: bool
    ack_id: int | None
    items: list[Any]


def encode_event(name: str, body: bytes, ack_id: int | None = None) -> str:
    """`body` is JSON. With an ack id, the event requests an ack."""
    return f'{EVENT}{"" if ack_id is None else ack_id}["{name}",{body.decode()}]'


def encode_ack(ack_id: int, body: bytes) -> str:
    return f"{ACK}{ack_id}[{body.decode()}]"


def decode(text: str) -> Message | None:
    """Return None for every other packet, and for any other way to write these: the library decodes those."""
    kind = text[:2]
    if kind not in (EVENT, ACK):
        return None
    try:
        return Message(kind == ACK, *_decode(text))
    except ValueError:
        return None


def _decode(text: str) -> tuple[int | None, list[Any]]:
    begin = text.index("[")
    digits = text[2:begin]
    if digits and not (digits.isdecimal() and len(digits) <= _MAX_ID_DIGITS):
        raise ValueError("not an ack id")
    items: list[Any] = orjson.loads(text[begin:])
    return int(digits) if digits else None, items
