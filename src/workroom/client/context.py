"""What the rooms of one process share: the connection, the subscriptions and the worker."""

from __future__ import annotations

import asyncio
import copy
from typing import TYPE_CHECKING

from workroom.client.job_updates import JobUpdates
from workroom.client.loop_thread import LoopThread
from workroom.client.room_data.writer import JobWriter
from workroom.client.transport.connection import Connection
from workroom.client.worker.reports.job_connection import JobConnection, JobWatcher, Sender, Watcher
from workroom.client.worker.worker import Worker

if TYPE_CHECKING:
    from workroom.client.room import AsyncRoom
    from workroom.client.sync_room import Room


class ClientContext:
    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.sender: Sender = connection
        self.updates = JobUpdates(connection)
        self.watcher: Watcher = self.updates
        self.worker: Worker | None = None
        self.writer: JobWriter | None = None
        self._loop_thread = LoopThread(asyncio.get_running_loop())

    def serve(self, slots: int | None, name: str | None) -> Worker:
        """The worker of this process, created on first use. All its extensions share its slots and name."""
        if self.worker is None:
            count = 1 if slots is None else slots
            self.worker = Worker(self.connection, self.room_for, slots=count, name=name)
        if slots not in (None, self.worker.slot_count):
            raise ValueError(
                f"this worker already has slots={self.worker.slot_count}: pass slots={slots} with the first "
                "extension, or use another Room"
            )
        if name not in (None, self.worker.name):
            raise ValueError(f"this worker is already named '{self.worker.name}', not '{name}'")
        return self.worker

    def room_for(self, name: str, token: str, writer: JobWriter, is_async: bool) -> AsyncRoom | Room:
        """The `room` argument of `run()`: it uses the worker's connection and the token of the job."""
        from workroom.client.room import AsyncRoom  # noqa: PLC0415 - rooms import this module
        from workroom.client.sync_room import Room  # noqa: PLC0415

        context = copy.copy(self)
        context.writer = writer
        context.sender = JobConnection(self.connection, token, writer.headers)
        context.watcher = JobWatcher(self.updates, token)
        room = AsyncRoom(name, context=context)
        return room if is_async else Room.over(self._loop_thread, room)


def open_context() -> ClientContext:
    """A context with its own connection; the environment has the address and the token."""

    async def connect() -> ClientContext:
        return ClientContext(Connection(None, user=None, password=None, token=None))

    return LoopThread.open().call(connect())
