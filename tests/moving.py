"""A process that moves jobs until there are none, or it is killed: `moving.py REDIS ARCHIVE`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from workroom.domain.queries import FindMark
from workroom.domain.worker import Liveness
from workroom.stores.archive.sqlite import SqliteArchive
from workroom.stores.redis.archiving.store import ArchivingStore


async def main(url: str, path: Path) -> None:
    store = ArchivingStore(url, Liveness(), SqliteArchive(path), archive_after=0)
    await store.read(FindMark())
    await store.mover.move_all()
    await store.aclose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
