"""A worker process with a given id: `python -m support.chaos.twin URL WORKER_ID`."""

from __future__ import annotations

import asyncio
import sys

from support.chaos.work import Plain, Stubborn
from workroom import AsyncRoom
from workroom.client.context import ClientContext
from workroom.client.transport.connection import Connection
from workroom.client.worker.worker import Worker
from workroom.errors import StaleSession


async def main(url: str, worker_id: str) -> None:
    connection = Connection(url, user="twin", password=None, token=None)
    context = ClientContext(connection)
    worker = Worker(connection, context.room_for, slots=1, name="twin", worker_id=worker_id)
    context.worker = worker
    room = AsyncRoom("demo", context=context)
    try:
        await room.register(Plain, Stubborn)
        print("Serving", flush=True)
        await room.wait()
    except StaleSession as error:
        sys.exit(f"StaleSession: {error}")
    finally:
        await worker.aclose()
        await connection.aclose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
