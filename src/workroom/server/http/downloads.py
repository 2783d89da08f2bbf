"""Responses with files: ranges, ETags, digests, and headers that keep a file from acting on the page."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from workroom.domain.files import UNKNOWN_TYPE, Blob
from workroom.errors import RangeNotSatisfiable
from workroom.services.rooms.files import Files

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_CSP = (
    "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; "
    "frame-ancestors 'none'"
)
_SHOWN = re.compile(
    r"(image|video|audio)/(?!svg|.*xml)[a-z0-9.+_-]+|text/(plain|csv|markdown|tab-separated-values)"
)
_PASSIVE = re.compile(
    r"application/(json|vnd\.plotly\.v1\+json|x-ndjson|pdf|zip|gzip|x-tar|zstd|vnd\.apache\.parquet)"
    r"|chemical/(?!.*xml)[a-z0-9.+_-]+"
)

_EXPOSED = "ETag Content-Range Content-Disposition Repr-Digest X-Preview-Kind X-Preview-Version"
_FRAMES = "Frames-Length Frames-Selected Frames-Count"
EXPOSED = [*_EXPOSED.split(), *_FRAMES.split()]
BINARY: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file",
        "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
    },
    206: {
        "description": "The part that `Range` names",
        "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
    },
    304: {"description": "The file is unchanged (`If-None-Match`)"},
}


@dataclass(frozen=True, slots=True)
class Part:
    start: int
    length: int


async def download(
    request: Request, files: Files, blob: Blob, name: str, media_type: str, *, inline: bool
) -> Response:
    """Scripts and HTML are served as attachments of type application/octet-stream."""
    headers = _headers(blob, name, media_type, inline=inline)
    if _is_known(request.headers.get("if-none-match"), blob):
        return Response(None, 304, headers)
    part = requested_part(request, blob)
    length = blob.size if part is None else part.length
    headers |= {"Content-Length": str(length), "Content-Type": _served_type(media_type)}
    if part is not None:
        headers["Content-Range"] = f"bytes {part.start}-{part.start + part.length - 1}/{blob.size}"
    status = 200 if part is None else 206
    if request.method == "HEAD":
        return Response(None, status, headers)
    chunks = await files.read(blob, part.start if part else 0, length)
    return StreamingResponse(chunks, status, headers)


def requested_part(request: Request, blob: Blob) -> Part | None:
    """The requested range. Several ranges, or a malformed header, get the whole file."""
    found = _RANGE.fullmatch(request.headers.get("range", "").replace(" ", ""))
    if found is None or found[0] == "bytes=-" or request.headers.get("if-range", _tag(blob)) != _tag(blob):
        return None
    first, last = found.groups()
    start = int(first) if first else max(0, blob.size - int(last))
    end = min(int(last), blob.size - 1) if first and last else blob.size - 1
    if first and last and int(last) < start:
        return None
    if start > end:
        raise RangeNotSatisfiable(size=blob.size)
    return Part(start, end - start + 1)


def _tag(blob: Blob) -> str:
    return f'"{blob.sha256}"'


def _is_known(tags: str | None, blob: Blob) -> bool:
    given = [tag.strip().removeprefix("W/") for tag in (tags or "").split(",")]
    return "*" in given or _tag(blob) in given


def _headers(blob: Blob, name: str, media_type: str, *, inline: bool) -> dict[str, str]:
    is_shown = inline and _SHOWN.fullmatch(media_type) is not None
    digest = base64.b64encode(bytes.fromhex(blob.sha256)).decode()
    return {
        "ETag": _tag(blob),
        "Repr-Digest": f"sha-256=:{digest}:",
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
        "Content-Disposition": f"{'inline' if is_shown else 'attachment'}; {_file_name(name)}",
        "Content-Security-Policy": _CSP,
    }


def _served_type(media_type: str) -> str:
    if media_type.startswith("text/") and _SHOWN.fullmatch(media_type):
        return f"{media_type}; charset=utf-8"
    is_harmless = _SHOWN.fullmatch(media_type) or _PASSIVE.fullmatch(media_type)
    return media_type if is_harmless else UNKNOWN_TYPE


def _file_name(name: str) -> str:
    """RFC 6266: an ASCII name for old clients, and the exact one."""
    plain = re.sub(r'[^ -~]|["\\%;]', "_", name)
    return f"filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
