"""The embedded store, driven at random and compared with a model."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis.stateful import run_state_machine_as_test

from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.machine import BOUNDED, LIVENESS, LONG, StoreMachine


class SqliteMachine(StoreMachine):
    def __init__(self) -> None:
        self.folder = Path(mkdtemp(prefix="workroom-machine-"))
        self.crashes = 0
        super().__init__()

    async def open_store(self) -> SqliteStore:
        path = self.folder / f"{self.crashes}" / "workroom.db"
        return SqliteStore(path, LIVENESS, relaxed=True, clock=self.clock)

    async def reopen_store(self) -> SqliteStore:
        """As after a crash: from the files as they lie there, while the store still has them open."""
        files = self.folder / f"{self.crashes}"
        self.crashes += 1
        shutil.copytree(files, self.folder / f"{self.crashes}")
        await self.store.aclose()
        return await self.open_store()

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            shutil.rmtree(self.folder)


@pytest.mark.timeout(600)  # it goes from thread to thread, which takes its time on a busy machine
def test_the_store_does_what_the_model_does() -> None:
    run_state_machine_as_test(SqliteMachine, settings=BOUNDED)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_the_store_does_what_the_model_does_for_long() -> None:
    run_state_machine_as_test(SqliteMachine, settings=LONG)
