"""Registers the extensions that a worker offers."""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import socket
from collections.abc import Sequence
from typing import Any

from workroom.client import requests
from workroom.client.requests import Offer
from workroom.client.transport.connection import Connection
from workroom.errors import TooManyRequests
from workroom.runtime.extension import Extension, run_method

log = logging.getLogger(__name__)

_Key = tuple[str | None, str, str]  # room, category, name


class Registration:
    """What one worker offers: its own list, which the server is sent as a whole."""

    def __init__(self, connection: Connection, worker_id: str, name: str, slots: int) -> None:
        self._connection = connection
        self._worker_id = worker_id
        self._name = name
        self._slots = slots
        self._offers: dict[_Key, Offer] = {}
        self._lock = asyncio.Lock()
        self._logged: set[str] = set()
        connection.on("worker:accepted", self._accepted)
        connection.on("worker:refused", self._refused)

    async def add(self, extensions: Sequence[type[Extension]], room: str | None) -> None:
        """Offer these too, in one room or, without one, in all."""
        for extension in extensions:
            run_method(extension)
        added = {(room, each.category, each.extension_name): Offer(each, room) for each in extensions}
        async with self._lock:
            await self._register({**self._offers, **added})
            self._offers.update(added)

    async def repeat(self) -> None:
        """Register again, with a server that has forgotten this worker."""
        await self._register(self._offers)

    def extension_for(self, item: dict[str, Any]) -> type[Extension] | None:
        """The class that an assignment is for; None if it is no longer offered."""
        room = None if item["scope"] == "public" else item["room"]
        offer = self._offers.get((room, item["category"], item["name"]))
        return None if offer is None else offer.extension

    async def _register(self, offers: dict[_Key, Offer]) -> None:
        request = requests.register(
            self._worker_id, self._name, self._slots, _machine(), list(offers.values())
        )
        while True:
            try:
                reply = await self._connection.send(request)
            except TooManyRequests as error:
                log.warning("waiting to register: %s", error.detail)
                await asyncio.sleep(error.fields.get("retry_after_ms", 1000) / 1000)
            else:
                self._log_awaited(reply["awaiting_consent"])
                return

    def _log_awaited(self, awaited: list[dict[str, Any]]) -> None:
        """Log each once: a reconnect repeats the registration."""
        for item in awaited:
            message = _awaiting_consent(item, self._worker_id)
            if message not in self._logged:
                self._logged.add(message)
                log.warning("%s", message)

    def _accepted(self, item: dict[str, Any]) -> None:
        log.info("%s accepted this worker for %s/%s", item["by"], item["category"], item["name"])

    def _refused(self, item: dict[str, Any]) -> None:
        key = (item["room"], item["category"], item["name"])
        if self._offers.pop(key, None) is not None:
            name = f"{item['category']}/{item['name']}"
            log.warning("%s refused this worker for %s: %s", item["by"], name, item["reason"])


def _machine() -> dict[str, Any]:
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "python": platform.python_version(),
        "system": platform.system(),
        "cpus": os.cpu_count(),
    }


def _awaiting_consent(item: dict[str, Any], worker_id: str) -> str:
    """What to do about an extension that another user already offers."""
    room, owner = item["room"], item["owner"]
    others = "an admin" if room is None else "the room's owner"
    who = others if owner is None else f"{owner} or {others}"
    where = "public" if room is None else room
    name = f"{item['category']}/{item['name']}"
    return f"waiting for {who} to accept this worker for {name}: workroom workers accept {where} {worker_id}"
