"""Whether this server takes part: a server that is about to stop assigns nothing more."""

from __future__ import annotations


class Readiness:
    def __init__(self) -> None:
        self.is_ready = True

    def leave(self) -> None:
        """The server is about to stop; workers keep what they have."""
        self.is_ready = False
