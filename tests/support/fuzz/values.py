"""Random JSON: ordinary, unusual and hostile."""

from __future__ import annotations

import json
import random
from typing import Any

Json = Any

_TEXTS = (
    "",
    "demo",
    "a" * 5000,
    "\ud800",
    "tail \udfff",
    "\x00",
    "\u202eevil",
    "\u0430dmin",
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "${jndi:x}",
    "😀" * 50,
    "-1",
    "NaN",
)
_NUMBERS = (0, -1, 1, 2**31, 2**53, 2**63, -(2**64), 10**400, 0.1, -0.0, 1e308, 3e-300, 5e-324)
_WIDTH = 5


class Values:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def text(self) -> str:
        if self.rng.random() < 0.5:
            return self.rng.choice(_TEXTS)
        return "".join(chr(self.rng.randrange(1, 0xD7FF)) for _ in range(self.rng.randrange(20)))

    def number(self) -> float:
        return self.rng.choice(_NUMBERS) if self.rng.random() < 0.5 else self.rng.randrange(-100, 100)

    def value(self, depth: int = 4) -> Json:
        """A few levels deep; now and then very deep or very wide."""
        kind = self.rng.random()
        if kind < 0.02:
            return self._deep(self.rng.randrange(50, 3000))
        if kind < 0.04:
            return [{} for _ in range(self.rng.randrange(1000, 50_000))]
        if depth and kind < 0.3:
            return {self.text(): self.value(depth - 1) for _ in range(self.rng.randrange(_WIDTH))}
        if depth and kind < 0.45:
            return [self.value(depth - 1) for _ in range(self.rng.randrange(_WIDTH))]
        return self.rng.choice((None, True, False, self.number(), self.text()))

    def spoilt(self, value: Json, chance: float = 0.3) -> Json:
        """The same value with some parts replaced, removed or added."""
        if self.rng.random() < chance / 3:
            return self.value()
        if isinstance(value, dict):
            kept = {
                name: self.spoilt(each, chance)
                for name, each in value.items()
                if self.rng.random() > chance / 6
            }
            return {**kept, self.text(): self.value(2)} if self.rng.random() < chance / 3 else kept
        if isinstance(value, list):
            if len(value) <= _WIDTH and self.rng.random() < chance / 6:
                return value * 300
            return [self.spoilt(each, chance) for each in value]
        return value

    def encode(self, value: Json) -> bytes:
        """Encode as JSON, usually well-formed, with values that Python itself would not encode."""
        try:
            data = json.dumps(value, ensure_ascii=self.rng.random() < 0.5).encode("utf-8", "surrogatepass")
        except RecursionError:
            data = b"[" * 3000 + b"]" * 3000
        return self.damaged(data) if self.rng.random() < 0.1 else data

    def damaged(self, data: bytes) -> bytes:
        """Some bytes changed, removed or added."""
        spoilt = bytearray(data)
        for _ in range(self.rng.randrange(1, 4)):
            at = self.rng.randrange(len(spoilt) + 1)
            spoilt[at : at + self.rng.randrange(4)] = self.rng.randbytes(self.rng.randrange(4))
        return bytes(spoilt)

    def _deep(self, levels: int) -> Json:
        value: Json = 1
        for _ in range(levels):
            value = [value] if self.rng.random() < 0.5 else {"a": value}
        return value
