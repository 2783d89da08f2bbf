"""Reads the packets that clients send: an event, an ack, or the reason why a packet is refused.

A refused packet gets a reply or closes the connection; python-socketio never sees it.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import orjson

from workroom.client.fast import messages
from workroom.client.fast.messages import Message
from workroom.domain.schema.json_parts import check_parts
from workroom.errors import BodyTooLarge, InvalidRequest, MalformedJson, NotFound, WorkroomError
from workroom.server.http.views.problem import render_problem
from workroom.services.json_codec import decode

_HEADER = re.compile(r"4([0-6])(?:(\d{1,10})-)?(?:(/[^,]{0,200})(?:,|$))?(\d{1,15})?", re.ASCII)
_ENGINE_PACKETS = ("1", "5")  # close and upgrade, which Engine.IO handles
_MAX_ATTACHMENTS = 1000
_ONE_NAMESPACE = "there is no namespace but '/'"
_NO_BINARY = "binary messages are not supported: send JSON"


class PacketJson:
    """JSON for python-socketio."""

    @staticmethod
    def dumps(value: object, **_: object) -> str:
        return orjson.dumps(value).decode()

    @staticmethod
    def loads(text: str | bytes, **_: object) -> Any:
        return decode(text)


class RefusedPacket(NamedTuple):
    """With an ack id there is a reply; without one the connection closes with the reason."""

    reason: str
    reply: str | None = None
    attachments: int = 0  # binary frames that still follow


def read(text: str, max_parts: int) -> Message | RefusedPacket | None:
    """None for packets that the library handles: CONNECT and DISCONNECT."""
    try:
        check_parts(text, max_parts)
    except BodyTooLarge as error:
        header = _HEADER.match(text)
        return RefusedPacket(error.detail) if header is None else _refused("/", header[4], error)
    return _valid(messages.decode(text)) or _read_unusual(text)


def refusal(ack_id: int | None, error: WorkroomError) -> RefusedPacket:
    """The reply to an event of this ack_id, or the end of the connection if it has none."""
    return _refused("/", None if ack_id is None else str(ack_id), error)


def _valid(packet: Message | None) -> Message | None:
    if packet is None or packet.is_ack:
        return packet
    items = packet.items
    return packet if 1 <= len(items) <= 2 and type(items[0]) is str else None


def _read_unusual(text: str) -> Message | RefusedPacket | None:
    if text in _ENGINE_PACKETS:
        return None
    header = _HEADER.match(text)
    if header is None:
        return RefusedPacket("this is not a Socket.IO packet")
    kind, attachments, namespace, ack_id = header.groups()
    return _packet(kind, int(attachments or 0), namespace or "/", ack_id, text[header.end() :])


def _packet(
    kind: str, attachments: int, namespace: str, ack_id: str | None, rest: str
) -> Message | RefusedPacket | None:
    match kind:
        case "0":
            return _check_connect(namespace, rest)
        case "1":
            return RefusedPacket("DISCONNECT takes no payload") if rest or ack_id else None
        case "2" | "3":
            return _event(kind == "3", namespace, ack_id, rest)
        case "5" if attachments <= _MAX_ATTACHMENTS:
            return _refused(namespace, ack_id, InvalidRequest(_NO_BINARY), attachments)
        case "5" | "6":
            return RefusedPacket(_NO_BINARY)
    return RefusedPacket("clients do not send packets of this type")


def _check_connect(namespace: str, auth: str) -> RefusedPacket | None:
    if namespace != "/":
        problem = {"message": _ONE_NAMESPACE, "data": render_problem(NotFound(_ONE_NAMESPACE))}
        return RefusedPacket(_ONE_NAMESPACE, f"44{namespace},{orjson.dumps(problem).decode()}")
    try:
        if auth:
            orjson.loads(auth)
    except orjson.JSONDecodeError:
        return RefusedPacket("the auth of CONNECT is not JSON")
    return None


def _event(is_ack: bool, namespace: str, ack_id: str | None, body: str) -> Message | RefusedPacket:
    if namespace != "/":
        return _refused(namespace, ack_id, NotFound(_ONE_NAMESPACE))
    try:
        items = decode(body)
    except orjson.JSONDecodeError as error:
        return _refused("/", ack_id, MalformedJson(f"the message is not valid JSON: {error}"))
    packet = Message(is_ack, int(ack_id) if ack_id else None, items)
    if not isinstance(items, list) or _valid(packet) is None:
        return _refused("/", ack_id, InvalidRequest("an event is a list of its name and one value"))
    return packet


def _refused(namespace: str, ack_id: str | None, error: WorkroomError, attachments: int = 0) -> RefusedPacket:
    if ack_id is None:
        return RefusedPacket(error.detail)
    prefix = "" if namespace == "/" else f"{namespace},"
    reply = orjson.dumps([{"error": render_problem(error)}]).decode()
    return RefusedPacket(error.detail, f"{messages.ACK}{prefix}{ack_id}{reply}", attachments)
