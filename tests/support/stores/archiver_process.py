"""A process that archives jobs until none is left: `archiver_process.py REDIS ARCHIVE`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from workroom.domain.queries import FindLogPosition
from workroom.domain.worker import Liveness
from workroom.stores.archive.sqlite import SqliteArchive
from workroom.stores.redis.archiving.store import ArchivingStore


async def main(url: str, path: Path) -> None:
    store = ArchivingStore(url, Liveness(), SqliteArchive(path), archive_after=0)
    await store.read(FindLogPosition())
    await store.archiver.move_all()
    await store.aclose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
