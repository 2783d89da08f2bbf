"""Large bodies past ASGI: what the kernel received goes straight into the buffer of the request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class BodyReceiver(asyncio.BufferedProtocol):
    """Stands in for the protocol of a connection until the buffer is full. Reads no byte beyond it."""

    def __init__(
        self, protocol: asyncio.Protocol, buffer: memoryview, on_bytes: Callable[[int, bool], None]
    ) -> None:
        self._protocol = protocol
        self._left = buffer
        self._on_bytes = on_bytes  # called with the bytes just received, and whether those were the last

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._left

    def buffer_updated(self, nbytes: int) -> None:
        self._left = self._left[nbytes:]
        self._on_bytes(nbytes, not len(self._left))

    def eof_received(self) -> bool | None:
        return self._protocol.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.connection_lost(exc)

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()
