"""Renders what `job.show()` takes. Imports no plotting library: objects render themselves."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import orjson

from workroom.domain.files import PreviewKind

_PNG = b"\x89PNG\r\n\x1a\n"
_COLOR_TYPES = {1: 0, 3: 2, 4: 6}  # PNG color types by samples per pixel: gray, RGB, RGBA


def render_preview(thing: Any, kind: str | None = None) -> tuple[PreviewKind, bytes]:
    """The kind and bytes of a preview: of a figure, image, array, atoms, string, dict or list."""
    if kind is not None:
        return _as_kind(thing, _kind(kind))
    return _text(thing) or (PreviewKind.PNG, _image(thing))


def _text(thing: Any) -> tuple[PreviewKind, bytes] | None:
    if isinstance(thing, str):
        return PreviewKind.TEXT, _encoded(thing)
    if hasattr(thing, "to_plotly_json"):
        return PreviewKind.PLOTLY, _json(thing.to_plotly_json())
    if hasattr(thing, "get_positions") and hasattr(thing, "get_chemical_symbols"):
        return PreviewKind.XYZ, _xyz(thing).encode()
    if isinstance(thing, dict | list | tuple):
        return PreviewKind.JSON, _json(thing)
    return None


def _as_kind(thing: Any, kind: PreviewKind) -> tuple[PreviewKind, bytes]:
    """With an explicit kind, the content is used as it is: bytes, a string or a JSON value."""
    if isinstance(thing, bytes | bytearray | memoryview):
        return kind, bytes(thing)
    return kind, _encoded(thing) if isinstance(thing, str) else _json(thing)


def _kind(name: str) -> PreviewKind:
    try:
        return PreviewKind(name)
    except ValueError as error:
        raise ValueError(f"job.show() takes kind={', '.join(PreviewKind)}; not {name!r}") from error


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _image(thing: Any) -> bytes:
    if isinstance(thing, bytes) and thing.startswith(_PNG):
        return thing
    figure = thing.get_figure() if hasattr(thing, "get_figure") else thing
    if hasattr(figure, "savefig"):
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png")
        return buffer.getvalue()
    if hasattr(thing, "save") and hasattr(thing, "mode"):
        buffer = io.BytesIO()
        thing.save(buffer, format="PNG")
        return buffer.getvalue()
    if hasattr(thing, "__array__") and hasattr(thing, "ndim"):
        return _pixels(thing)
    raise TypeError(
        "job.show() takes figures, images, arrays of pixels, atoms, strings and dicts, "
        f"not {type(thing).__name__}"
    )


def _pixels(array: Any) -> bytes:
    """Encode an array of height x width pixels with 1, 3 or 4 samples each as PNG; other types are scaled."""
    samples = array.shape[2] if array.ndim == 3 else 1
    if array.ndim not in (2, 3) or samples not in _COLOR_TYPES or not array.size:
        raise ValueError(f"an image must be an array of H x W, H x W x 3 or H x W x 4, not {array.shape}")
    height, width = array.shape[:2]
    raw = _as_bytes(array)
    line = width * samples
    lines = b"".join(b"\0" + raw[line * row : line * (row + 1)] for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOR_TYPES[samples], 0, 0, 0)
    return _PNG + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(lines, 6)) + _chunk(b"IEND", b"")


def _as_bytes(array: Any) -> bytes:
    if str(array.dtype) == "uint8":
        return bytes(array.tobytes())
    values = array.astype("float64")
    low, high = (0.0, 1.0) if array.ndim == 3 and values.max() <= 1 else (values.min(), values.max())
    scaled = (values - low) * (255 / ((high - low) or 1))
    return bytes(scaled.clip(0, 255).astype("uint8").tobytes())


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _xyz(atoms: Any) -> str:
    symbols, positions = list(atoms.get_chemical_symbols()), atoms.get_positions()
    lines = [
        f"{symbol} {float(x):.8f} {float(y):.8f} {float(z):.8f}"
        for symbol, (x, y, z) in zip(symbols, positions, strict=True)
    ]
    return "\n".join([str(len(symbols)), "", *lines, ""])


def _json(value: Any) -> bytes:
    return orjson.dumps(value, default=_to_json, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)


def _to_json(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a value of type {type(value).__name__} is not JSON")
