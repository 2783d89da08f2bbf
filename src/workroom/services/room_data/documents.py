"""Documents: read, replaced, patched and deleted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import orjson

from workroom.domain.identity import Principal
from workroom.domain.queries import FindDocument, FindDocuments
from workroom.domain.room_data.documents import (
    DataLimits,
    Document,
    DocumentInfo,
    Edit,
    Written,
    document_key,
    merge_patch,
)
from workroom.domain.room_data.locks import Writer, digest_of
from workroom.domain.rules.refusals import document_not_found
from workroom.domain.rules.room_data.documents import NO_DOCUMENT
from workroom.errors import BodyTooLarge, VersionConflict
from workroom.ports import ReadableStore
from workroom.services.json_codec import encoded
from workroom.services.room_data.data_steps import DataSteps

_TRIES = 20


@dataclass(frozen=True, slots=True)
class EditOptions:
    """The options of any edit of room data. `expected` is a condition on the version, as the rule takes it.

    `request` is the idempotency key, `lock_token` that of a lock. `group` and `keeps_on_failure` are those of
    `versions.group_of`.
    """

    expected: int | None = None
    lock_token: str | None = None
    request: str = ""
    summary: str = ""
    group: str = ""
    keeps_on_failure: bool = False


NO_OPTIONS = EditOptions()


@dataclass(frozen=True, slots=True)
class EditRequest:
    """Who edits which document."""

    who: Principal
    room: str
    key: str
    options: EditOptions = NO_OPTIONS


def writer_of(who: Principal, lock_token: str | None) -> Writer:
    digest = None if lock_token is None else digest_of(who.user, lock_token)
    return Writer(who.user, digest, who.job)


class Documents:
    def __init__(self, store: ReadableStore, steps: DataSteps, limits: DataLimits, max_bytes: int) -> None:
        self._store = store
        self._steps = steps
        self._limits = limits
        self._max_bytes = max_bytes

    async def read(self, room: str, key: str) -> Document:
        document = await self._store.read(FindDocument(room, document_key(key)))
        if document is None:
            raise document_not_found(key)
        return document

    async def of_room(self, room: str) -> list[DocumentInfo]:
        return await self._store.read(FindDocuments(room))

    async def put(self, request: EditRequest, value: Any) -> DocumentInfo:
        content = self._encoded(value)
        edit = self._edit(request, content, f"set {request.key}")
        return _info(edit, await self._steps.edit(edit), len(content))

    async def patch(self, request: EditRequest, patch: Any) -> DocumentInfo:
        """Apply a merge patch to the current value. If somebody else was faster, apply it to theirs."""
        for _ in range(_TRIES):
            try:
                return await self._patch_once(request, patch)
            except VersionConflict:
                if request.options.expected is not None:
                    raise
        raise VersionConflict("the document changes all the time: try again", key=request.key)

    async def _patch_once(self, request: EditRequest, patch: Any) -> DocumentInfo:
        found = await self._store.read(FindDocument(request.room, document_key(request.key)))
        version = NO_DOCUMENT if found is None else found.info.version
        before = None if found is None else orjson.loads(found.content)
        content = self._encoded(merge_patch(before, patch))
        expected = request.options.expected
        edit = replace(
            self._edit(request, content, f"change {request.key}"),
            expected=version if expected is None else expected,
        )
        return _info(edit, await self._steps.edit(edit), len(content))

    async def delete(self, request: EditRequest) -> Written:
        return await self._steps.edit(self._edit(request, None, f"delete {request.key}"))

    def _edit(self, request: EditRequest, content: bytes | None, summary: str) -> Edit:
        options = request.options
        return Edit(
            request.room,
            document_key(request.key),
            content,
            writer_of(request.who, options.lock_token),
            options.expected,
            options.request,
            options.summary or summary,
            self._limits,
            options.group,
            options.keeps_on_failure,
        )

    def _encoded(self, value: Any) -> bytes:
        content = encoded(value, "the document")
        if len(content) > self._max_bytes:
            raise BodyTooLarge(
                f"a document may have {self._max_bytes:,} bytes; this one has {len(content):,}",
                max_bytes=self._max_bytes,
            )
        return content


def _info(edit: Edit, written: Written, size: int) -> DocumentInfo:
    writer = edit.writer
    return DocumentInfo(edit.room, edit.key, written.version, size, writer.user, writer.job_id, written.at_us)
