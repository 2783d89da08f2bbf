"""Lets go of what has run out: leases of silent workers, assignments that were never started."""

from __future__ import annotations

import asyncio

import structlog

from workroom.errors import WorkroomError
from workroom.ports import Store
from workroom.services.outflow import Outflow

log = structlog.get_logger()


class Sweeper:
    def __init__(self, store: Store, outflow: Outflow, interval: float) -> None:
        self._store = store
        self._outflow = outflow
        self._interval = interval

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self._interval)
            try:
                self._outflow.follow(await self._store.sweep())
            except WorkroomError as error:
                log.warning("sweep_postponed", reason=error.detail)
