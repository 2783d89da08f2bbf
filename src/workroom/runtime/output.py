"""The output of one job, split into numbered lines."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from workroom.domain.jobs.logs import MAX_LINE, LogLimits, Stream

LogLine = dict[str, Any]
LineSink = Callable[[list[LogLine]], None]


class JobOutput:
    """Collects what a job prints, logs and yields. Safe from any thread; drops lines past the limits."""

    def __init__(self, sink: LineSink, limits: LogLimits | None = None) -> None:
        self._sink = sink
        self.limits = limits or LogLimits()
        self._lock = threading.RLock()  # a finalizer may print while a line is being split
        self._partial: dict[tuple[Stream, int], str] = {}  # by thread
        self._count = 0
        self._bytes = 0
        self._is_full = False
        self.is_open = True
        self.mask: Callable[[str], str] | None = None  # masks secrets, before lines are split

    def write(self, stream: Stream, text: str) -> None:
        """Add text as it was printed; an incomplete line waits for its end."""
        if self._is_full:
            return
        key = (stream, threading.get_ident())
        with self._lock:
            *complete, rest = (self._partial.pop(key, "") + text).split("\n")
            rest = rest if rest.endswith("\r") else _after_carriage_return(rest)
            rest = self._masked(rest) if len(rest) > MAX_LINE else rest
            begun = (len(rest) - 1) // MAX_LINE * MAX_LINE if rest else 0  # an overlong line is sent in parts
            if rest[begun:]:
                self._partial[key] = rest[begun:]
            parts = [part for line in complete for part in _split(self._masked(line))]
            parts += _split(rest[:begun]) if begun else []
            self._add([self._line(stream, part) for part in parts])

    def record(self, level: str, text: str) -> None:
        """Add one message of `logging`."""
        if self._is_full:
            return
        with self._lock:
            lines = [part for line in self._masked(text).split("\n") for part in _split(line)]
            self._add([self._line(Stream.LOG, line, level) for line in lines])

    def item(self, text: str) -> None:
        """Add one item that the job has yielded: JSON without line breaks, with its secrets masked."""
        if self._is_full:
            return
        with self._lock:
            self._add([self._line(Stream.ITEM, text)])

    def relay(self, lines: list[LogLine]) -> None:
        """Add lines that another process has split."""
        with self._lock:
            self._add(lines)

    def end(self) -> None:
        """Send incomplete lines, and accept no more."""
        with self._lock:
            self.is_open = False
            partial, self._partial = self._partial, {}
            left = [
                (stream, self._masked(_after_carriage_return(text))) for (stream, _), text in partial.items()
            ]
            self._add([self._line(stream, text) for stream, text in left])

    def _masked(self, text: str) -> str:
        return text if self.mask is None else self.mask(text)

    def _line(self, stream: Stream, text: str, level: str | None = None) -> LogLine:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
        encodable = text.encode("utf-8", "backslashreplace").decode()
        return {"at": at, "stream": stream, "level": level, "text": encodable}

    def _add(self, lines: list[LogLine]) -> None:
        """The line that exceeds the limit is the last: the server replaces it by a note."""
        sent: list[LogLine] = []
        for line in lines:
            if self._is_full:
                break
            self._count += 1
            self._bytes += len(line["text"].encode())
            self._is_full = not self.limits.has_room(self._count, self._bytes)
            sent.append({**line, "seq": self._count})
        if sent:
            self._sink(sent)


def _after_carriage_return(line: str) -> str:
    """What a terminal would show: of a progress bar, only the last state."""
    return line.rstrip("\r").rpartition("\r")[2]


def _split(line: str) -> list[str]:
    shown = _after_carriage_return(line)
    return [shown[start : start + MAX_LINE] for start in range(0, len(shown), MAX_LINE)] or [""]
