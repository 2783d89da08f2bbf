"""Uploads and downloads in chunks, verified by their digest, in constant memory."""

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

_CHUNK_BYTES = 1 << 18


class Digest(Protocol):
    def update(self, chunk: bytes, /) -> None: ...


def upload_headers(content: Content, media_type: str | None) -> dict[str, str]:
    headers = {"Content-Type": media_type or UNKNOWN_TYPE}
    if content.sha256 is not None:
        digest = base64.b64encode(bytes.fromhex(content.sha256)).decode()
        headers["Repr-Digest"] = f"sha-256=:{digest}:"
    if content.size is not None:
        headers["Content-Length"] = str(content.size)
    return headers


async def read_chunks(file: IO[bytes], digest: Digest, on_chunk: Callable[[], None]) -> AsyncIterator[bytes]:
    """Call `on_chunk` whenever the receiver has taken a chunk."""

    def read() -> bytes:
        chunk = file.read(_CHUNK_BYTES)
        digest.update(chunk)
        return chunk

    while chunk := await asyncio.to_thread(read):
        yield chunk
        on_chunk()


async def save(response: aiohttp.ClientResponse, target: Path, on_chunk: Callable[[], None]) -> Path:
    """Save to a file, or under the file's own name into a folder; an incomplete download leaves nothing."""
    path = target / _name(response) if await asyncio.to_thread(target.is_dir) else target
    partial = path.with_name(f".{secrets.token_hex(6)}.part")
    file = await asyncio.to_thread(partial.open, "wb")
    try:
        with file:
            digest = await _copy(response, file, on_chunk)
        _check(response, digest)
        await asyncio.to_thread(partial.replace, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial)  # noqa: PTH108 - no await while an exception is on its way
        raise
    return path


async def _copy(response: aiohttp.ClientResponse, file: IO[bytes], on_chunk: Callable[[], None]) -> str:
    digest = hashlib.sha256()

    def write(chunk: bytes) -> None:
        digest.update(chunk)
        file.write(chunk)

    async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
        await asyncio.to_thread(write, chunk)
        on_chunk()
    return digest.hexdigest()


def _check(response: aiohttp.ClientResponse, digest: str) -> None:
    expected = response.headers.get("ETag", "").strip('"')
    if expected and expected != digest:
        raise DigestMismatch("the downloaded file does not match the server's digest")


def _name(response: aiohttp.ClientResponse) -> str:
    sent = response.headers.get("Content-Disposition", "").partition("filename*=UTF-8''")[2]
    try:
        return file_name(unquote(sent))
    except InvalidName:
        return "file"
