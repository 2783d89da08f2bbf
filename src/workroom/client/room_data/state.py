"""The documents of a room, for asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from workroom.client.requests import Request
from workroom.client.room_data import data_requests as requests
from workroom.client.room_data.held_locks import HeldLocks
from workroom.client.room_data.writer import JobWriter
from workroom.errors import DocumentNotFound, VersionConflict

_TRIES = 20


@dataclass(slots=True)
class Draft:
    """A document that is being edited: change `value`."""

    value: Any


class AsyncState:
    """The documents of a room by key: any JSON values."""

    def __init__(
        self,
        room: str,
        send: Callable[[Request], Awaitable[Any]],
        locks: HeldLocks,
        writer: JobWriter | None = None,
    ) -> None:
        self._room = room
        self._send = send
        self._locks = locks
        self._summary = "" if writer is None else writer.name  # the version of a job is named after it

    async def keys(self) -> list[str]:
        return [each["key"] for each in await self.list()]

    async def list(self) -> list[dict[str, Any]]:
        """The documents without their contents: key, version, size, who changed it and when."""
        return list((await self._send(requests.documents(self._room)))["items"])

    async def read(self, key: str, *, version: int | None = None) -> Any:
        """The value of a document, now or in a version of the room. Raises DocumentNotFound."""
        value, _ = await self._send(requests.document(self._room, key, version))
        return value

    async def get(self, key: str, default: Any = None) -> Any:
        try:
            return await self.read(key)
        except DocumentNotFound:
            return default

    async def read_versioned(self, key: str, default: Any = None) -> tuple[Any, int]:
        """The value and its version; the default and 0 if there is no such document."""
        try:
            value, etag = await self._send(requests.document(self._room, key))
        except DocumentNotFound:
            return default, 0
        return value, int(etag.strip('"'))

    async def set(self, key: str, value: Any, *, version: int | None = None, summary: str = "") -> int:
        """Write a document and return its new version.

        With `version`, it is written only if it still has that version, or with 0 only if there is none:
        raises VersionConflict otherwise.
        """
        request = requests.put_document(
            self._room, key, value, self._locks.header(key), summary or self._summary, version
        )
        return int((await self._send(request))["version"])

    async def patch(self, key: str, patch: Any, *, summary: str = "") -> int:
        """Apply a JSON merge patch (RFC 7396) and return the new version."""
        request = requests.patch_document(
            self._room, key, patch, self._locks.header(key), summary or self._summary
        )
        return int((await self._send(request))["version"])

    async def delete(self, key: str, *, summary: str = "") -> None:
        headers = self._locks.header(key)
        await self._send(requests.delete_document(self._room, key, headers, summary or self._summary))

    async def modify(self, key: str, change: Callable[[Any], Any], default: Any = None) -> Any:
        """Replace the value by `change(value)`, again if somebody else was faster. Return the new value."""
        for tries_left in reversed(range(_TRIES)):
            value, version = await self.read_versioned(key, default)
            value = change(value)
            try:
                await self.set(key, value, version=version)
            except VersionConflict:
                if not tries_left:
                    raise
            else:
                break
        return value

    @asynccontextmanager
    async def edit(self, key: str, default: Any = None) -> AsyncIterator[Draft]:
        """Edit a document: raises VersionConflict if somebody else changed it meanwhile."""
        value, version = await self.read_versioned(key, default)
        draft = Draft(value)
        yield draft
        await self.set(key, draft.value, version=version)


class AsyncValue:
    """One document."""

    def __init__(self, state: AsyncState, key: str, default: Any) -> None:
        self._state = state
        self._key = key
        self._default = default

    async def get(self) -> Any:
        return await self._state.get(self._key, self._default)

    async def set(self, value: Any) -> None:
        await self._state.set(self._key, value)


class AsyncItems:
    """One document that is an object: each item can be changed without losing what others change."""

    def __init__(self, state: AsyncState, key: str, name_of: Callable[[str], Any] = str) -> None:
        self._state = state
        self._key = key
        self._name_of = name_of

    async def all(self) -> dict[Any, Any]:
        found = await self._state.get(self._key, {})
        return {self._name_of(name): value for name, value in found.items()}

    async def get(self, name: Any, default: Any = None) -> Any:
        return (await self.all()).get(name, default)

    async def set(self, name: Any, value: Any) -> None:
        await self._state.modify(self._key, lambda items: {**(items or {}), str(name): value})

    async def delete(self, name: Any) -> None:
        """Raises KeyError if there is no such item."""

        def without(items: Any) -> Any:
            if not items or str(name) not in items:
                raise KeyError(name)
            return {each: value for each, value in items.items() if each != str(name)}

        await self._state.modify(self._key, without)

    async def replace(self, items: dict[Any, Any]) -> None:
        """Write all items at once."""
        await self._state.set(self._key, {str(name): value for name, value in items.items()})


class AsyncFamily:
    """A document for each item, `figures.NAME`: for items that may be large."""

    def __init__(self, state: AsyncState, prefix: str) -> None:
        self._state = state
        self._prefix = f"{prefix}."

    async def all(self) -> dict[Any, Any]:
        return {name: await self._state.get(self._prefix + name) for name in await self.keys()}

    async def keys(self) -> list[str]:
        found = await self._state.keys()
        return [key.removeprefix(self._prefix) for key in found if key.startswith(self._prefix)]

    async def get(self, name: Any, default: Any = None) -> Any:
        return await self._state.get(f"{self._prefix}{name}", default)

    async def set(self, name: Any, value: Any) -> None:
        await self._state.set(f"{self._prefix}{name}", value)

    async def delete(self, name: Any) -> None:
        """Raises KeyError if there is no such item."""
        try:
            await self._state.delete(f"{self._prefix}{name}")
        except DocumentNotFound as error:
            raise KeyError(name) from error
