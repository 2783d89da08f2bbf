"""Many worker sessions in one process, each with its own socket: `python -m … URL COUNT`."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import AsyncExitStack

from support.chaos.work import Plain
from workroom import AsyncRoom


async def main(url: str, count: str) -> None:
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    async with AsyncExitStack() as stack:
        for number in range(int(count)):
            room = await stack.enter_async_context(AsyncRoom("demo", url, user="racer"))
            await room.register(Plain, worker_name=f"racer-{number}")
        print("Serving", flush=True)
        await ended.wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
