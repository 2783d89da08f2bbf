"""A worker of the SDK that records what it is assigned: `python -m support.chaos.honest URL`."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from support.chaos.losses import ASSIGNED, WORKER
from support.chaos.work import journal
from support.extensions.pace import Pace
from workroom.client.context import ClientContext
from workroom.client.transport.connection import Connection


def _record(item: dict[str, Any]) -> None:
    journal().write(ASSIGNED, job=item["job_id"], expected_ms=item.get("expected_ms"))


async def main(urls: str) -> None:
    connection = Connection(urls, user=None, password=None, token=None)
    connection.on("job:assigned", _record)  # before the worker's own listener
    worker = ClientContext(connection).serve(slots=1, name="honest")
    journal().write(WORKER, worker=worker.id)
    await worker.offer([Pace], "demo")
    print("Serving", flush=True)
    await worker.wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
