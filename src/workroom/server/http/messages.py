"""Messages of frames as bodies: received whole, and sent whole, within a limit of memory."""

from __future__ import annotations

import asyncio

from fastapi import Request, Response
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from workroom.errors import InvalidRequest
from workroom.runtime.frames.message import MEDIA_TYPE
from workroom.server.http.conditions import etag
from workroom.server.protocols.transport import receive_into
from workroom.services.limits.memory import Held
from workroom.services.room_data.frames.reading import ReadFrames

_SECONDS = 120.0
_MESSAGE = {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}
BODY = {"requestBody": {"required": True, "description": "A message of frames.", "content": _MESSAGE}}
MESSAGE = {"description": "A message of frames", "content": _MESSAGE}


def declared_size(request: Request, most: int) -> int:
    """The bytes that a body takes in memory: all that are allowed if the sender does not state it."""
    declared = request.headers.get("content-length", "")
    return int(declared) if declared.isdigit() else most


async def read_message(request: Request, buffer: memoryview) -> memoryview:
    """The body, in a buffer of the declared size."""
    try:
        async with asyncio.timeout(_SECONDS):
            received = await _receive(request, buffer)
    except ClientDisconnect as error:
        raise InvalidRequest("the upload ended early") from error
    except TimeoutError as error:
        raise InvalidRequest(f"the upload took more than {_SECONDS:.0f} s: send less at once") from error
    return buffer[:received]


async def _receive(request: Request, buffer: memoryview) -> int:
    receiving = receive_into(request.scope, buffer)
    if receiving is not None:
        await receiving
        return len(buffer)
    received = 0
    async for chunk in request.stream():
        buffer[received : received + len(chunk)] = chunk
        received += len(chunk)
    return received


def message_headers(read: ReadFrames) -> dict[str, str]:
    return {
        "Content-Type": MEDIA_TYPE,
        "ETag": etag(read.version),
        "Cache-Control": "private, no-cache",
        "Frames-Length": str(read.length),
        "Frames-Selected": str(read.selected),
        "Frames-Count": str(read.count),
    }


class MessageResponse(Response):
    """Gives the memory back once the client has taken the message."""

    def __init__(self, content: bytes, headers: dict[str, str], held: Held) -> None:
        super().__init__(content, headers=headers)
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._held:
            start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            await send(start)
            await send({"type": "http.response.body", "body": self.body, "more_body": True})
            await send({"type": "http.response.body"})  # waits until most of the rest is sent
