"""The directory of a stored piece: where each of its arrays is, in this piece or in another one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import msgpack

from workroom.domain.room_data.frames import Piece
from workroom.runtime.frames.message import Block, Column, ColumnKind

_OBJECT_BYTES = 12
"""Bytes of memory for each byte of a directory, about."""


@dataclass(frozen=True, slots=True)
class StoredPiece:
    """A piece with its directory. `ends` is where each block ends, in frames.

    A REF names the piece that has the array in `digest`, and its place in the blob of that piece in `offset`.
    """

    piece: Piece
    blocks: tuple[Block, ...]
    ends: tuple[int, ...]

    @property
    def memory(self) -> int:
        return len(self.piece.directory) * _OBJECT_BYTES

    @property
    def frame_bytes(self) -> int:
        return -(-self.piece.blob.size // self.piece.count)

    @property
    def directory_bytes(self) -> int:
        """Bytes of the directory for each frame."""
        return -(-len(self.piece.directory) // self.piece.count)


def encode_stored(blocks: Iterable[Block]) -> bytes:
    packed: bytes = msgpack.packb(
        [[block.count, [_packed(each) for each in block.columns]] for block in blocks]
    )
    return packed


def decode_stored(piece: Piece) -> StoredPiece:
    """The content was checked when it was uploaded."""
    blocks = tuple(
        Block(count, tuple(_column(each) for each in columns))
        for count, columns in msgpack.unpackb(piece.directory, strict_map_key=False)
    )
    return StoredPiece(piece, blocks, tuple(accumulate(block.count for block in blocks)))


def _packed(column: Column) -> list[Any]:
    if column.kind in (ColumnKind.VALUES, ColumnKind.VALUE):
        return [column.key, column.kind.value, column.values]
    return [column.key, column.kind.value, column.dtype, column.shape, column.offset, column.digest]


def _column(packed: list[Any]) -> Column:
    key, kind, *rest = packed
    if len(rest) == 1:
        return Column(key, ColumnKind(kind), values=rest[0])
    dtype, shape, offset, digest = rest
    return Column(key, ColumnKind(kind), dtype, tuple(shape), offset, digest)
