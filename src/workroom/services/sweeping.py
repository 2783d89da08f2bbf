"""Lets go of what has run out: leases, deadlines, backoffs, and trust in workers that do not answer."""

from __future__ import annotations

import asyncio

import structlog

from workroom.errors import WorkroomError
from workroom.ports import Courier, Store
from workroom.services.dispatch import Dispatcher
from workroom.services.outflow import Outflow

log = structlog.get_logger()


class Sweeper:
    def __init__(
        self, store: Store, outflow: Outflow, dispatcher: Dispatcher, courier: Courier, interval: float
    ) -> None:
        self._store = store
        self._outflow = outflow
        self._dispatcher = dispatcher
        self._courier = courier
        self._interval = interval

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self._interval)
            self._dispatcher.suspect(self._courier.silent())
            try:
                self._outflow.follow(await self._store.sweep())
            except WorkroomError as error:
                log.warning("sweep_postponed", reason=error.detail)
