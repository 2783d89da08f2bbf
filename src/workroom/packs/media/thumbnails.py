"""Small pictures of images and videos, made once."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

SIDE = 512
PREVIEW_SIDE = 384
_QUALITY = 80


@dataclass(frozen=True, slots=True)
class Picture:
    """The size of an image, and a small WebP of it or of its first frame."""

    width: int
    height: int
    thumbnail: bytes


def picture_of(path: Path) -> Picture | None:
    """None for what cannot be read as an image: videos, and images with too many pixels."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                width, height = image.size
                return Picture(width, height, _webp(image))
    except (OSError, ValueError, SyntaxError, Warning, Image.DecompressionBombError):
        return None


def preview_of(content: bytes) -> bytes | None:
    """A PNG of a preview that a provider sent; None if it is no image."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content)) as image:
                image.thumbnail((PREVIEW_SIDE, PREVIEW_SIDE))
                return _encoded(image.convert("RGB"), "PNG")
    except (OSError, ValueError, SyntaxError, Warning, Image.DecompressionBombError):
        return None


def _webp(image: Image.Image) -> bytes:
    image.thumbnail((SIDE, SIDE))
    shown = image if image.mode in ("RGB", "RGBA") else image.convert("RGBA")
    return _encoded(shown, "WEBP", quality=_QUALITY)


def _encoded(image: Image.Image, kind: str, **options: int) -> bytes:
    target = io.BytesIO()
    image.save(target, kind, **options)
    return target.getvalue()
