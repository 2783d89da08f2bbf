"""WebSocket text messages without ASGI: received by a callback, sent many in one write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workroom.server.fast.websocket_frames import FrameSplitter, text_frame
from workroom.server.protocols.transport import TransportLimits, reset
from workroom.server.protocols.websocket_protocol import CLOSING_BYTES, WebSocketProtocol

_FLUSH_BYTES = 262_144


class FastWebSocketProtocol(WebSocketProtocol):
    """Hands whole text frames to `on_text`. Everything else goes through uvicorn and ASGI."""

    _splitter: FrameSplitter | None = None
    _is_early = False

    def __init__(self, *arguments: Any, limits: TransportLimits, **options: Any) -> None:
        super().__init__(*arguments, limits=limits, **options)
        self._unsent: list[bytes] = []
        self._unsent_bytes = 0
        self._is_held = False

    def on_text(self, callback: Callable[[str], bool]) -> None:
        """Call `callback` with each text; if it returns False, the text goes through ASGI.

        A peer that sent data before this call is served through ASGI alone, to keep its messages in order.
        """
        self._on_text = callback
        if not self._is_early:
            self._splitter = FrameSplitter(self._text_received, super().data_received, self._max_size)

    def admit(self) -> None:
        super().admit()
        if self._splitter is not None:
            self._splitter.max_size = self._max_size

    def hold(self) -> None:
        """Stop reading until `release`."""
        self._is_held = True
        if self._splitter is not None:
            self._splitter.hold()
        self._pause_reading()

    def release(self) -> None:
        self._is_held = False
        if not self.read_paused and not self.transport.is_closing():
            self.transport.resume_reading()
        if self._splitter is not None:
            self._splitter.release()

    def send_text(self, text: str) -> None:
        """Send a text in one write with all others of this turn of the loop."""
        if not self._unsent:
            self.loop.call_soon(self._flush)
        frame = text_frame(text)
        self._unsent.append(frame)
        self._unsent_bytes += len(frame)
        if self._unsent_bytes > _FLUSH_BYTES:
            self._flush()

    def close(self, code: int, reason: str) -> None:
        self._flush()
        super().close(code, reason)
        if self.close_sent and self._is_held:
            self.release()

    async def send(self, message: Any) -> None:
        self._flush()
        await super().send(message)

    def data_received(self, data: bytes) -> None:
        if self._is_held:
            self._pause_reading()
        if self._splitter is None:
            self._is_early = self.handshake_initiated
            super().data_received(data)
        elif self.close_sent and len(data) > CLOSING_BYTES:
            reset(self.transport)
        else:
            self._splitter.feed(data)

    def _pause_reading(self) -> None:
        if not self.transport.is_closing():
            self.transport.pause_reading()

    def _flush(self) -> None:
        unsent, self._unsent, self._unsent_bytes = self._unsent, [], 0
        if unsent and not (self.disconnected or self.close_sent):
            self.transport.write(b"".join(unsent))

    def _text_received(self, payload: bytes) -> bool:
        """Keep the order: nothing overtakes a message that is queued for ASGI."""
        if self.close_sent or not self.queue.empty():
            return False
        try:
            return self._on_text(payload.decode())
        except UnicodeDecodeError:
            return False
