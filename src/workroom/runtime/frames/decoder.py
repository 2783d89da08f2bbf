"""Messages to frames. Arrays are read-only views into the received bytes: nothing is copied."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from workroom.runtime.frames.arrays import numpy
from workroom.runtime.frames.message import Block, Column, ColumnKind, Directory, decode

if TYPE_CHECKING:
    from workroom.runtime.frames.arrays import Array

Frame = dict[str, Any]
_ValueAt = Callable[[int], Any]


def decode_frames(message: bytes | memoryview) -> Iterator[Frame]:
    """The frames of a message, one after the other. Raises InvalidFrames."""
    directory = decode(message)
    for block in directory.blocks:
        readers = {column.key: _reader(message, directory, block, column) for column in block.columns}.items()
        for index in range(block.count):
            yield {key: value_at(index) for key, value_at in readers}


def decode_columns(message: bytes | memoryview) -> dict[str, Any]:
    """The columns of a message with one block: an array of numbers, or a list of other values."""
    directory = decode(message)
    found: dict[str, Any] = {}
    for block in directory.blocks:
        for column in block.columns:
            found[column.key] = _whole(message, directory, block, column)
    return found


def _whole(message: bytes | memoryview, directory: Directory, block: Block, column: Column) -> Any:
    if column.kind is ColumnKind.VALUES:
        return column.values
    if column.kind is ColumnKind.VALUE:
        return [column.values] * block.count
    return _array(message, directory, column, block.count)


def _reader(message: bytes | memoryview, directory: Directory, block: Block, column: Column) -> _ValueAt:
    match column.kind:
        case ColumnKind.VALUES:
            return lambda index: column.values[index]
        case ColumnKind.VALUE:
            is_mutable = isinstance(column.values, list | dict)
            return lambda _: copy.deepcopy(column.values) if is_mutable else column.values
        case ColumnKind.STACK:
            rows = _array(message, directory, column, block.count)
            return lambda index: rows[index, ...]
    array = _array(message, directory, column, 1)[0, ...]
    return lambda _: array


def _array(message: bytes | memoryview, directory: Directory, column: Column, count: int) -> Array:
    np = numpy()
    shape = (count, *column.shape)
    if not math.prod(shape):
        rows = np.empty(shape, column.dtype)
    else:
        start = directory.buffers_at + column.offset
        rows = np.frombuffer(message, column.dtype, math.prod(shape), start).reshape(shape)
    rows.flags.writeable = False
    read_only: Array = rows
    return read_only
