"""The addresses of the server, or of several servers that share a store."""

from __future__ import annotations

import os
from typing import Self

DEFAULT_URL = "http://127.0.0.1:8000"


class Addresses:
    """A list of URLs, one of which is current. A caller that gets no response moves on to the next."""

    def __init__(self, text: str) -> None:
        urls = [url.strip().rstrip("/") for url in text.split(",")]
        self._urls = [url for url in urls if url] or [text]
        self._index = 0

    @classmethod
    def of(cls, text: str | None) -> Self:
        """Fall back to WORKROOM_URL, then to the default."""
        return cls(text or os.environ.get("WORKROOM_URL") or DEFAULT_URL)

    def __str__(self) -> str:
        return ",".join(self.round())

    @property
    def name(self) -> str:
        """Identifies these servers, whichever is current."""
        return self._urls[0]

    @property
    def current(self) -> str:
        return self._urls[self._index]

    @property
    def are_several(self) -> bool:
        return len(self._urls) > 1

    def round(self) -> list[str]:
        """All URLs, starting with the current one."""
        return self._urls[self._index :] + self._urls[: self._index]

    def leave(self, url: str) -> None:
        """Move on from a server that did not respond, unless another caller has already."""
        if url == self.current:
            self._index = (self._index + 1) % len(self._urls)
