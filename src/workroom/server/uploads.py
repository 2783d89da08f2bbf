"""Bodies that are files: read piece by piece, never whole."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import AsyncIterator
from typing import Any

from fastapi import Request
from starlette.requests import ClientDisconnect

from workroom.errors import InvalidRequest
from workroom.services.files import Incoming

_HEX = re.compile(r"[0-9a-f]{64}")
_REPR_DIGEST = re.compile(r"(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]*):")

BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The file as it is.",
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
        raise InvalidRequest("the upload was cut short") from error


def _size(request: Request) -> int | None:
    declared = request.headers.get("content-length", "")
    return int(declared) if declared.isdigit() else None


def _digest(request: Request) -> str | None:
    """What the sender says the SHA-256 is: `Repr-Digest` (RFC 9530) or `X-Content-SHA256`, as hex."""
    plain = request.headers.get("x-content-sha256")
    if plain is not None:
        return _checked(plain.strip().lower())
    found = _REPR_DIGEST.search(request.headers.get("repr-digest", ""))
    if found is None:
        return None
    try:
        return _checked(base64.b64decode(found[1], validate=True).hex())
    except binascii.Error as error:
        raise _not_a_digest() from error


def _checked(digest: str) -> str:
    if not _HEX.fullmatch(digest):
        raise _not_a_digest()
    return digest


def _not_a_digest() -> InvalidRequest:
    return InvalidRequest("the digest that was sent with the file is no SHA-256")
