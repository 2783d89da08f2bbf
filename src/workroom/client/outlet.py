"""The way out for the files of a running job, with the rights of that job alone."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

from workroom.client import requests
from workroom.client.acting import Sender
from workroom.client.connection import Connection
from workroom.client.portal import Portal
from workroom.errors import StaleAttempt, WorkroomError
from workroom.runtime.content import Content, opened

log = logging.getLogger(__name__)

_PREVIEW_SECONDS = 0.5
_FLUSH_SECONDS = 30.0


class JobOutlet:
    def __init__(self, sender: Sender, portal: Portal, job_id: str, room: str) -> None:
        self._sender = sender
        self._portal = portal
        self._job_id = job_id
        self._room = room
        self._previews = Previews(self._send_preview)

    def save(self, name: str, content: Content, media_type: str | None) -> dict[str, Any]:
        request = requests.save_artifact(self._job_id, name)
        return self._portal.call(self._sender.upload(request, content, media_type))

    def show(self, kind: str, body: bytes) -> None:
        self._portal.submit(self._previews.put(kind, body))

    def fetch(self, file_id: str, folder: Path) -> Path:
        request = requests.room_file(self._room, file_id)
        return self._portal.call(self._sender.download(request, folder))

    def close(self) -> None:
        self._portal.call(self._previews.flush())

    async def _send_preview(self, kind: str, body: bytes) -> None:
        with opened(body) as content:
            await self._sender.upload(requests.show_preview(self._job_id, kind), content, None)


class Previews:
    """At most two a second, the last always. A preview that cannot be shown is no reason to fail a job."""

    def __init__(self, send: Any) -> None:
        self._send = send
        self._latest: tuple[str, bytes] | None = None
        self._task: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()

    async def put(self, kind: str, body: bytes) -> None:
        self._latest = (kind, body)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def flush(self) -> None:
        self._hurry.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=_FLUSH_SECONDS)

    async def _run(self) -> None:
        while self._latest is not None:
            (kind, body), self._latest = self._latest, None
            try:
                await self._send(kind, body)
            except StaleAttempt:
                break
            except WorkroomError as error:
                log.warning("a preview could not be shown: %s", error.detail)
            try:
                async with asyncio.timeout(_PREVIEW_SECONDS):
                    await self._hurry.wait()
            except TimeoutError:
                continue
        self._task = None


def open_outlet(job_id: str, room: str) -> JobOutlet:
    """Over a connection of this process's own; the environment says where to and with which token."""
    portal = Portal.open("workroom-files")

    async def connect() -> JobOutlet:
        return JobOutlet(Connection(None, user=None, password=None, token=None), portal, job_id, room)

    return portal.call(connect())
