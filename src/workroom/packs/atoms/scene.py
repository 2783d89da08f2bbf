"""What an extension works on: the frame of the current step, and the atoms that are selected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from workroom.packs.atoms.convert import to_atoms, to_frame
from workroom.packs.atoms.sequence import AtomsSequence

if TYPE_CHECKING:
    from ase import Atoms

    from workroom import JobContext

Indices = np.ndarray[Any, np.dtype[np.intp]]


class Scene:
    def __init__(self, room: Any) -> None:
        self.room = room
        self.frames = AtomsSequence(room)
        self._selection: list[int] | None = None  # read once, not for each frame

    @property
    def index(self) -> int:
        """The number of the current frame. Raises ValueError if there is none."""
        if not len(self.frames):
            raise ValueError("the room has no frames yet: load a file, or create one with NewCanvas")
        return self.frames.step

    @property
    def atoms(self) -> Atoms:
        return self.frames[self.index]

    def replace(self, atoms: Atoms) -> dict[str, Any]:
        """Replace the current frame; those after it stay."""
        index = self.index
        self.room.frames[index] = to_frame(atoms)
        return {"frame": index, "atoms": len(atoms)}

    def insert(self, frames: Iterable[Atoms]) -> dict[str, Any]:
        """Insert frames after the current one, and go to the last of them."""
        index, before = self.index, len(self.frames)
        self.room.frames[index + 1 : index + 1] = map(to_frame, frames)
        count = len(self.frames) - before
        self.room.step = index + count
        return {"frames": count, "first": index + 1}

    def selected(self, atoms: Atoms, *, at_least: int = 0) -> Indices:
        """The selected atoms that this frame has, in the order of selection."""
        if self._selection is None:
            self._selection = [int(each) for each in self.room.selection or []]
        found = np.array([each for each in self._selection if 0 <= each < len(atoms)], dtype=np.intp)
        if len(found) < at_least:
            needed = "an atom" if at_least == 1 else f"{at_least} atoms"
            raise ValueError(f"select at least {needed} first")
        return found

    def selected_or_all(self, atoms: Atoms) -> Indices:
        found = self.selected(atoms)
        return found if len(found) else np.arange(len(atoms))

    def select(self, indices: Iterable[Any]) -> dict[str, int]:
        """Select atoms; in the order of their numbers, each once."""
        found = sorted({int(each) for each in indices})
        self.room.selection = self._selection = found
        return {"selected": len(found)}

    def change(
        self, change: Callable[[Atoms], Atoms], job: JobContext, *, all_frames: bool = False
    ) -> dict[str, Any]:
        """Replace the current frame, or all, by what `change` makes of each. Few are in memory at a time."""
        if not all_frames:
            return self.replace(change(self.atoms))
        count = len(self.frames)
        found = self.read(job, 0, count, "changing frames")
        self.room.frames[0:count] = (to_frame(change(atoms)) for atoms in found)
        return {"frames": count}

    def read(
        self, job: JobContext, start: int = 0, stop: int | None = None, message: str = "reading frames"
    ) -> Iterator[Atoms]:
        """Read frames one after the other, with progress; the client fetches them in larger pieces."""
        stop = len(self.frames) if stop is None else stop
        found = self.room.frames.iterate(slice(start, stop))
        return map(to_atoms, job.track(found, message, total=stop - start))
