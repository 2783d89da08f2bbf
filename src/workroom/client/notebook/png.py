"""Pictures of few colours as PNG, without an imaging library."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_INDEXED = 3
MAX_COLOURS = 256


def encode_png(pixels: NDArray[np.uint8], colours: Sequence[bytes]) -> bytes:
    """`pixels` has an index into `colours` for each pixel. The first colour is transparent."""
    height, width = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, _INDEXED, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    parts = (
        (b"IHDR", header),
        (b"PLTE", b"".join(colours)),
        (b"tRNS", b"\0"),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    )
    return _SIGNATURE + b"".join(_chunk(kind, content) for kind, content in parts)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
