"""Messages: frames in binary form. A small directory comes first, the raw buffers of the arrays follow.

Nothing here needs NumPy or copies a buffer. `docs/frames.md` describes the format.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgpack

from workroom.errors import InvalidFrames

MEDIA_TYPE = "application/vnd.workroom.frames"
MAGIC = b"WRF1"
ALIGNMENT = 8
MAX_DIMENSIONS = 8
MAX_KEY = 128
_HEAD = struct.Struct("<4sI")
HEAD_BYTES = _HEAD.size
_DTYPE = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<c(?:8|16)|<U[1-9][0-9]{0,4}|\|S[1-9][0-9]{0,5}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class ColumnKind(StrEnum):
    STACK = "stack"  # an array per frame, one after the other
    SAME = "same"  # one array for all frames
    REF = "ref"  # the same, named by its digest
    VALUES = "values"  # a plain value per frame
    VALUE = "value"  # one plain value for all frames


ARRAYS = frozenset({ColumnKind.STACK, ColumnKind.SAME})


@dataclass(frozen=True, slots=True)
class Column:
    """One key of a block. `offset` counts from the start of the buffers; `digest` is that of a REF."""

    key: str
    kind: ColumnKind
    dtype: str = ""
    shape: tuple[int, ...] = ()
    offset: int = 0
    digest: str = ""
    values: Any = None

    @property
    def row_bytes(self) -> int:
        """The bytes of one array."""
        return item_bytes(self.dtype) * math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive frames with the same keys, dtypes and shapes."""

    count: int
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Directory:
    """What a message contains, and where its buffers begin."""

    blocks: tuple[Block, ...]
    buffers_at: int

    @property
    def count(self) -> int:
        return sum(block.count for block in self.blocks)


def item_bytes(dtype: str) -> int:
    """The bytes of one item: text has four per character."""
    size = int(dtype[2:])
    return size * 4 if dtype[1] == "U" else size


def buffer_bytes(column: Column, count: int) -> int:
    """The bytes that an array column has in the buffers of a block of `count` frames."""
    return column.row_bytes * (count if column.kind is ColumnKind.STACK else 1)


def message_bytes(directory: Directory) -> int:
    """The bytes of a whole message, padding included."""
    ends = [
        column.offset + buffer_bytes(column, block.count)
        for block in directory.blocks
        for column in block.columns
        if column.kind in ARRAYS
    ]
    return directory.buffers_at + aligned(max(ends, default=0))


