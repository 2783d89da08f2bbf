"""Edits frames: makes a new index from the current one, and again if somebody else was faster."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from workroom.domain.events import FramesChanged
from workroom.domain.identity import Principal
from workroom.domain.room_data.documents import DataLimits, Written
from workroom.domain.room_data.frame_edits import Applied, FrameEdit, apply
from workroom.domain.room_data.frame_index import EMPTY, Spliced, encode_index
from workroom.domain.room_data.frames import FramesEdit, Run
from workroom.errors import TooManyRequests, VersionConflict, VersionNotFound, WorkroomError
from workroom.services.room_data.data_steps import DataSteps
from workroom.services.room_data.documents import NO_OPTIONS, EditOptions, writer_of
from workroom.services.room_data.frames.indexes import FrameIndexes, IndexedFrames
from workroom.services.room_data.frames.pieces import Pieces

_TRIES = 20
_NO_VERSION = -1
_MAX_WAITING = 200
_MAX_WAIT_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class FramesRequest:
    """Who edits the frames of which room."""

    who: Principal
    room: str
    options: EditOptions = NO_OPTIONS


@dataclass(frozen=True, slots=True)
class EditedFrames:
    length: int
    version: int


class FrameEditor:
    def __init__(
        self, indexes: FrameIndexes, pieces: Pieces, steps: DataSteps, limits: DataLimits, max_frames: int
    ) -> None:
        self._indexes = indexes
        self._pieces = pieces
        self._steps = steps
        self._limits = limits
        self._max_frames = max_frames
        self._turns = RoomTurns()

    async def edit(self, request: FramesRequest, edit: FrameEdit) -> EditedFrames:
        """One edit of a room at a time: those of other servers alone make it compute an index again."""
        async with self._turns.turn(request.room):
            for _ in range(_TRIES):
                done = await self._try(request, edit)
                if done is not None:
                    return done
        raise VersionConflict("the frames change all the time: try again")

    async def _try(self, request: FramesRequest, edit: FrameEdit) -> EditedFrames | None:
        frames = await self._indexes.current(request.room)
        try:
            applied = await self._apply(request.room, frames, edit)
        except WorkroomError:
            repeated = await self._repeated(request, edit)
            if repeated is None:
                raise
            return repeated
        written = await self._steps.edit_frames(
            self._new(request, edit, frames.version, applied, _summary(edit, applied, frames)),
            lambda written: _event(request, edit, applied, written),
        )
        if written is None:
            self._indexes.changed(request.room)
            return None
        if not written.is_new:
            return await self._answer(request.room, written)
        return EditedFrames(applied.spliced.index.length, written.version)

    async def _apply(self, room: str, frames: IndexedFrames, edit: FrameEdit) -> Applied:
        found = await self._pieces.find(room, edit.pieces)
        runs = {name: Run(name, 0, each.piece.count, 1, each.frame_bytes) for name, each in found.items()}
        return await self._indexes.run(room, apply(frames.index, edit, runs))

    async def _repeated(self, request: FramesRequest, edit: FrameEdit) -> EditedFrames | None:
        """What a request that was sent again did the first time: now it may not be possible any more."""
        if not request.options.request:
            return None
        nothing = Applied(Spliced(EMPTY, ()), 0, 0)
        new = self._new(request, FrameEdit(edit.operation), _NO_VERSION, nothing, "")
        written = await self._steps.edit_frames(new, lambda written: _event(request, edit, nothing, written))
        return None if written is None else await self._answer(request.room, written)

    async def _answer(self, room: str, written: Written) -> EditedFrames:
        try:
            frames = await self._indexes.tagged(room, written.version)
        except VersionNotFound:
            frames = await self._indexes.current(room)
        return EditedFrames(frames.index.length, written.version)

    def _new(
        self, request: FramesRequest, edit: FrameEdit, base: int, applied: Applied, summary: str
    ) -> FramesEdit:
        options = request.options
        writer = writer_of(request.who, options.lock_token)
        return FramesEdit(
            request.room,
            base,
            encode_index(applied.spliced.index),
            applied.spliced.segments,
            edit.pieces,
            applied.spliced.index.length,
            writer,
            options.expected,
            options.request,
            options.summary or summary,
            options.group,
            options.keeps_on_failure,
            self._max_frames,
            self._limits,
        )


class RoomTurns:
    """One turn per room at a time. Those who wait are limited, in number and in time."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._users: dict[str, int] = {}

    @asynccontextmanager
    async def turn(self, room: str) -> AsyncIterator[None]:
        users = self._users.get(room, 0)
        if users > _MAX_WAITING:
            raise _too_many()
        self._users[room] = users + 1
        lock = self._locks.setdefault(room, asyncio.Lock())
        try:
            await self._acquire(lock)
            try:
                yield
            finally:
                lock.release()
        finally:
            self._users[room] -= 1
            if not self._users[room]:
                del self._users[room], self._locks[room]

    async def _acquire(self, lock: asyncio.Lock) -> None:
        try:
            async with asyncio.timeout(_MAX_WAIT_SECONDS):
                await lock.acquire()
        except TimeoutError:
            raise _too_many() from None


def _too_many() -> TooManyRequests:
    return TooManyRequests("too many edits of this room at the same time", retry_after_ms=1000)


def _event(request: FramesRequest, edit: FrameEdit, applied: Applied, written: Written) -> FramesChanged:
    return FramesChanged(
        request.room,
        written.version,
        applied.spliced.index.length,
        request.who.user,
        None if request.who.job is None else request.who.job.job_id,
        edit.operation,
        applied.start,
        applied.stop,
    )


def _summary(edit: FrameEdit, applied: Applied, frames: IndexedFrames) -> str:
    more = applied.spliced.index.length - frames.index.length
    change = f", {more:+,}" if more else ""
    return f"{edit.operation} frames{change}"
