"""A worker process whose id is given: `python -m chaos.twin URL WORKER_ID`."""

from __future__ import annotations

import asyncio
import sys

from chaos.work import Plain, Stubborn
from workroom import AsyncRoom
from workroom.client.connection import Connection
from workroom.client.room import Link


async def main(url: str, worker_id: str) -> None:
    connection = Connection(url, user="twin", password=None, token=None)
    link = Link(connection)
    worker = link.serve(slots=1, name="twin")
    worker.id = worker_id
    room = AsyncRoom("demo", link=link)
    try:
        await room.register(Plain, Stubborn)
        print("Serving", flush=True)
        await room.wait()
    finally:
        await worker.aclose()
        await connection.aclose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
