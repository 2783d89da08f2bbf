"""The state machine that drives a store on Valkey."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import mkdtemp

from workroom.stores.redis.store import RedisStore
from workroom.testing.machine import LIVENESS, StoreMachine
from workroom.testing.valkey import Valkey


class RedisMachine(StoreMachine):
    """Each restart follows a crash of both the server and Valkey."""

    def __init__(self) -> None:
        self.folder = Path(mkdtemp(prefix="workroom-machine-"))
        self.valkey = Valkey(self.folder)
        self.valkey.start()
        super().__init__()

    async def open_store(self) -> RedisStore:
        return RedisStore(self.valkey.url, LIVENESS, clock=self.clock)

    async def reopen_store(self) -> RedisStore:
        self.valkey.kill()
        self.valkey.start()
        await self.store.aclose()
        return await self.open_store()

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            self.valkey.stop()
            shutil.rmtree(self.folder)
