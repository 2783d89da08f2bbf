"""Uploads and downloads the files of a running job, with that job's token."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from workroom.client import requests
from workroom.client.loop_thread import LoopThread
from workroom.client.transport.connection import Connection
from workroom.client.worker.reports.job_connection import Sender
from workroom.errors import StaleAttempt, WorkroomError
from workroom.runtime.content import Content, open_content

log = logging.getLogger(__name__)

_PREVIEW_SECONDS = 0.5
_FLUSH_SECONDS = 30.0


class JobUploader:
    def __init__(self, sender: Sender, loop_thread: LoopThread, job_id: str, room: str) -> None:
        self._sender = sender
        self._loop_thread = loop_thread
        self._job_id = job_id
        self._room = room
        self._previews = PreviewSender(self._send_preview)

    def save(self, name: str, content: Content, media_type: str | None) -> dict[str, Any]:
        request = requests.save_artifact(self._job_id, name)
        return self._loop_thread.call(self._sender.upload(request, content, media_type))

    def show(self, kind: str, body: bytes) -> None:
        self._loop_thread.submit(self._previews.put(kind, body))

    def fetch(self, file_id: str, folder: Path) -> Path:
        request = requests.room_file(self._room, file_id)
        return self._loop_thread.call(self._sender.download(request, folder))

    def close(self) -> None:
        self._loop_thread.call(self._previews.flush())

    async def _send_preview(self, kind: str, body: bytes) -> None:
        with open_content(body) as content:
            await self._sender.upload(requests.show_preview(self._job_id, kind), content, None)


class PreviewSender:
    """Sends at most two previews a second, and always the last. A failed preview does not fail the job."""

    def __init__(self, send: Callable[[str, bytes], Awaitable[None]]) -> None:
        self._send = send
        self._latest: tuple[str, bytes] | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_flushing = asyncio.Event()

    async def put(self, kind: str, body: bytes) -> None:
        self._latest = (kind, body)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def flush(self) -> None:
        self._is_flushing.set()
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
                log.warning("cannot send a preview: %s", error.detail)
            except Exception:  # must not keep later previews from being sent
                log.exception("cannot send a preview")
            try:
                async with asyncio.timeout(_PREVIEW_SECONDS):
                    await self._is_flushing.wait()
            except TimeoutError:
                continue
        self._task = None


def open_uploader(job_id: str, room: str) -> JobUploader:
    """An uploader with its own connection; the environment has the address and the token."""
    loop_thread = LoopThread.open("workroom-files")

    async def connect() -> JobUploader:
        return JobUploader(Connection(None, user=None, password=None, token=None), loop_thread, job_id, room)

    return loop_thread.call(connect())
