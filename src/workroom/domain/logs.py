"""What a job prints, line by line, and how much of it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MAX_LINE = 10_000  # characters; a longer one goes on in the next


class Stream(StrEnum):
    STDOUT = "stdout"
    STDERR = "stderr"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class LogLine:
    """A worker counts the lines of an attempt from 1; on record, those of a job count on through all."""

    seq: int
    at: str
    stream: Stream
    text: str
    level: str | None = None
    attempt: int = 0

    @property
    def size(self) -> int:
        return len(self.text.encode())


@dataclass(frozen=True, slots=True)
class LogLimits:
    """How much of what a job prints is kept, over all its attempts."""

    lines: int = 10_000
    bytes: int = 1_000_000

    def has_room(self, lines: int, size: int) -> bool:
        return lines <= self.lines and size <= self.bytes

    @property
    def last_words(self) -> str:
        return f"the rest was left out: {self.lines:,} lines or {self.bytes:,} bytes of a job are kept"
