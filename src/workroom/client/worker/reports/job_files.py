"""Uploads and downloads the files of a running job, with that job's token."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from workroom.client import requests
from workroom.client.loop_thread import LoopThread
from workroom.client.transport.connection import Connection
from workroom.client.worker.reports.job_connection import Sender
from workroom.errors import StaleAttempt, WorkroomError
from workroom.runtime.content import Content, open_content
from workroom.runtime.job_files import POSITIONS_SECONDS

log = logging.getLogger(__name__)

T = TypeVar("T")
Preview = tuple[str, bytes]  # kind and content
Positions = tuple[int, bytes]  # frame and positions
_PREVIEW_SECONDS = 0.5
_POSITIONS_RATE = 2_000_000  # bytes a second: positions of many atoms are sent less often
_FLUSH_SECONDS = 30.0


class JobUploader:
    def __init__(self, sender: Sender, loop_thread: LoopThread, job_id: str, room: str) -> None:
        self._sender = sender
        self._loop_thread = loop_thread
        self._job_id = job_id
        self._room = room
        self._previews = LatestSender("a preview", self._send_preview, lambda _: _PREVIEW_SECONDS)
        self._positions = LatestSender("positions", self._send_positions, _positions_pause)

    def save(self, name: str, content: Content, media_type: str | None) -> dict[str, Any]:
        request = requests.save_artifact(self._job_id, name)
        return self._loop_thread.call(self._sender.upload(request, content, media_type))

    def show(self, kind: str, body: bytes) -> None:
        self._loop_thread.submit(self._previews.put((kind, body)))

    def preview(self, frame: int, positions: bytes) -> None:
        self._loop_thread.submit(self._positions.put((frame, positions)))

    def fetch(self, file_id: str, folder: Path) -> Path:
        request = requests.room_file(self._room, file_id)
        return self._loop_thread.call(self._sender.download(request, folder))

    def close(self) -> None:
        self._loop_thread.call(self._close())

    async def _close(self) -> None:
        self._positions.drop()
        await self._positions.flush()
        await self._previews.flush()

    async def _send_preview(self, preview: Preview) -> None:
        kind, body = preview
        with open_content(body) as content:
            await self._sender.upload(requests.show_preview(self._job_id, kind), content, None)

    async def _send_positions(self, shown: Positions) -> None:
        await self._sender.send(requests.show_positions(self._job_id, *shown))


def _positions_pause(shown: Positions) -> float:
    return max(POSITIONS_SECONDS, len(shown[1]) / _POSITIONS_RATE)


class LatestSender(Generic[T]):
    """Sends the latest of what it is given, with a pause after each. A failure does not fail the job."""

    def __init__(
        self, what: str, send: Callable[[T], Awaitable[None]], pause_seconds: Callable[[T], float]
    ) -> None:
        self._what = what
        self._send = send
        self._pause_seconds = pause_seconds
        self._latest: T | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_flushing = asyncio.Event()

    async def put(self, item: T) -> None:
        self._latest = item
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def drop(self) -> None:
        """Do not send what is still to be sent."""
        self._latest = None

    async def flush(self) -> None:
        self._is_flushing.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=_FLUSH_SECONDS)

    async def _run(self) -> None:
        while self._latest is not None:
            item, self._latest = self._latest, None
            try:
                await self._send(item)
            except StaleAttempt:
                break
            except WorkroomError as error:
                log.warning("cannot send %s: %s", self._what, error.detail)
            except Exception:  # must not keep later ones from being sent
                log.exception("cannot send %s", self._what)
            try:
                async with asyncio.timeout(self._pause_seconds(item)):
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
