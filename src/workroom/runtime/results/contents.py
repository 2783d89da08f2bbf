"""Contents with a media type: small ones are part of the result, others are artifacts that it names."""

from __future__ import annotations

import mimetypes
from base64 import b64encode
from pathlib import Path
from typing import Any, Protocol

from workroom.errors import JobCancelled, StaleAttempt
from workroom.runtime.content import Source
from workroom.runtime.results.envelopes import TYPE, Envelope

_INLINE_BYTES = 32_000  # a list of jobs contains their results
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
)
_RIFF = {b"WAVE": "audio/wav", b"WEBP": "image/webp", b"AVI ": "video/x-msvideo"}
_SUFFIXES = {"audio/wav": ".wav", "image/webp": ".webp", "audio/flac": ".flac", "video/webm": ".webm"}


class Save(Protocol):
    def __call__(self, name: str, source: Source, *, media_type: str | None = None) -> dict[str, Any]:
        """Keep an artifact; return its document."""


class Contents:
    """The contents of one result."""

    def __init__(self, save: Save | None) -> None:
        self._save = save
        self._names: set[str] = set()

    def of_bytes(self, content: bytes, media_type: str | None = None) -> Envelope:
        media_type = media_type or sniff(content)
        if len(content) > _INLINE_BYTES:
            suffix = _SUFFIXES.get(media_type) or mimetypes.guess_extension(media_type) or ".bin"
            saved = self._saved(f"result{suffix}", content, media_type)
            if saved is not None:
                return {TYPE: "bytes", "media_type": media_type, **saved}
        return {TYPE: "bytes", "media_type": media_type, "base64": b64encode(content).decode()}

    def of_file(self, path: Path) -> Envelope | str:
        """A path that is not a file is only a name."""
        saved = self._saved(path.name, path, None) if path.is_file() else None
        return str(path) if saved is None else {TYPE: "file", **saved}

    def _saved(self, name: str, source: Source, media_type: str | None) -> dict[str, Any] | None:
        """None if the content cannot be saved."""
        if self._save is None:
            return None
        try:
            document = self._save(self._free_name(name), source, media_type=media_type)
        except (JobCancelled, StaleAttempt):
            raise
        except Exception:
            return None
        return {
            "artifact": document["name"],
            **{field: document[field] for field in ("media_type", "size", "sha256")},
        }

    def _free_name(self, name: str) -> str:
        stem, suffix, number, free = Path(name).stem, Path(name).suffix, 2, name
        while free in self._names:
            free, number = f"{stem}-{number}{suffix}", number + 1
        self._names.add(free)
        return free


def sniff(content: bytes) -> str:
    """The media type by the first bytes."""
    for magic, media_type in _MAGIC:
        if content.startswith(magic):
            return media_type
    if content.startswith(b"RIFF") and content[8:12] in _RIFF:
        return _RIFF[content[8:12]]
    if content[4:8] == b"ftyp":
        return "video/mp4"
    return "application/octet-stream"
