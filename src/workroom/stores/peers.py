"""The peers of a server that is alone on its store."""

from __future__ import annotations

from collections.abc import Callable

from workroom.domain.storage.peer_message import PeerMessage


class NoPeers:
    def send(self, message: PeerMessage) -> None:
        pass

    def subscribe(self, receive: Callable[[PeerMessage], None], missed: Callable[[], None]) -> None:
        pass

    async def aclose(self) -> None:
        pass
