"""Uploaded messages, checked before anything of them is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from blake3 import blake3

from workroom.domain.room_data.frames import FrameLimits
from workroom.errors import BodyTooLarge, DigestMismatch, InvalidFrames
from workroom.runtime.frames import message
from workroom.runtime.frames.message import Column, ColumnKind, Directory

MIN_KNOWN_ARRAY = 256
"""Bytes of an array from which on later messages may refer to it."""
_HEAD_BYTES = 8
_MAX_TEXT = 64_000
_INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class Checked:
    """A correct message, and the name of its piece.

    `arrays` are those that others may refer to: digest, and place in the message.
    """

    content: bytes | memoryview
    name: str
    directory: Directory
    arrays: tuple[tuple[str, int], ...]

    @property
    def refs(self) -> list[Column]:
        return [each for each in _columns(self.directory) if each.kind is ColumnKind.REF]


def check(content: bytes | memoryview, sha256: str | None, limits: FrameLimits) -> Checked:
    """Takes long for large messages: call it in a thread. Raises InvalidFrames and DigestMismatch."""
    if len(content) > limits.piece_bytes:
        raise BodyTooLarge(
            f"a message may have {limits.piece_bytes:,} bytes; this one has {len(content):,}",
            max_bytes=limits.piece_bytes,
        )
    name = _name(content, sha256)
    _check_directory_size(content, limits.directory_bytes)
    with memoryview(content) as view:
        directory = message.decode(view, max_keys=limits.keys)
        _check_count(directory, limits)
        _check_values(directory)
        _check_buffers(directory, len(view) - directory.buffers_at)
        return Checked(content, name, directory, _known_arrays(directory, view))


def _name(content: bytes | memoryview, sha256: str | None) -> str:
    """The announced SHA-256, or a BLAKE3: on a processor without instructions for SHA-256, that is faster
    by a factor of ten, and SHA-256 would be half of the work of an upload.
    """
    if sha256 is None:
        return blake3(content).hexdigest()
    digest = hashlib.sha256(content).hexdigest()
    if sha256 != digest:
        raise DigestMismatch(sha256=digest)
    return digest


def _check_directory_size(content: bytes | memoryview, most: int) -> None:
    size = int.from_bytes(content[4:_HEAD_BYTES], "little")
    if size > most and content[:4] == message.MAGIC:
        raise InvalidFrames(
            f"the directory of a message may have {most:,} bytes; this one has {size:,}: "
            "divide the frames among several messages",
            max_bytes=most,
        )


def _check_count(directory: Directory, limits: FrameLimits) -> None:
    count = directory.count
    if count == 0:
        raise InvalidFrames("the message has no frames")
    if count > limits.piece_frames:
        raise InvalidFrames(f"a message may have {limits.piece_frames:,} frames; this one has {count:,}")


def _check_values(directory: Directory) -> None:
    for column in _columns(directory):
        if column.kind is ColumnKind.VALUE:
            _check_value(column.key, column.values)
        elif column.kind is ColumnKind.VALUES:
            for value in column.values:
                _check_value(column.key, value)


def _check_value(key: str, value: Any) -> None:
    if value is None or isinstance(value, bool | float):
        return
    if isinstance(value, int):
        if value not in _INT64:
            raise InvalidFrames(f"a number of '{key}' does not fit into 64 bits")
    elif isinstance(value, str):
        _check_text(key, value)
    else:
        _check_json(key, value)


def _check_text(key: str, value: str) -> None:
    if len(value) > _MAX_TEXT:
        raise InvalidFrames(f"a text of '{key}' has more than {_MAX_TEXT:,} characters")


def _check_json(key: str, value: Any) -> None:
    try:
        encoded = orjson.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidFrames(f"a value of '{key}' is not JSON, or is nested too deeply") from error
    if len(encoded) > _MAX_TEXT:
        raise InvalidFrames(f"a value of '{key}' has more than {_MAX_TEXT:,} bytes as JSON: use an array")


def _check_buffers(directory: Directory, size: int) -> None:
    """Columns of a block that share bytes would make its frames larger than the message."""
    for block in directory.blocks:
        arrays = [column for column in block.columns if column.kind in message.ARRAYS]
        if sum(message.buffer_bytes(column, block.count) for column in arrays) > size:
            raise InvalidFrames("the buffers of a block overlap")


def _known_arrays(directory: Directory, view: memoryview) -> tuple[tuple[str, int], ...]:
    """Each array is digested once: blocks may share one, but arrays must not overlap otherwise."""
    places = {
        (directory.buffers_at + column.offset, column.row_bytes)
        for column in _columns(directory)
        if column.kind is ColumnKind.SAME and column.row_bytes >= MIN_KNOWN_ARRAY
    }
    if sum(size for _, size in places) > len(view):
        raise InvalidFrames("the buffers of arrays overlap")
    return tuple(
        (hashlib.sha256(view[start : start + size]).hexdigest(), start) for start, size in sorted(places)
    )


def _columns(directory: Directory) -> Iterator[Column]:
    return (column for block in directory.blocks for column in block.columns)
