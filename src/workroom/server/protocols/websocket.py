"""A WebSocket as the socket servers see it, whichever server has accepted it."""

from __future__ import annotations

import asyncio
from typing import Protocol


class WebSocket(Protocol):
    @property
    def writable(self) -> asyncio.Event:
        """Set while the peer reads what is sent."""

    @property
    def close_sent(self) -> bool: ...

    @property
    def handshake_complete(self) -> bool: ...

    def admit(self) -> None:
        """Accept messages of full size: the peer is authenticated."""

    def close(self, code: int, reason: str) -> None:
        """Close once, without waiting for the peer."""
