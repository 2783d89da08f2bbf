"""Locks, documents and versions: the verbs of room data, each one script."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from workroom.domain.job import Fence
from workroom.domain.queries import (
    FindContents,
    FindDocument,
    FindDocuments,
    FindExpiredLocks,
    FindJobEdits,
    FindLocks,
    FindVersions,
    Page,
)
from workroom.domain.room_data.documents import FRAMES, Document, DocumentInfo, Edit, Written
from workroom.domain.room_data.frames import FramesEdit
from workroom.domain.room_data.locks import Acquired, Lock, LockRequest
from workroom.domain.room_data.versions import (
    Change,
    EditsEnd,
    EndedEdits,
    JobEdits,
    Revert,
    Version,
    VersionKind,
    group_of,
    job_group,
)
from workroom.domain.rules.room_data.locks import is_live
from workroom.domain.rules.room_data.versions import VersionState
from workroom.stores.redis.connection import Command
from workroom.stores.redis.keys import SEPARATOR, scheduling
from workroom.stores.redis.messages.codec import maybe_int, maybe_text, to_text, unpack
from workroom.stores.redis.messages.layouts import DocumentRecord, LockRecord, VersionRecord
from workroom.stores.redis.messages.reports import fence_row
from workroom.stores.redis.reader import Reader

T = TypeVar("T")


class RoomDataVerbs:
    def _step(
        self, script: str, decode: Callable[[Any], T], *, before: Sequence[Command] = (), **arguments: object
    ) -> asyncio.Future[T]:
        raise NotImplementedError

    def acquire_lock(self, request: LockRequest) -> Awaitable[Acquired]:
        def acquired(row: Sequence[Any]) -> Acquired:
            is_granted, is_new, lock, ahead = row
            return Acquired(is_granted, is_new, _lock(request.room, lock) if lock else None, ahead)

        return self._step(
            "acquire_lock",
            acquired,
            room=request.room,
            target=request.target,
            digest=request.digest,
            user=request.user,
            fence=fence_argument(request.job),
            message=request.message,
            ttl=request.ttl_us,
            waits=request.waits,
            limits=asdict(request.limits),
        )

    def refresh_lock(
        self, room: str, target: str, digest: str, ttl_us: int | None, message: str | None
    ) -> Awaitable[Lock]:
        return self._step(
            "refresh_lock",
            lambda row: _lock(room, row),
            room=room,
            target=target,
            digest=digest,
            ttl=ttl_us or False,
            message=False if message is None else message,
        )

    def release_lock(self, room: str, target: str, digest: str) -> Awaitable[bool]:
        return self._step("release_lock", bool, room=room, target=target, digest=digest)

    def break_lock(self, room: str, target: str) -> Awaitable[Lock | None]:
        return self._step(
            "break_lock", lambda row: _lock(room, row) if row else None, room=room, target=target
        )

    def expire_locks(self, expired: Sequence[tuple[str, str]]) -> Awaitable[list[tuple[str, str]]]:
        return self._step(
            "expire_locks",
            lambda rows: [(room, target) for room, target in rows],
            locks=[list(each) for each in expired],
        )

    def edit_document(self, edit: Edit) -> Awaitable[Written]:
        return self._step(
            "edit_document",
            lambda row: Written(*row),
            room=edit.room,
            key=edit.key,
            content=False if edit.content is None else edit.content,
            **edit_arguments(edit),
        )

    def revert(self, revert: Revert) -> Awaitable[Version]:
        return self._step(
            "revert",
            lambda row: _version(revert.room, VersionRecord(*row)),
            room=revert.room,
            kind=str(revert.kind),
            user=revert.writer.user,
            digests=list(revert.digests),
            target=revert.target or False,
            fence=fence_argument(revert.writer.job),
            request=revert.request,
            to=revert.to or 0,
            limits=asdict(revert.limits),
        )

    def end_job_edits(self, end: EditsEnd) -> Awaitable[EndedEdits | None]:
        edits = end.edits

        def ended(row: Sequence[Any] | None) -> EndedEdits | None:
            if not row:
                return None
            undone, kept, is_trimmed, freed = row
            version = _version(edits.room, VersionRecord(*undone)) if undone else None
            return EndedEdits(edits, version, tuple(kept), is_trimmed, tuple(freed))

        return self._step(
            "end_job_edits",
            ended,
            room=edits.room,
            job=edits.job_id,
            attempt=edits.attempt,
            group=job_group(edits.job_id, edits.attempt),
            summary=end.summary,
            completed=end.has_completed,
            limits=asdict(end.limits),
        )


def edit_arguments(edit: Edit | FramesEdit) -> dict[str, Any]:
    """What the edits of documents and frames have in common."""
    writer = edit.writer
    return {
        "user": writer.user,
        "digest": writer.digest or False,
        "fence": fence_argument(writer.job),
        "expected": False if edit.expected is None else edit.expected,
        "request": edit.request,
        "summary": edit.summary,
        "group": group_of(writer, edit.group, keeps_on_failure=edit.keeps_on_failure),
        "keeps": edit.keeps_on_failure,
        "limits": asdict(edit.limits),
    }


async def find_locks(reader: Reader, query: FindLocks) -> list[Lock]:
    values = await reader.execute("HGETALL", scheduling("locks", query.room))
    records = [LockRecord(*unpack(packed)) for packed in values.values()]
    held = [each for each in records if is_live(each.expires_us, each.ttl_us, query.now_us)]
    return [_lock(query.room, each) for each in sorted(held)]


async def find_expired_locks(reader: Reader, query: FindExpiredLocks) -> list[tuple[str, str]]:
    found = await reader.execute(
        "ZRANGEBYSCORE", scheduling("locks_due"), "-inf", query.now_us, "LIMIT", 0, query.limit
    )
    names = [to_text(each).split(SEPARATOR) for each in found]
    return [(room, target) for room, target in names]


async def find_document(reader: Reader, query: FindDocument) -> Document | None:
    """Read the content again if the document changed between the two reads."""
    while True:
        packed = await reader.execute("HGET", scheduling("documents", query.room), query.key)
        if packed is None:
            return None
        record = DocumentRecord(*unpack(packed))
        (content,) = await find_contents(reader, FindContents(query.room, ((query.key, record.content),)))
        if content is not None:
            return Document(_info(query.room, record), content)


async def find_documents(reader: Reader, query: FindDocuments) -> list[DocumentInfo]:
    values = await reader.execute("HGETALL", scheduling("documents", query.room))
    records = [DocumentRecord(*unpack(packed)) for packed in values.values()]
    return [_info(query.room, each) for each in sorted(records) if each.key != FRAMES]


async def find_versions(reader: Reader, query: FindVersions) -> Page[Version]:
    before = "+inf" if query.before is None else f"({query.before}"
    numbers = await reader.execute(
        "ZREVRANGEBYSCORE",
        scheduling("history", query.room),
        before,
        "-inf",
        "LIMIT",
        0,
        query.limit + 1,
    )
    if not numbers:
        return Page([], None)
    found = await reader.execute("HMGET", scheduling("versions", query.room), *numbers)
    kept = [VersionRecord(*unpack(packed)) for packed in found if packed is not None]
    versions = [_version(query.room, record) for record in kept[: query.limit]]
    return Page(versions, versions[-1].number if len(numbers) > query.limit and versions else None)


async def find_contents(reader: Reader, query: FindContents) -> list[bytes | None]:
    if not query.names:
        return []
    names = [f"{key}{SEPARATOR}{number}" for key, number in query.names]
    return list(await reader.execute("HMGET", scheduling("contents", query.room), *names))


async def find_job_edits(reader: Reader, query: FindJobEdits) -> list[JobEdits]:
    rows = await reader.run_script("find_job_edits", {"limit": query.limit})
    return [JobEdits(*row) for row in rows]


def fence_argument(fence: Fence | None) -> object:
    return False if fence is None else fence_row(fence)


def _lock(room: str, values: Sequence[Any]) -> Lock:
    record = LockRecord(*values)
    return Lock(
        room,
        record.target,
        record.user,
        maybe_text(record.job),
        record.message,
        record.fence,
        record.acquired_us,
        record.expires_us,
    )


def _info(room: str, record: DocumentRecord) -> DocumentInfo:
    return DocumentInfo(
        room,
        record.key,
        record.version,
        record.size,
        record.user,
        maybe_text(record.job),
        record.changed_us,
    )


def _version(room: str, record: VersionRecord) -> Version:
    return Version(
        room,
        record.number,
        VersionKind(record.kind),
        maybe_int(record.of),
        record.user,
        maybe_text(record.job),
        record.at_us,
        record.summary,
        record.state in (VersionState.UNDONE, VersionState.DROPPED),
        tuple(
            Change(key, maybe_int(before), maybe_int(after)) for key, before, after in sorted(record.changes)
        ),
    )
