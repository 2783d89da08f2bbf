"""Bytes to be sent: in memory, in a file, or coming out of a stream."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

Source = bytes | bytearray | memoryview | str | os.PathLike[str] | IO[bytes]
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Content:
    """A stream from where it stands. If it can be read twice, its size and its digest are known ahead."""

    file: IO[bytes]
    start: int | None = None
    size: int | None = None
    sha256: str | None = None

    def rewind(self) -> bool:
        if self.start is None:
            return False
        self.file.seek(self.start)
        return True


@contextmanager
def opened(source: Source) -> Iterator[Content]:
    """A text is the path of a file, as in `open()`."""
    if isinstance(source, bytes | bytearray | memoryview):
        yield _measured(io.BytesIO(source))
    elif isinstance(source, str | os.PathLike):
        with Path(source).open("rb") as file:
            yield _measured(file)
    elif _gives_text(source):
        raise TypeError("the file gives text: open it in binary mode")
    elif hasattr(source, "read"):
        yield _measured(source) if _is_seekable(source) else Content(source)
    else:
        raise TypeError(f"give bytes, a path or a binary file, not {type(source).__name__}")


def _measured(file: IO[bytes]) -> Content:
    start, size, digest = file.tell(), 0, hashlib.sha256()
    while chunk := file.read(_CHUNK):
        size += len(chunk)
        digest.update(chunk)
    file.seek(start)
    return Content(file, start, size, digest.hexdigest())


def _gives_text(file: object) -> bool:
    return isinstance(file, io.TextIOBase)


def _is_seekable(file: IO[bytes]) -> bool:
    seekable = getattr(file, "seekable", None)
    return bool(seekable and seekable())


def named(source: Source, name: str | None) -> str:
    """The name that was given, or that of the file."""
    own = source if isinstance(source, str | os.PathLike) else getattr(source, "name", None)
    found = name or (Path(own).name if isinstance(own, str | os.PathLike) else None)
    if not found:
        raise ValueError("say what the file is called: name=...")
    return found
