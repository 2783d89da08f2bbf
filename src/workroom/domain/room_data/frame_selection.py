"""Which frames of a sequence: some of its indices, or a slice of it, with the meaning they have in Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workroom.errors import FrameNotFound, InvalidRequest


@dataclass(frozen=True, slots=True)
class Selection:
    """`indices`, or the slice if they are None."""

    indices: tuple[int, ...] | None = None
    start: int | None = None
    stop: int | None = None
    step: int | None = None

    def positions(self, length: int) -> Sequence[int]:
        """The selected frames, counted from 0. Raises FrameNotFound."""
        if self.indices is None:
            return self.range(length)
        return [position_of(each, length) for each in self.indices]

    def range(self, length: int) -> range:
        if self.step == 0:
            raise InvalidRequest("the step of a slice cannot be 0")
        return range(*slice(self.start, self.stop, self.step).indices(length))


def position_of(index: int, length: int) -> int:
    """A negative index counts from the end."""
    position = index + length if index < 0 else index
    if not 0 <= position < length:
        raise FrameNotFound(f"there is no frame {index}: the room has {length:,}", index=index, length=length)
    return position
