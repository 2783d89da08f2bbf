"""Frames in files: `.wrf` has messages one after the other, `.npz` an array of rows for each key."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from workroom.errors import InvalidFrames
from workroom.runtime.frames.arrays import numpy
from workroom.runtime.frames.decoder import Frame, decode_frames
from workroom.runtime.frames.message import (
    HEAD_BYTES,
    Directory,
    aligned,
    decode,
    decode_blocks,
    directory_end,
    message_bytes,
)

SUFFIXES = (".wrf", ".npz")


def open_frames(path: Path) -> FrameFile | ArrayFile:
    """The frames of a file, by its suffix."""
    return ArrayFile(path) if suffix_of(path) == ".npz" else FrameFile(path)


def suffix_of(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"'{path.name}' is neither a .wrf nor an .npz file")
    return suffix


class FrameFile:
    """The frames of a `.wrf` file, read one message after the other."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __len__(self) -> int:
        with self._path.open("rb") as file:
            return sum(directory.count for directory in _directories(file))

    def __iter__(self) -> Iterator[Frame]:
        with self._path.open("rb") as file:
            for directory in _directories(file):
                size = message_bytes(directory)
                file.seek(-directory.buffers_at, 1)
                message = file.read(size)
                file.seek(directory.buffers_at - size, 1)
                yield from decode_frames(message)


def _directories(file: IO[bytes]) -> Iterator[Directory]:
    """Read each directory and skip the buffers. The file is where these begin when one is yielded."""
    while head := file.read(HEAD_BYTES):
        end = directory_end(head)
        packed = file.read(end - HEAD_BYTES)
        if len(packed) < end - HEAD_BYTES:
            raise InvalidFrames("the file ends within a message")
        directory = Directory(decode_blocks(packed), aligned(end))
        file.seek(aligned(end) - end, 1)
        yield directory
        file.seek(message_bytes(directory) - directory.buffers_at, 1)


class ArrayFile:
    """The frames of an `.npz` file."""

    def __init__(self, path: Path) -> None:
        with numpy().load(path, allow_pickle=False) as found:
            self._arrays = dict(found)
        if len({len(array) if array.ndim else -1 for array in self._arrays.values()}) > 1:
            raise ValueError(f"the arrays in '{path.name}' do not have the same number of rows")

    def __len__(self) -> int:
        return max((len(array) for array in self._arrays.values()), default=0)

    def __iter__(self) -> Iterator[Frame]:
        for index in range(len(self)):
            yield {key: array[index] for key, array in self._arrays.items()}


def write_messages(messages: Iterable[bytes], file: IO[bytes]) -> Iterator[int]:
    """Write a `.wrf` file. Yield how many frames each message has."""
    for message in messages:
        directory = decode(message)
        size = message_bytes(directory)
        file.write(memoryview(message)[:size])
        file.write(bytes(size - min(size, len(message))))
        yield directory.count


def write_arrays(messages: Iterable[bytes], file: IO[bytes]) -> Iterator[int]:
    """Write an `.npz` file. Raises ValueError if keys or shapes differ between the frames."""
    columns: dict[str, list[Any]] = {}
    total = 0
    for message in messages:
        frames = list(decode_frames(message))
        for frame in frames:
            if total and frame.keys() != columns.keys():
                raise ValueError("the frames have different keys: export them to a .wrf file")
            total += 1
            for key, value in frame.items():
                columns.setdefault(key, []).append(value)
        yield len(frames)
    arrays = {key: _stacked(key, values) for key, values in columns.items()}
    with zipfile.ZipFile(file, "w") as archive:  # np.savez cannot write a key `file`
        for key, array in arrays.items():
            with archive.open(f"{key}.npy", "w", force_zip64=True) as member:
                numpy().lib.format.write_array(member, array, allow_pickle=False)


def _stacked(key: str, values: list[Any]) -> Any:
    try:
        array = numpy().array(values)
    except ValueError as error:
        raise ValueError(f"'{key}' has different shapes: export the frames to a .wrf file") from error
    if array.dtype.kind == "O" or isinstance(values[0], list | dict):
        raise ValueError(f"an .npz file cannot hold '{key}': export the frames to a .wrf file")
    return array
