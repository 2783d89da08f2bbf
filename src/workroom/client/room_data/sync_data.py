"""What a room offers of its data to synchronous code: each method waits for its asyncio counterpart."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from workroom.client.loop_thread import LoopThread
from workroom.client.room_data.frames.sync_frames import Frames
from workroom.client.room_data.held_locks import AsyncLock
from workroom.client.room_data.records import Records
from workroom.client.room_data.room_data import LOCK_TIMEOUT_S, LOCK_TTL_S, AsyncRoomData, Document
from workroom.client.room_data.state import AsyncFamily, AsyncItems, AsyncState, Draft
from workroom.errors import DocumentNotFound

_MISSING = object()


class Lock:
    """Use it as `with room.lock("frames", message="Uploading 1000 frames", timeout=30):`."""

    def __init__(self, loop_thread: LoopThread, lock: AsyncLock) -> None:
        self._loop_thread = loop_thread
        self._lock = lock

    @property
    def fence(self) -> int:
        """A number that is higher for each later holder."""
        return self._lock.fence

    @property
    def is_lost(self) -> bool:
        """Whether the lock expired or was broken, as far as is known."""
        return self._lock.is_lost

    def message(self, text: str) -> None:
        """Change what others read about this lock."""
        self._loop_thread.call(self._lock.message(text))

    def __enter__(self) -> Self:
        self._loop_thread.call(self._lock.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop_thread.call(self._lock.__aexit__(kind, error, trace))


class State(MutableMapping[str, Any]):
    """The documents of a room by key: `room.state["metadata"] = {"a": 1}`. Nothing is cached."""

    def __init__(self, loop_thread: LoopThread, state: AsyncState) -> None:
        self._loop_thread = loop_thread
        self._state = state

    def __getitem__(self, key: str) -> Any:
        try:
            return self._loop_thread.call(self._state.read(key))
        except DocumentNotFound as error:
            raise KeyError(key) from error

    def __setitem__(self, key: str, value: Any) -> None:
        self.set(key, value)

    def __delitem__(self, key: str) -> None:
        try:
            self._loop_thread.call(self._state.delete(key))
        except DocumentNotFound as error:
            raise KeyError(key) from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._loop_thread.call(self._state.keys()))

    def __len__(self) -> int:
        return len(self.list())

    def list(self) -> list[Document]:
        """The documents without their contents: key, version, size, who changed it and when."""
        return self._loop_thread.call(self._state.list())

    def read(self, key: str, *, version: int | None = None) -> Any:
        """The value of a document, now or in a version of the room. Raises DocumentNotFound."""
        return self._loop_thread.call(self._state.read(key, version=version))

    def read_versioned(self, key: str, default: Any = None) -> tuple[Any, int]:
        """The value and its version; the default and 0 if there is no such document."""
        return self._loop_thread.call(self._state.read_versioned(key, default))

    def set(self, key: str, value: Any, *, version: int | None = None, summary: str = "") -> int:
        """Write a document and return its new version.

        With `version`, it is written only if it still has that version, or with 0 only if there is none:
        raises VersionConflict otherwise.
        """
        return self._loop_thread.call(self._state.set(key, value, version=version, summary=summary))

    def patch(self, key: str, patch: Any, *, summary: str = "") -> int:
        """Apply a JSON merge patch (RFC 7396) and return the new version."""
        return self._loop_thread.call(self._state.patch(key, patch, summary=summary))

    def modify(self, key: str, change: Callable[[Any], Any], default: Any = None) -> Any:
        """Replace the value by `change(value)`, again if somebody else was faster. Return the new value."""
        return self._loop_thread.call(self._state.modify(key, change, default))

    @contextmanager
    def edit(self, key: str, default: Any = None) -> Iterator[Draft]:
        """Edit a document: raises VersionConflict if somebody else changed it meanwhile."""
        value, version = self.read_versioned(key, default)
        draft = Draft(value)
        yield draft
        self.set(key, draft.value, version=version)


class Items(MutableMapping[Any, Any]):
    """Items that are changed one by one, without losing what others change."""

    def __init__(self, loop_thread: LoopThread, items: AsyncItems | AsyncFamily) -> None:
        self._loop_thread = loop_thread
        self._items = items

    def __getitem__(self, name: Any) -> Any:
        value = self._loop_thread.call(self._items.get(name, _MISSING))
        if value is _MISSING:
            raise KeyError(name)
        return value

    def __setitem__(self, name: Any, value: Any) -> None:
        self._loop_thread.call(self._items.set(name, value))

    def __delitem__(self, name: Any) -> None:
        self._loop_thread.call(self._items.delete(name))

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self._items, AsyncFamily):
            return iter(self._loop_thread.call(self._items.keys()))
        return iter(self._loop_thread.call(self._items.all()))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(self._loop_thread.call(self._items.all()))


class RoomData:
    _room: AsyncRoomData
    _loop_thread: LoopThread

    @property
    def state(self) -> State:
        """The documents of this room by key."""
        return State(self._loop_thread, self._room.state)

    @property
    def frames(self) -> Frames:
        """The trajectory of this room."""
        return Frames(self._loop_thread, self._room.frames)

    @frames.setter
    def frames(self, frames: Any) -> None:
        """Replace all frames at once. `room.frames += more` assigns what it has extended."""
        if not self.frames.is_same(frames):
            self.frames[:] = frames

    @property
    def atoms(self) -> Any:
        """The frame of the current step as ASE Atoms; needs `workroom[atoms]`."""
        return _atoms_of(self).current

    @atoms.setter
    def atoms(self, atoms: Any) -> None:
        _atoms_of(self).current = atoms

    @property
    def selection(self) -> Any:
        return self._loop_thread.call(self._room.selection.get())

    @selection.setter
    def selection(self, value: Any) -> None:
        self._loop_thread.call(self._room.selection.set(value))

    @property
    def step(self) -> Any:
        return self._loop_thread.call(self._room.step.get())

    @step.setter
    def step(self, value: Any) -> None:
        self._loop_thread.call(self._room.step.set(value))

    @property
    def camera(self) -> Any:
        return self._loop_thread.call(self._room.camera.get())

    @camera.setter
    def camera(self, value: Any) -> None:
        self._loop_thread.call(self._room.camera.set(value))

    @property
    def selection_groups(self) -> MutableMapping[Any, Any]:
        return Items(self._loop_thread, self._room.selection_groups)

    @selection_groups.setter
    def selection_groups(self, items: Mapping[Any, Any]) -> None:
        self._loop_thread.call(self._room.selection_groups.replace(dict(items)))

    @property
    def bookmarks(self) -> MutableMapping[Any, Any]:
        """Labels of frames, by their numbers."""
        return Items(self._loop_thread, self._room.bookmarks)

    @bookmarks.setter
    def bookmarks(self, items: Mapping[Any, Any]) -> None:
        self._loop_thread.call(self._room.bookmarks.replace(dict(items)))

    @property
    def metadata(self) -> MutableMapping[Any, Any]:
        return Items(self._loop_thread, self._room.metadata)

    @metadata.setter
    def metadata(self, items: Mapping[Any, Any]) -> None:
        self._loop_thread.call(self._room.metadata.replace(dict(items)))

    @property
    def figures(self) -> MutableMapping[Any, Any]:
        """Plotly figures by name."""
        return Items(self._loop_thread, self._room.figures)

    @property
    def geometries(self) -> MutableMapping[Any, Any]:
        return Items(self._loop_thread, self._room.geometries)

    def records(self, kind: str) -> Records:
        """The records of a kind: small JSON objects that are found by indexed fields."""
        return Records(self._loop_thread, self._room.records(kind))

    def lock(
        self,
        target: str = "frames",
        *,
        message: str = "",
        timeout: float = LOCK_TIMEOUT_S,
        ttl: float = LOCK_TTL_S,
    ) -> Lock:
        """Hold a lock while in the block: others cannot change its target. Raises Locked after `timeout`.

        It is refreshed in the background, and expires `ttl` seconds after this process died.
        """
        return Lock(self._loop_thread, self._room.lock(target, message=message, timeout=timeout, ttl=ttl))

    def locks(self) -> list[Document]:
        """The locks that somebody holds in this room."""
        return self._loop_thread.call(self._room.locks())

    def break_lock(self, target: str) -> bool:
        """Take a lock from its holder, as the room's owner. Return whether it was held."""
        return self._loop_thread.call(self._room.break_lock(target))

    def undo(self, target: str | None = None) -> Document:
        """Undo the newest change of the room's frames and documents. Raises NothingToRevert.

        With a target, such as `frames`, what was changed elsewhere since stays.
        """
        return self._loop_thread.call(self._room.undo(target))

    def redo(self, target: str | None = None) -> Document:
        """Redo what was undone last, of a target if there is one. Raises NothingToRevert."""
        return self._loop_thread.call(self._room.redo(target))

    def restore(self, number: int) -> Document:
        """Make frames and documents what they were after a version."""
        return self._loop_thread.call(self._room.restore(number))

    def versions(self, *, limit: int = 50, before: int | None = None) -> list[Document]:
        """The changes of the room's frames and documents, newest first."""
        return self._loop_thread.call(self._room.versions(limit=limit, before=before))

    def compare_versions(self, before: int, after: int) -> list[Document]:
        """The documents that differ between two versions."""
        return self._loop_thread.call(self._room.compare_versions(before, after))


def _atoms_of(room: RoomData) -> Any:
    """Loaded by name: the client does not depend on packs."""
    return importlib.import_module("workroom.packs.atoms").atoms_of(room)
