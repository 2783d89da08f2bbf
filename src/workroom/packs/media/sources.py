"""The image that an order begins with: content of the room, a file of it, or an address."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workroom import JobContext, Room
from workroom.packs.media.providers import (
    BadRequest,
    DownloadLimits,
    OutboundGuard,
    SourceImage,
    download_media,
)
from workroom.packs.media.providers.media_types import SNIFFED_BYTES, sniff
from workroom.packs.media.records import CONTENT, Content, is_content

MAX_SOURCE_BYTES = 50_000_000
_MAX_S = 60.0
_LIMITS = DownloadLimits(MAX_SOURCE_BYTES, _MAX_S)


@dataclass(frozen=True, slots=True)
class Source:
    image: SourceImage
    path: Path


def find_source(
    text: str, room: Room, job: JobContext, provider: str, folder: Path, guard: OutboundGuard
) -> Source | None:
    """None for an empty text. Raises BadRequest and DownloadError."""
    if not text:
        return None
    if is_content(text):
        return _of_content(text, room, provider, folder)
    if text.startswith(("http://", "https://")):
        path = download_media(text, folder, "source", guard=guard, limits=_LIMITS).path
        return Source(_image(path, url=text), path)
    path = job.fetch(text)
    return Source(_image(path), path)


def _of_content(content_id: str, room: Room, provider: str, folder: Path) -> Source:
    """What the same provider made, it may know by its own id."""
    record = room.records(CONTENT).get(content_id)
    content = None if record is None else Content.read(record["body"])
    if content is None:
        raise BadRequest(f"this room has no content '{content_id}'")
    path = room.job(content.job_id).download(content.file, folder)
    if content.request.provider != provider:
        return Source(_image(path), path)
    image = _image(path, url=content.provider_url, task_id=content.provider_task_id, index=content.index)
    return Source(image, path)


def _image(path: Path, *, url: str = "", task_id: str = "", index: int = 0) -> SourceImage:
    if path.stat().st_size > MAX_SOURCE_BYTES:
        raise BadRequest(f"an image to begin with has at most {MAX_SOURCE_BYTES:,} bytes")
    content = path.read_bytes()
    media_type = sniff(content[:SNIFFED_BYTES])
    if media_type is None or media_type.is_video:
        raise BadRequest("what it begins with is not an image")
    return SourceImage(content, media_type.name, url, task_id, index)
