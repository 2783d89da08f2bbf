"""Verifies stored bytes. A file has a recorded SHA-256; a piece of frames is named by that or a BLAKE3."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from blake3 import blake3


@dataclass(frozen=True, slots=True)
class StoredBlob:
    """What the database states about a blob."""

    id: str
    size: int
    digest: str


class Digests:
    """Of bytes that pass by."""

    def __init__(self) -> None:
        self._size = 0
        self._sha256, self._blake3 = hashlib.sha256(), blake3()

    async def of(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for chunk in chunks:
            self._size += len(chunk)
            self._sha256.update(chunk)
            self._blake3.update(chunk)
            yield chunk

    def match(self, blob: StoredBlob) -> bool:
        return self._size == blob.size and blob.digest in (
            self._sha256.hexdigest(),
            self._blake3.hexdigest(),
        )
