"""Finds the line of a text at which a reader of ASE gave up."""

from __future__ import annotations

import io
import re

_QUOTED = re.compile(r"'([^']+)'")


class LineCounter(io.StringIO):
    """A text that counts the lines that were read from it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._count = 0

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        line = super().readline(-1 if size is None else size)
        self._count += bool(line)
        return line

    def __next__(self) -> str:  # type: ignore[override]
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def fault(self, complaint: str) -> int | None:
        """How many lines stand before the one that a complaint is about; None if that is unknown.

        It is the last line that was read or, where the complaint quotes a word, the last one with this word.
        Some readers take all lines before they look at any.
        """
        lines = self.getvalue().splitlines()
        is_known = 0 < self._count < len(lines)
        read = self._count if is_known else len(lines)
        for word in _QUOTED.findall(complaint):
            for number in reversed(range(read)):
                if word in lines[number].split():
                    return number
        return read - 1 if is_known else None
