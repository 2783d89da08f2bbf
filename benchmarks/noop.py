"""The jobs that are measured: they do nothing, or say when they began, by the clock that processes share."""

from __future__ import annotations

import time

from workroom import Extension


class Noop(Extension, category="analysis"):
    n: int = 0

    def run(self) -> int:
        return self.n


class Stamp(Extension, category="analysis"):
    def run(self) -> int:
        return time.monotonic_ns()
