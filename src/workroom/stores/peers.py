"""A server that is alone on its store."""

from __future__ import annotations

from collections.abc import Callable

from workroom.domain.news import News


class NoPeers:
    def tell(self, news: News) -> None:
        pass

    def listen(self, hear: Callable[[News], None], missed: Callable[[], None]) -> None:
        pass

    async def aclose(self) -> None:
        pass
