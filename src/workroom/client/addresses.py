"""Where the server is: at one address, or at several, of servers that share a store."""

from __future__ import annotations

import os
from typing import Self

DEFAULT_URL = "http://127.0.0.1:8000"


class Addresses:
    """One of them is believed to answer; who finds that it does not goes on to the next."""

    def __init__(self, given: str) -> None:
        urls = [url.strip().rstrip("/") for url in given.split(",")]
        self._urls = [url for url in urls if url] or [given]
        self._place = 0

    @classmethod
    def of(cls, given: str | None) -> Self:
        """What was given, else WORKROOM_URL, else the usual one."""
        return cls(given or os.environ.get("WORKROOM_URL") or DEFAULT_URL)

    def __str__(self) -> str:
        return ",".join(self.round())

    @property
    def name(self) -> str:
        """What these servers are remembered by, whichever of them answers."""
        return self._urls[0]

    @property
    def current(self) -> str:
        return self._urls[self._place]

    @property
    def are_several(self) -> bool:
        return len(self._urls) > 1

    def round(self) -> list[str]:
        """All of them, from the current one on."""
        return self._urls[self._place :] + self._urls[: self._place]

    def leave(self, url: str) -> None:
        """This one did not answer. If others have left it already, nothing changes."""
        if url == self.current:
            self._place = (self._place + 1) % len(self._urls)
