"""Files on the wire: piece by piece, checked by their digest, in constant memory."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import os
import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import IO, Protocol
from urllib.parse import unquote

import aiohttp

from workroom.domain.files import UNKNOWN_TYPE, file_name
from workroom.errors import DigestMismatch, InvalidName
from workroom.runtime.content import Content

_CHUNK = 1 << 18


class Digest(Protocol):
    def update(self, piece: bytes, /) -> None: ...


def upload_headers(content: Content, media_type: str | None) -> dict[str, str]:
    headers = {"Content-Type": media_type or UNKNOWN_TYPE}
    if content.sha256 is not None:
        digest = base64.b64encode(bytes.fromhex(content.sha256)).decode()
        headers["Repr-Digest"] = f"sha-256=:{digest}:"
    if content.size is not None:
        headers["Content-Length"] = str(content.size)
    return headers


async def pieces(file: IO[bytes], digest: Digest, heard: Callable[[], None]) -> AsyncIterator[bytes]:
    """`heard` is called whenever another piece is wanted: the other side is there."""

    def take() -> bytes:
        piece = file.read(_CHUNK)
        digest.update(piece)
        return piece

    while piece := await asyncio.to_thread(take):
        yield piece
        heard()


async def receive(response: aiohttp.ClientResponse, target: Path, heard: Callable[[], None]) -> Path:
    """Into a file, or under its own name into a folder; it is there whole or not at all."""
    path = target / _name(response) if await asyncio.to_thread(target.is_dir) else target
    fresh = path.with_name(f".{secrets.token_hex(6)}.part")
    file = await asyncio.to_thread(fresh.open, "wb")
    try:
        with file:
            digest = await _copy(response, file, heard)
        _check(response, digest)
        await asyncio.to_thread(fresh.replace, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(fresh)  # noqa: PTH108 - on the way out, at once
        raise
    return path


async def _copy(response: aiohttp.ClientResponse, file: IO[bytes], heard: Callable[[], None]) -> str:
    digest = hashlib.sha256()

    def put(piece: bytes) -> None:
        digest.update(piece)
        file.write(piece)

    async for piece in response.content.iter_chunked(_CHUNK):
        await asyncio.to_thread(put, piece)
        heard()
    return digest.hexdigest()


def _check(response: aiohttp.ClientResponse, digest: str) -> None:
    promised = response.headers.get("ETag", "").strip('"')
    if promised and promised != digest:
        raise DigestMismatch("what arrived is not what the server has: its digest is another")


def _name(response: aiohttp.ClientResponse) -> str:
    sent = response.headers.get("Content-Disposition", "").partition("filename*=UTF-8''")[2]
    try:
        return file_name(unquote(sent))
    except InvalidName:
        return "file"
