"""orjson in the shape that Socket.IO asks for."""

from __future__ import annotations

from typing import Any

import orjson
from socketio.packet import Packet


class SocketJson:
    @staticmethod
    def dumps(value: object, **_: object) -> str:
        return orjson.dumps(value).decode()

    @staticmethod
    def loads(text: str | bytes, **_: object) -> Any:
        return orjson.loads(text)


class TextPacket(Packet):  # type: ignore[misc]
    """Nothing binary travels by socket, so nobody looks for it in every value."""

    uses_binary_events = False
    json = SocketJson
