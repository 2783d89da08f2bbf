"""The frames of a room for synchronous code: a mutable sequence, as a list is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from typing import Any, Self, SupportsIndex

from workroom.client.loop_thread import LoopThread
from workroom.client.room_data.frames.frames import AsyncFrames, Where, copied, length_of
from workroom.client.room_data.frames.indices import index_of, slice_of
from workroom.runtime.frames.decoder import Frame, decode_frames


class Frames(MutableSequence[Any]):
    """The trajectory of a room: `room.frames.append({"positions": positions})`, `room.frames[-1]`.

    A frame is a mapping from keys to NumPy arrays and plain values. Nothing is cached.
    """

    def __init__(self, loop_thread: LoopThread, frames: AsyncFrames) -> None:
        self._loop_thread = loop_thread
        self._frames = frames

    def __len__(self) -> int:
        return self._loop_thread.call(self._frames.length())

    def info(self) -> dict[str, Any]:
        """The length, the version, the size in bytes, the keys, and who changed the frames when."""
        return self._loop_thread.call(self._frames.info())

    def __getitem__(self, where: Any) -> Any:
        """A frame, or for a slice a list of frames."""
        return self.get(where if isinstance(where, slice) else index_of(where))

    def get(
        self,
        where: Where,
        *,
        keys: Sequence[str] | None = None,
        dtype: str | None = None,
        version: int | None = None,
    ) -> Any:
        """One frame for an index, a list of frames for a slice or several indices.

        `keys` are those to read. With `dtype="f32"`, float64 arrays are sent as float32. Raises IndexError.
        """
        return self._loop_thread.call(self._frames.get(where, keys=keys, dtype=dtype, version=version))

    def columns(self, *keys: str, at: slice = slice(None)) -> dict[str, Any]:
        """Plain values of many frames: an array of numbers for each key, or a list of other values.

        Missing numbers are NaN, other missing values None.
        """
        return self._loop_thread.call(self._frames.columns(*keys, at=at))

    def __iter__(self) -> Iterator[Frame]:
        return self.iterate()

    def __reversed__(self) -> Iterator[Frame]:
        return self.iterate(slice(None, None, -1))

    def iterate(
        self, at: slice = slice(None), *, keys: Sequence[str] | None = None, dtype: str | None = None
    ) -> Iterator[Frame]:
        """Yield frames as they are at the beginning. The next ones are read meanwhile."""
        for message in self.messages(at, keys=keys, dtype=dtype):
            yield from decode_frames(message)

    def messages(
        self, at: slice = slice(None), *, keys: Sequence[str] | None = None, dtype: str | None = None
    ) -> Iterator[bytes]:
        """Yield frames in the form of messages of a few megabytes."""
        for chunk in self._loop_thread.iterate(self._frames.chunks(at, keys=keys, dtype=dtype)):
            yield chunk.message

    def append(self, value: Any) -> None:
        self._loop_thread.call(self._frames.append(value))

    def insert(self, index: SupportsIndex, value: Any) -> None:
        """Insert a frame before an index, clamped as in a list."""
        self._loop_thread.call(self._frames.insert(index, value))

    def extend(self, values: Iterable[Any]) -> None:
        """Append frames from any iterator, in bounded memory. Together they are one version.

        What was read from the iterator is kept if it raises.
        """
        if self.is_same(values):
            self._loop_thread.call(self._frames.extend(self._frames))
            return
        with self._loop_thread.call(self._appending(length_of(values))) as appending:
            try:
                for frame in values:
                    if appending.add(frame):
                        self._loop_thread.call(appending.send())
            except Exception:
                self._loop_thread.call(appending.finish())
                raise
            except BaseException:
                self._loop_thread.call(appending.abort())
                raise
            self._loop_thread.call(appending.finish())

    async def _appending(self, total: int | None) -> Any:
        return self._frames.appending(total)

    def __iadd__(self, values: Iterable[Any]) -> Self:
        self.extend(values)
        return self

    def __setitem__(self, where: Any, value: Any) -> None:
        if isinstance(where, slice):
            self._assign(where, value)
        else:
            self._loop_thread.call(self._frames.set(where, value))

    def _assign(self, where: slice, values: Any) -> None:
        bounds = slice_of(where)
        if not isinstance(values, Iterable):
            raise TypeError("can only assign an iterable")
        if self.is_same(values):
            self._loop_thread.call(self._frames.assign_sources(bounds, [copied()]))
            return
        collecting = self._loop_thread.call(self._collecting())
        try:
            for frame in values:
                if collecting.add(frame):
                    self._loop_thread.call(collecting.send())
            sources = self._loop_thread.call(collecting.finish())
        except BaseException:
            self._loop_thread.call(collecting.abort())
            raise
        self._loop_thread.call(self._frames.assign_sources(bounds, sources))

    async def _collecting(self) -> Any:
        return self._frames.collecting()

    def __delitem__(self, where: Any) -> None:
        self._loop_thread.call(self._frames.delete(where))

    def pop(self, index: SupportsIndex = -1) -> Frame:
        """Delete a frame and return it. Raises IndexError."""
        return self._loop_thread.call(self._frames.pop(index))

    def reverse(self) -> None:
        """Reverse the frames in the server: nothing is sent."""
        self._loop_thread.call(self._frames.reverse())

    def clear(self) -> None:
        self._loop_thread.call(self._frames.clear())

    def __contains__(self, value: object) -> bool:
        raise _not_compared()

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        raise _not_compared()

    def count(self, value: Any) -> int:
        raise _not_compared()

    def remove(self, value: Any) -> None:
        raise _not_compared()

    def is_same(self, frames: object) -> bool:
        """Whether these are the frames of the same room object."""
        return isinstance(frames, Frames) and frames._frames is self._frames

    def __repr__(self) -> str:
        return f"<{len(self)} frames>"


def _not_compared() -> TypeError:
    return TypeError(
        "frames are not compared with one another: read a key of all with "
        "room.frames.columns('info.energy') and look there"
    )
