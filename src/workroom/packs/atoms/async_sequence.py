"""The frames of a room as ASE Atoms, for asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from workroom.packs.atoms.convert import to_atoms, to_frame

if TYPE_CHECKING:
    from ase import Atoms

    from workroom import AsyncRoom


class AsyncAtomsSequence:
    """Atoms over frames: `await atoms_of(room).get(-1)`. Nothing is cached."""

    def __init__(self, room: AsyncRoom) -> None:
        self._room = room
        self._frames = room.frames

    @property
    def current(self) -> AsyncCurrentAtoms:
        """The frame of the current step."""
        return AsyncCurrentAtoms(self)

    async def step(self) -> int:
        """The number of the current frame: the room's step, or the last frame if there are fewer."""
        count = await self.length()
        if not count:
            raise IndexError("the room has no frames")
        return min(max(0, int(await self._room.step.get() or 0)), count - 1)

    async def length(self) -> int:
        return await self._frames.length()

    def __aiter__(self) -> AsyncIterator[Atoms]:
        return self.iterate()

    async def iterate(self, at: slice = slice(None)) -> AsyncIterator[Atoms]:
        """Yield structures as they are at the beginning. The next ones are read meanwhile."""
        async for frame in self._frames.iterate(at):
            yield to_atoms(frame)

    @overload
    async def get(self, where: SupportsIndex) -> Atoms: ...
    @overload
    async def get(self, where: slice | Sequence[SupportsIndex]) -> list[Atoms]: ...
    async def get(self, where: Any) -> Any:
        """One structure for an index, a list for a slice or several indices. Raises IndexError."""
        found = await self._frames.get(where)
        return [to_atoms(frame) for frame in found] if isinstance(found, list) else to_atoms(found)

    async def set(self, index: SupportsIndex, atoms: Atoms) -> None:
        """Replace a frame. Raises IndexError."""
        await self._frames.set(index, to_frame(atoms))

    async def assign(self, at: slice, structures: Iterable[Atoms]) -> None:
        """Replace the frames of a slice by others, all at once."""
        await self._frames.assign(at, map(to_frame, structures))

    async def delete(self, where: SupportsIndex | slice) -> None:
        await self._frames.delete(where)

    async def insert(self, index: SupportsIndex, atoms: Atoms) -> None:
        await self._frames.insert(index, to_frame(atoms))

    async def append(self, atoms: Atoms) -> None:
        await self._frames.append(to_frame(atoms))

    async def extend(self, structures: Iterable[Atoms] | AsyncIterable[Atoms]) -> None:
        """Read the structures one by one: they need not fit in memory together."""
        if isinstance(structures, AsyncIterable):
            await self._frames.extend(_converted(structures))
        else:
            await self._frames.extend(map(to_frame, structures))


class AsyncCurrentAtoms:
    """The frame of the current step: `await room.atoms.get()`."""

    def __init__(self, sequence: AsyncAtomsSequence) -> None:
        self._sequence = sequence

    async def get(self) -> Atoms:
        return await self._sequence.get(await self._sequence.step())

    async def set(self, atoms: Atoms) -> None:
        """Replace the frame, or append the first one."""
        if await self._sequence.length():
            await self._sequence.set(await self._sequence.step(), atoms)
        else:
            await self._sequence.append(atoms)


async def _converted(structures: AsyncIterable[Atoms]) -> AsyncIterator[dict[str, Any]]:
    async for atoms in structures:
        yield to_frame(atoms)
