"""Log lines of a job, and how many of them are kept."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MAX_LINE = 10_000  # characters; a longer line is split


class Stream(StrEnum):
    STDOUT = "stdout"
    STDERR = "stderr"
    LOG = "log"
    ITEM = "item"  # the JSON of what a `run()` that yields has yielded


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of output. A worker numbers lines per attempt; the store numbers them per job."""

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
    """How many lines and bytes of a job's output are kept, over all its attempts."""

    lines: int = 10_000
    bytes: int = 1_000_000

    def has_room(self, lines: int, size: int) -> bool:
        return lines <= self.lines and size <= self.bytes

    @property
    def truncation_notice(self) -> str:
        return f"the rest was left out: {self.lines:,} lines or {self.bytes:,} bytes of a job are kept"
