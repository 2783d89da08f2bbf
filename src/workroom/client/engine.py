"""Socket.IO as the SDK speaks it: a message is written at once, not handed from task to task first."""

from __future__ import annotations

from typing import Any

import aiohttp
import engineio
import socketio
from engineio.packet import MESSAGE, Packet


class DirectClient(socketio.AsyncClient):  # type: ignore[misc]
    def _engineio_client_class(self) -> Any:
        return _Engine


class _Engine(engineio.AsyncClient):  # type: ignore[misc]
    """What keeps the connection alive still goes through the library's queue, which notices a lost one."""

    async def _send_packet(self, packet: Packet) -> None:
        if self.state != "connected" or packet.packet_type != MESSAGE or self.ws is None:
            await super()._send_packet(packet)
            return
        try:
            await self.ws.send_str(packet.encode())
        except (OSError, aiohttp.ClientError):
            await super()._send_packet(packet)
