"""Uploaded files, read in chunks."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import AsyncIterator
from typing import Any

from fastapi import Request
from starlette.requests import ClientDisconnect

from workroom.errors import InvalidRequest
from workroom.services.rooms.files import Incoming

_HEX = re.compile(r"[0-9a-f]{64}")
_REPR_DIGEST = re.compile(r"(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]*):")

BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The content of the file.",
        "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
    }
}


def incoming(request: Request) -> Incoming:
    return Incoming(_chunks(request), _digest(request), _size(request))


async def _chunks(request: Request) -> AsyncIterator[bytes]:
    try:
        async for chunk in request.stream():
            if chunk:
                yield chunk
    except ClientDisconnect as error:
        raise InvalidRequest("the upload ended early") from error


def _size(request: Request) -> int | None:
    declared = request.headers.get("content-length", "")
    return int(declared) if declared.isdigit() else None


def _digest(request: Request) -> str | None:
    """The SHA-256 that the client declares: `Repr-Digest` (RFC 9530) or `X-Content-SHA256`, as hex."""
    plain = request.headers.get("x-content-sha256")
    if plain is not None:
        return _check_digest(plain.strip().lower())
    found = _REPR_DIGEST.search(request.headers.get("repr-digest", ""))
    if found is None:
        return None
    try:
        return _check_digest(base64.b64decode(found[1], validate=True).hex())
    except binascii.Error as error:
        raise _invalid_digest() from error


def _check_digest(digest: str) -> str:
    if not _HEX.fullmatch(digest):
        raise _invalid_digest()
    return digest


def _invalid_digest() -> InvalidRequest:
    return InvalidRequest("the digest of the file is not a SHA-256")
