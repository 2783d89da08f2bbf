"""What a file is, by its first bytes. The type that a server states is ignored."""

from __future__ import annotations

from typing import NamedTuple

SNIFFED_BYTES = 64


class MediaType(NamedTuple):
    name: str
    extension: str

    @property
    def is_video(self) -> bool:
        return self.name.startswith("video/")


PNG = MediaType("image/png", "png")
JPEG = MediaType("image/jpeg", "jpg")
GIF = MediaType("image/gif", "gif")
WEBP = MediaType("image/webp", "webp")
AVIF = MediaType("image/avif", "avif")
MP4 = MediaType("video/mp4", "mp4")
MOV = MediaType("video/quicktime", "mov")
WEBM = MediaType("video/webm", "webm")
ALL = (PNG, JPEG, GIF, WEBP, AVIF, MP4, MOV, WEBM)


def sniff(head: bytes) -> MediaType | None:
    """The type of an image or video that begins so; None for anything else."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return PNG
    if head.startswith(b"\xff\xd8\xff"):
        return JPEG
    if head.startswith((b"GIF87a", b"GIF89a")):
        return GIF
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return WEBP
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return WEBM
    return _of_brand(head) if head[4:8] == b"ftyp" else None


def _of_brand(head: bytes) -> MediaType:
    brand = head[8:12]
    if brand in (b"avif", b"avis"):
        return AVIF
    return MOV if brand == b"qt  " else MP4
