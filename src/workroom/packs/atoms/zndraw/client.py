"""`ZnDraw`: a room as a list of ASE Atoms, with the names that scripts for ZnDraw use."""

from __future__ import annotations

import atexit
from collections.abc import Iterable, Iterator, MutableMapping, MutableSequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from workroom import Room
from workroom.packs.atoms.convert import to_atoms
from workroom.packs.atoms.sequence import AtomsSequence
from workroom.packs.atoms.zndraw.extension import Extension
from workroom.packs.atoms.zndraw.jobs import Job
from workroom.packs.atoms.zndraw.mappings import PARTICLES, Figures, Geometries, Selections

if TYPE_CHECKING:
    from ase import Atoms

    import workroom

_NAMES = {"arrays.positions": "positions", "arrays.numbers": "numbers"}  # ZnDraw's keys, and those of frames
_KEYS = {ours: theirs for theirs, ours in _NAMES.items()}


class ZnDraw(MutableSequence["Atoms"]):
    """`vis = ZnDraw(url="http://localhost:8000", room="demo"); vis.append(atoms)`."""

    def __init__(
        self,
        url: str | None = None,
        room: str = "default",
        user: str | None = None,
        password: Any = None,
        auto_pickup_jobs: bool = True,
        copy_from: str | None = None,
    ) -> None:
        secret = password.get_secret_value() if hasattr(password, "get_secret_value") else password
        self._open(Room(room, url, user=user, password=secret))
        atexit.register(self.workroom.close)  # scripts for ZnDraw close nothing
        self.auto_pickup_jobs = auto_pickup_jobs
        if copy_from is not None and not len(self):
            self._copy(Room(copy_from, url, user=user, password=secret, create=False))

    @classmethod
    def over(cls, room: Any) -> ZnDraw:
        """A ZnDraw of a room that is open already."""
        self = cls.__new__(cls)
        self._open(room)
        self.auto_pickup_jobs = True
        return self

    def _open(self, room: Any) -> None:
        self.workroom = room
        self._frames = AtomsSequence(room)

    def _copy(self, source: Room) -> None:
        with source:
            self.workroom.frames.extend(iter(source.frames))

    @property
    def room(self) -> str:
        return str(self.workroom.name)

    # The frames

    def __len__(self) -> int:
        return len(self._frames)

    def __iter__(self) -> Iterator[Atoms]:
        return iter(self._frames)

    def __getitem__(self, index: Any) -> Any:
        where = _where(index)
        if isinstance(where, list):
            return [to_atoms(frame) for frame in self.workroom.frames.get(where)]
        found = self._frames[where]
        return list(found) if isinstance(where, slice) else found

    def __setitem__(self, index: Any, value: Any) -> None:
        where = _where(index)
        if not isinstance(where, list):
            self._frames[where] = value
            return
        values = list(value)
        if len(values) != len(where):
            raise ValueError(f"{len(where)} frames cannot be set to {len(values)}")
        for each, atoms in zip(where, values, strict=True):
            self._frames[each] = atoms

    def __delitem__(self, index: Any) -> None:
        where = _where(index)
        if not isinstance(where, list):
            del self._frames[where]
            return
        count = len(self)
        if any(not -count <= each < count for each in where):
            raise IndexError(f"the room has {count} frames")
        for each in sorted({each % count for each in where}, reverse=True):
            del self._frames[each]

    def insert(self, index: int, value: Atoms) -> None:
        self._frames.insert(index, value)

    def append(self, value: Atoms) -> None:
        self._frames.append(value)

    def extend(self, values: Iterable[Atoms]) -> None:
        self._frames.extend(values)

    def get(self, index: Any, keys: list[str] | None = None) -> Any:
        """Frames as dicts, of these keys alone: `vis.get(0, keys=["arrays.positions", "info.time"])`."""
        wanted = None if keys is None else [_NAMES.get(key, key) for key in keys]
        found = self.workroom.frames.get(_where(index), keys=wanted)
        return [_renamed(each) for each in found] if isinstance(found, list) else _renamed(found)

    @property
    def atoms(self) -> Atoms:
        """The frame of the current step."""
        return self._frames.current

    @atoms.setter
    def atoms(self, value: Atoms) -> None:
        self._frames.current = value

    @property
    def step(self) -> int:
        return int(self.workroom.step or 0)

    @step.setter
    def step(self, value: int) -> None:
        if not 0 <= value < len(self):
            raise ValueError(f"there is no frame {value}: the room has {len(self)}")
        self.workroom.step = int(value)

    # What the room shares besides

    @property
    def selection(self) -> tuple[int, ...]:
        """The selected atoms."""
        return self.selections[PARTICLES]

    @selection.setter
    def selection(self, value: Iterable[int] | None) -> None:
        self.selections[PARTICLES] = [] if value is None else value

    @property
    def selections(self) -> Selections:
        return Selections(self.workroom)

    @property
    def selection_groups(self) -> MutableMapping[Any, Any]:
        found: MutableMapping[Any, Any] = self.workroom.selection_groups
        return found

    @property
    def bookmarks(self) -> MutableMapping[int, str]:
        found: MutableMapping[int, str] = self.workroom.bookmarks
        return found

    @property
    def metadata(self) -> MutableMapping[str, Any]:
        found: MutableMapping[str, Any] = self.workroom.metadata
        return found

    @property
    def figures(self) -> Figures:
        return Figures(self.workroom)

    @property
    def geometries(self) -> Geometries:
        return Geometries(self.workroom)

    @property
    def chat(self) -> list[dict[str, Any]]:
        """The last messages, newest first."""
        return list(self.workroom.chat())

    def log(self, message: str) -> dict[str, Any]:
        """Post a message to the room's chat."""
        return dict(self.workroom.post(message))

    def lock(self, msg: str = "", target: str = "frames") -> Any:
        """Use it as `with vis.lock(msg="Uploading"):`; others cannot change the frames meanwhile."""
        return self.workroom.lock(target, message=msg)

    get_lock = lock

    # Extensions

    def register_extension(
        self,
        extension: type[workroom.Extension],
        public: bool = False,
        run_kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Make this process a worker for an extension."""
        if not self.auto_pickup_jobs:
            raise ValueError("auto_pickup_jobs=False: this process would never run the jobs of its extension")
        if issubclass(extension, Extension):
            extension.run_kwargs = run_kwargs or {}
        self.workroom.register(extension, public=public)

    def run(self, extension: workroom.Extension, public: bool | None = None) -> Job:
        """Submit a job. The room's extensions go before public ones of the same name."""
        return Job(self.workroom.submit(extension), self.workroom)

    @property
    def socket(self) -> Self:
        """For `vis.socket.wait()`."""
        return self

    def wait(self) -> None:
        """Serve jobs until Ctrl-C."""
        self.workroom.wait()

    def disconnect(self) -> None:
        atexit.unregister(self.workroom.close)
        self.workroom.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.disconnect()

    def __repr__(self) -> str:
        return f"ZnDraw(room={self.room!r}, frames={len(self)})"


def _where(index: Any) -> Any:
    """An int, a slice or a list of ints."""
    if isinstance(index, np.ndarray):
        if index.dtype == bool:
            return np.flatnonzero(index).tolist()
        return index.tolist()
    return list(index) if isinstance(index, tuple) else index


def _renamed(frame: dict[str, Any]) -> dict[str, Any]:
    return {_KEYS.get(key, key): value for key, value in frame.items()}
