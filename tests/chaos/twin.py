"""A worker process whose id is given: `python -m chaos.twin URL WORKER_ID`."""

from __future__ import annotations

import asyncio
import sys

from chaos.work import Plain, Stubborn
from workroom import AsyncRoom


async def main(url: str, worker_id: str) -> None:
    async with AsyncRoom("demo", url, user="twin") as room:
        room._link.serve(1, "twin").id = worker_id
        await room.register(Plain, Stubborn)
        print("Serving", flush=True)  # noqa: T201
        await room.wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
