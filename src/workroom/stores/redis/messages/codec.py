"""MessagePack, the format of script arguments and replies."""

from __future__ import annotations

from typing import Any

import msgpack


def pack(value: object) -> bytes:
    packed: bytes = msgpack.packb(value, use_bin_type=False, unicode_errors="surrogateescape")
    return packed


def unpack(packed: bytes) -> Any:
    """Decode bytes. Lua has one string type, so bytes that are not UTF-8 decode to surrogate escapes."""
    return msgpack.unpackb(packed, raw=False, unicode_errors="surrogateescape", strict_map_key=False)


def to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def to_text(packed: bytes) -> str:
    return packed.decode("utf-8", "surrogateescape")


def maybe_bytes(text: str | bool) -> bytes | None:
    return to_bytes(text) if isinstance(text, str) else None


def maybe_int(text: str | int | bool | None) -> int | None:
    """Convert a number. Missing values are False in Lua."""
    return None if text is None or text is False else int(text)


def maybe_text(text: str | bool | None) -> str | None:
    return text if isinstance(text, str) and text else None
