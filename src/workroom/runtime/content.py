"""Content to upload: bytes in memory, a file, or a stream."""

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
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Content:
    """A binary file from its current position. Of a seekable file, size and digest are known in advance."""

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
def open_content(source: Source) -> Iterator[Content]:
    """A string is the path of a file, as in `open()`."""
    if isinstance(source, bytes | bytearray | memoryview):
        yield _measure(io.BytesIO(source))
    elif isinstance(source, str | os.PathLike):
        with Path(source).open("rb") as file:
            yield _measure(file)
    elif _is_text(source):
        raise TypeError("the file is open in text mode: open it in binary mode")
    elif hasattr(source, "read"):
        yield _measure(source) if _is_seekable(source) else Content(source)
    else:
        raise TypeError(f"expected bytes, a path or a binary file, not {type(source).__name__}")


def _measure(file: IO[bytes]) -> Content:
    start, size, digest = file.tell(), 0, hashlib.sha256()
    while chunk := file.read(_CHUNK_BYTES):
        size += len(chunk)
        digest.update(chunk)
    file.seek(start)
    return Content(file, start, size, digest.hexdigest())


def _is_text(file: object) -> bool:
    """Also for wrappers, such as those of `tempfile`."""
    return isinstance(file, io.TextIOBase) or hasattr(file, "encoding")


def _is_seekable(file: IO[bytes]) -> bool:
    seekable = getattr(file, "seekable", None)
    return bool(seekable and seekable())


def name_of(source: Source, name: str | None) -> str:
    """The given name, or that of the file."""
    own = source if isinstance(source, str | os.PathLike) else getattr(source, "name", None)
    found = name or (Path(own).name if isinstance(own, str | os.PathLike) else None)
    if not found:
        raise ValueError("the content has no file name: pass name=...")
    return found
