"""The frames of a room as ASE Atoms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSequence
from typing import TYPE_CHECKING, Any, overload

from workroom import AsyncRoom
from workroom.packs.atoms.async_sequence import AsyncAtomsSequence
from workroom.packs.atoms.convert import to_atoms, to_frame

if TYPE_CHECKING:
    from ase import Atoms


class AtomsSequence(MutableSequence["Atoms"]):
    """A list of Atoms over a list of frames: `atoms_of(room)[3]`. Nothing is cached."""

    def __init__(self, room: Any) -> None:
        self._room = room

    @property
    def current(self) -> Atoms:
        """The frame of the current step."""
        return self[self.step]

    @current.setter
    def current(self, atoms: Atoms) -> None:
        if len(self):
            self[self.step] = atoms
        else:
            self.append(atoms)

    @property
    def step(self) -> int:
        """The number of the current frame: the room's step, or the last frame if there are fewer."""
        count = len(self)
        if not count:
            raise IndexError("the room has no frames")
        return min(max(0, int(self._room.step or 0)), count - 1)

    def __len__(self) -> int:
        return len(self._room.frames)

    def __iter__(self) -> Iterator[Atoms]:
        return map(to_atoms, self._room.frames)

    @overload
    def __getitem__(self, index: int) -> Atoms: ...
    @overload
    def __getitem__(self, index: slice) -> MutableSequence[Atoms]: ...
    def __getitem__(self, index: int | slice) -> Any:
        found = self._room.frames[index]
        return [to_atoms(frame) for frame in found] if isinstance(index, slice) else to_atoms(found)

    @overload
    def __setitem__(self, index: int, value: Atoms) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[Atoms]) -> None: ...
    def __setitem__(self, index: Any, value: Any) -> None:
        frames = map(to_frame, value) if isinstance(index, slice) else to_frame(value)
        self._room.frames[index] = frames

    def __delitem__(self, index: int | slice) -> None:
        del self._room.frames[index]

    def insert(self, index: int, value: Atoms) -> None:
        self._room.frames.insert(index, to_frame(value))

    def append(self, value: Atoms) -> None:
        self._room.frames.append(to_frame(value))

    def extend(self, values: Iterable[Atoms]) -> None:
        """Read the values one by one: they need not fit in memory together."""
        self._room.frames.extend(map(to_frame, values))


@overload
def atoms_of(room: AsyncRoom) -> AsyncAtomsSequence: ...
@overload
def atoms_of(room: Any) -> AtomsSequence: ...
def atoms_of(room: Any) -> Any:
    """The frames of a room as ASE Atoms, to read and to write: `atoms_of(room)[-1]`.

    For an AsyncRoom: `await atoms_of(room).get(-1)`.
    """
    return AsyncAtomsSequence(room) if isinstance(room, AsyncRoom) else AtomsSequence(room)