def aligned(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT


def encode(blocks: Iterable[Block], buffers: Sequence[bytes | memoryview]) -> list[bytes | memoryview]:
    """The parts of a message, to be written one after the other. Buffers are in the order of their offsets.

    The offsets of the columns must be those of `place`.
    """
    directory = msgpack.packb({"blocks": [_packed(block) for block in blocks]})
    parts: list[bytes | memoryview] = [_HEAD.pack(MAGIC, len(directory)), directory]
    parts.append(_padding(_HEAD.size + len(directory)))
    for buffer in buffers:
        size = memoryview(buffer).nbytes
        parts += [buffer, _padding(size)]
    return [part for part in parts if len(part)]


def place(sizes: Sequence[int]) -> list[int]:
    """The offsets of buffers of these sizes, one after the other."""
    offsets, end = [], 0
    for size in sizes:
        offsets.append(end)
        end = aligned(end + size)
    return offsets


def directory_end(head: bytes | memoryview) -> int:
    """Where the directory of a message ends, given its first bytes."""
    if len(head) < HEAD_BYTES or head[:4] != MAGIC:
        raise InvalidFrames("the body is no message of frames: it does not begin with WRF1")
    return HEAD_BYTES + int(_HEAD.unpack(head[:HEAD_BYTES])[1])


def decode(message: bytes | memoryview, *, max_keys: int = 1000) -> Directory:
    """Read the directory of a whole message. Raises InvalidFrames for anything but a correct message."""
    end = directory_end(memoryview(message)[:HEAD_BYTES])
    if end > len(message):
        raise InvalidFrames("the directory is longer than the message")
    buffers_at = aligned(end)
    blocks = decode_blocks(bytes(memoryview(message)[HEAD_BYTES:end]), max_keys=max_keys)
    directory = Directory(blocks, buffers_at)
    _check_buffers(directory, max(0, len(message) - buffers_at))
    return directory


def decode_blocks(directory: bytes, *, max_keys: int = 1000) -> tuple[Block, ...]:
    try:
        unpacked = msgpack.unpackb(directory, max_ext_len=0)
    except Exception as error:  # msgpack raises whatever it finds, RecursionError included
        raise InvalidFrames("the directory is not valid msgpack") from error
    match unpacked:
        case {"blocks": list() as blocks} if len(unpacked) == 1:
            return tuple(_block(each, max_keys) for each in blocks)
    raise InvalidFrames('the directory is not {"blocks": [...]}')


def encode_blocks(blocks: Iterable[Block]) -> bytes:
    """The directory of a message."""
    packed: bytes = msgpack.packb({"blocks": [_packed(block) for block in blocks]})
    return packed


def _packed(block: Block) -> list[Any]:
    return [block.count, [_packed_column(column) for column in block.columns]]


def _packed_column(column: Column) -> list[Any]:
    if column.kind in (ColumnKind.VALUES, ColumnKind.VALUE):
        return [column.key, column.kind.value, column.values]
    place = column.digest if column.kind is ColumnKind.REF else column.offset
    return [column.key, column.kind.value, column.dtype, list(column.shape), place]


def _block(packed: Any, max_keys: int) -> Block:
    match packed:
        case [int() as count, list() as columns] if count >= 1 and not isinstance(count, bool):
            if len(columns) > max_keys:
                raise InvalidFrames(f"a frame may have {max_keys:,} keys; this one has {len(columns):,}")
            block = Block(count, tuple(_column(each, count) for each in columns))
            if len({column.key for column in block.columns}) < len(columns):
                raise InvalidFrames("a block has a key twice")
            return block
    raise InvalidFrames("a block is not [count, columns] with a count of at least 1")


def _column(packed: Any, count: int) -> Column:
    match packed:
        case [str() as key, "stack" | "same" as kind, str() as dtype, list() as shape, int() as offset]:
            return Column(_key(key), ColumnKind(kind), _dtype(dtype), _shape(shape), offset)
        case [str() as key, "ref", str() as dtype, list() as shape, str() as digest]:
            if not _DIGEST.fullmatch(digest):
                raise InvalidFrames(f"the digest of '{key[:MAX_KEY]}' is not a SHA-256")
            return Column(_key(key), ColumnKind.REF, _dtype(dtype), _shape(shape), digest=digest)
        case [str() as key, "values", list() as values] if len(values) == count:
            return Column(_key(key), ColumnKind.VALUES, values=values)
        case [str() as key, "value", value]:
            return Column(_key(key), ColumnKind.VALUE, values=value)
    raise InvalidFrames(f"a column is not valid: {str(packed)[:100]}")


def is_key(key: str) -> bool:
    return 1 <= len(key) <= MAX_KEY and not _CONTROL.search(key)


def is_dtype(dtype: str) -> bool:
    return _DTYPE.fullmatch(dtype) is not None


def _key(key: str) -> str:
    if not is_key(key):
        raise InvalidFrames(f"a key has 1 to {MAX_KEY} characters, none of them a control character")
    return key


def _dtype(dtype: str) -> str:
    if not is_dtype(dtype):
        raise InvalidFrames(f"'{dtype[:20]}' is no dtype of frames, such as <f8")
    return dtype


def _shape(shape: list[Any]) -> tuple[int, ...]:
    are_sizes = all(type(size) is int and 0 <= size < 2**31 for size in shape)
    if len(shape) > MAX_DIMENSIONS or not are_sizes:
        raise InvalidFrames(f"a shape is a list of up to {MAX_DIMENSIONS} sizes")
    return tuple(shape)


def _check_buffers(directory: Directory, size: int) -> None:
    for block in directory.blocks:
        for column in block.columns:
            if column.kind in ARRAYS:
                end = column.offset + buffer_bytes(column, block.count)
                if column.offset < 0 or column.offset % ALIGNMENT or end > size:
                    raise InvalidFrames(f"the buffer of '{column.key}' is not aligned within the message")


def _padding(size: int) -> bytes:
    return bytes(aligned(size) - size)
