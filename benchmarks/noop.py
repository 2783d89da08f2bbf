"""The measured jobs: they do nothing, or return when they started, on the clock that all processes share."""

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
