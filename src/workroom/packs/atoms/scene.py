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

PIECE = 64  # frames that are held in memory at once
Indices = np.ndarray[Any, np.dtype[np.intp]]


class Scene:
    def __init__(self, room: Any) -> None:
        self.room = room
        self.frames = AtomsSequence(room)

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
        index = self.index
        found = [to_frame(atoms) for atoms in frames]
        self.room.frames[index + 1 : index + 1] = found
        self.room.step = index + len(found)
        return {"frames": len(found), "first": index + 1}

    def selected(self, atoms: Atoms, *, at_least: int = 0) -> Indices:
        """The selected atoms that this frame has, in the order of selection."""
        chosen = self.room.selection or []
        found = np.array([each for each in chosen if 0 <= int(each) < len(atoms)], dtype=np.intp)
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
        self.room.selection = found
        return {"selected": len(found)}

    def change(
        self, change: Callable[[Atoms], Atoms], job: JobContext, *, all_frames: bool = False
    ) -> dict[str, Any]:
        """Replace the current frame, or all, by what `change` makes of each."""
        if not all_frames:
            return self.replace(change(self.atoms))
        count = len(self.frames)
        for first in range(0, count, PIECE):
            job.check()
            piece = slice(first, first + PIECE)
            self.room.frames[piece] = [to_frame(change(to_atoms(each))) for each in self.room.frames[piece]]
            job.progress(min(1.0, (first + PIECE) / count), f"{min(first + PIECE, count)} of {count} frames")
        return {"frames": count}

    def read(self, job: JobContext, start: int = 0, stop: int | None = None) -> Iterator[Atoms]:
        """Read frames one after the other, with progress; the client fetches them in larger pieces."""
        stop = len(self.frames) if stop is None else stop
        for first in range(start, stop, PIECE):
            job.check()
            yield from map(to_atoms, self.room.frames[first : min(first + PIECE, stop)])
            job.progress(min(1.0, (first + PIECE - start) / (stop - start)), "reading frames")
