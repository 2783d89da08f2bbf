"""Records of a room: small JSON objects, found by the fields under which they are indexed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from workroom.client.loop_thread import LoopThread
from workroom.client.requests import Request
from workroom.client.room_data import data_requests as requests
from workroom.errors import RecordNotFound

Document = dict[str, Any]
FieldValue = str | int | float
_PAGE = 100


class AsyncRecords:
    """The records of one kind: `await room.records("shots").put("s1", {"prompt": "…"}, state="done")`."""

    def __init__(self, room: str, kind: str, send: Callable[[Request], Awaitable[Any]]) -> None:
        self._names = (room, kind)
        self._send = send

    async def put(self, id: str, body: Document, **fields: FieldValue) -> Document:
        """Create or replace a record, indexed by these fields."""
        return dict(await self._send(requests.put_record(*self._names, id, body, fields)))

    async def get(self, id: str) -> Document | None:
        try:
            return dict(await self._send(requests.record(*self._names, id)))
        except RecordNotFound:
            return None

    async def delete(self, id: str) -> None:
        await self._send(requests.delete_record(*self._names, id))

    async def page(
        self, where: dict[str, FieldValue], cursor: int | None = None
    ) -> tuple[list[Document], int | None]:
        """Some of the records that have these fields, the latest created first, and where the next begin."""
        page = await self._send(requests.records(*self._names, where, _PAGE, cursor))
        return list(page["items"]), page["next_cursor"]

    async def find(self, **where: FieldValue) -> AsyncIterator[Document]:
        """The records that have all of these fields, the latest created first."""
        cursor: int | None = None
        while True:
            items, cursor = await self.page(where, cursor)
            for item in items:
                yield item
            if cursor is None:
                return


class Records:
    """The records of one kind: `room.records("shots").put("s1", {"prompt": "…"}, state="done")`."""

    def __init__(self, loop_thread: LoopThread, records: AsyncRecords) -> None:
        self._loop_thread = loop_thread
        self._records = records

    def put(self, id: str, body: Document, **fields: FieldValue) -> Document:
        """Create or replace a record, indexed by these fields."""
        return self._loop_thread.call(self._records.put(id, body, **fields))

    def get(self, id: str) -> Document | None:
        return self._loop_thread.call(self._records.get(id))

    def delete(self, id: str) -> None:
        self._loop_thread.call(self._records.delete(id))

    def find(self, **where: FieldValue) -> Iterator[Document]:
        """The records that have all of these fields, the latest created first."""
        cursor: int | None = None
        while True:
            items, cursor = self._loop_thread.call(self._records.page(where, cursor))
            yield from items
            if cursor is None:
                return
