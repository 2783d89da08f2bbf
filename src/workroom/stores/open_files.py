"""Local files that were read recently, kept open: a read of bytes that are in memory needs no thread."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

from workroom.domain.files import BlobRange

_MAX_OPEN = 256
_MAX_CACHED_READ = 1 << 18  # copying more would occupy the event loop for too long
_READ_AHEAD = 1 << 19  # a file may not be in memory at all, and who reads a frame often reads its neighbours
_NOWAIT: int | None = getattr(os, "RWF_NOWAIT", None)  # Linux
_WILL_NEED: int | None = getattr(os, "POSIX_FADV_WILLNEED", None)


class OpenFiles:
    """File descriptors by the id of the blob, the least recently used first. Blobs never change.

    The lock keeps a descriptor from being closed, and given to another file, during a read on the event loop.
    """

    def __init__(self) -> None:
        self._descriptors: dict[str, int] = {}
        self._lock = threading.Lock()

    def read_cached(self, ranges: Sequence[BlobRange]) -> list[bytes] | None:
        """Bytes that the system has in memory. None if it would have to wait for one of them."""
        if _NOWAIT is None or sum(each.length for each in ranges) > _MAX_CACHED_READ:
            return None
        found = []
        with self._lock:
            for each in ranges:
                part = self._read_cached(each, _NOWAIT)
                if part is None:
                    return None
                found.append(part)
        return found

    def _read_cached(self, wanted: BlobRange, nowait: int) -> bytes | None:
        descriptor = self._descriptors.pop(wanted.blob.id, None)
        if descriptor is None:
            return None
        self._descriptors[wanted.blob.id] = descriptor
        buffer = bytearray(wanted.length)
        try:
            count = os.preadv(descriptor, [buffer], wanted.start, nowait)
        except OSError:  # not in memory, or the file system cannot know
            return None
        return bytes(buffer) if count == wanted.length else None

    def read(self, path: str, wanted: BlobRange) -> bytes:
        """Open the file, read it, and keep it open."""
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _read_ahead(descriptor, wanted)
            return _pread(descriptor, wanted.start, wanted.length)
        finally:
            self._keep(wanted.blob.id, descriptor)

    def _keep(self, blob_id: str, descriptor: int) -> None:
        with self._lock:
            replaced = self._descriptors.pop(blob_id, None)
            self._descriptors[blob_id] = descriptor
            closed = [] if replaced is None else [replaced]
            if len(self._descriptors) > _MAX_OPEN:
                closed.append(self._descriptors.pop(next(iter(self._descriptors))))
            for each in closed:
                os.close(each)

    def close(self, blob_id: str) -> None:
        with self._lock:
            descriptor = self._descriptors.pop(blob_id, None)
            if descriptor is not None:
                os.close(descriptor)

    def close_all(self) -> None:
        for blob_id in list(self._descriptors):
            self.close(blob_id)


def _read_ahead(descriptor: int, wanted: BlobRange) -> None:
    """Let the system load what surrounds a small part too."""
    if _WILL_NEED is not None and wanted.length < _READ_AHEAD:
        start = wanted.start // _READ_AHEAD * _READ_AHEAD
        os.posix_fadvise(descriptor, start, _READ_AHEAD, _WILL_NEED)


def _pread(descriptor: int, start: int, length: int) -> bytes:
    """Read until the end of the part or of the file: one call may return less."""
    parts, left = [], length
    while left and (part := os.pread(descriptor, left, start + length - left)):
        parts.append(part)
        left -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
