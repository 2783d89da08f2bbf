"""What one job prints, cut into numbered lines."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from workroom.domain.logs import MAX_LINE, LogLimits, Stream

Line = dict[str, Any]
LineSink = Callable[[list[Line]], None]


class Printing:
    """Safe to use from any thread. Once the limit is passed, the rest is dropped here."""

    def __init__(self, sink: LineSink, limits: LogLimits | None = None) -> None:
        self._sink = sink
        self.limits = limits or LogLimits()
        self._lock = threading.RLock()  # a finaliser may print while a line is cut
        self._unfinished: dict[tuple[Stream, int], str] = {}  # of each thread its own
        self._count = 0
        self._bytes = 0
        self._is_full = False
        self.is_open = True

    def write(self, stream: Stream, text: str) -> None:
        """Text as it comes; what has no end of line yet waits for it."""
        if self._is_full:
            return
        place = (stream, threading.get_ident())
        with self._lock:
            *whole, rest = (self._unfinished.pop(place, "") + text).split("\n")
            rest = rest if rest.endswith("\r") else _overwritten(rest)
            begun = (len(rest) - 1) // MAX_LINE * MAX_LINE if rest else 0  # what is too long goes on its way
            if rest[begun:]:
                self._unfinished[place] = rest[begun:]
            parts = [part for line in whole for part in _parts(line)]
            parts += _parts(rest[:begun]) if begun else []
            self._add([self._line(stream, part) for part in parts])

    def record(self, level: str, text: str) -> None:
        """One message of `logging`."""
        if self._is_full:
            return
        with self._lock:
            lines = [part for line in text.split("\n") for part in _parts(line)]
            self._add([self._line(Stream.LOG, line, level) for line in lines])

    def relay(self, lines: list[Line]) -> None:
        """Lines that were cut elsewhere."""
        with self._lock:
            self._add(lines)

    def end(self) -> None:
        """What was left without an end of line is a line too."""
        with self._lock:
            self.is_open = False
            unfinished, self._unfinished = self._unfinished, {}
            self._add([self._line(stream, _overwritten(text)) for (stream, _), text in unfinished.items()])

    def _line(self, stream: Stream, text: str, level: str | None = None) -> Line:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
        sendable = text.encode("utf-8", "backslashreplace").decode()
        return {"at": at, "stream": stream, "level": level, "text": sendable}

    def _add(self, lines: list[Line]) -> None:
        """The line that passes the limit is the last: the server says in its place what is missing."""
        sent: list[Line] = []
        for line in lines:
            if self._is_full:
                break
            self._count += 1
            self._bytes += len(line["text"].encode())
            self._is_full = not self.limits.has_room(self._count, self._bytes)
            sent.append({**line, "seq": self._count})
        if sent:
            self._sink(sent)


def _overwritten(line: str) -> str:
    """A carriage return begins the line anew, as on a terminal: a progress bar leaves its last state."""
    return line.rstrip("\r").rpartition("\r")[2]


def _parts(line: str) -> list[str]:
    shown = _overwritten(line)
    return [shown[start : start + MAX_LINE] for start in range(0, len(shown), MAX_LINE)] or [""]
