"""Stops the store while its server may delete or lose what was accepted."""

from __future__ import annotations

import time

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from workroom.domain.storage.durability import Durability, DurabilityConfig, shortfalls, warnings
from workroom.stores.redis.script_queue import ScriptQueue

log = structlog.get_logger()

_CHECK_SECONDS = 5.0


class DurabilityGuard:
    """Reads the settings of the server at start and every few seconds: they can be changed at any time."""

    def __init__(self, client: Redis, queue: ScriptQueue, promised: Durability) -> None:
        self._client = client
        self._queue = queue
        self._promised = promised
        self._checked_at = float("-inf")
        self._warned: list[str] = []
        self._was_safe = False  # a store that never was is refused at start, with the reason

    async def check_if_due(self) -> None:
        if time.monotonic() - self._checked_at >= _CHECK_SECONDS:
            await self.check()

    async def check(self) -> None:
        """Stop or resume the queue. A server that cannot be reached is left to the queue's timeouts."""
        self._checked_at = time.monotonic()
        try:
            config = await read_config(self._client)
        except (RedisError, OSError, TimeoutError):
            return
        reasons = shortfalls(config, self._promised)
        if reasons:
            self._stop("; ".join(reasons))
            return
        self._resume()
        self._warn(warnings(config))

    def _warn(self, reasons: list[str]) -> None:
        for reason in reasons if reasons != self._warned else ():
            log.warning("store_durability", reason=reason)
        self._warned = reasons

    def _stop(self, reason: str) -> None:
        if self._was_safe and not self._queue.stopped:
            log.error("store_unsafe", reason=reason, outcome="nothing is accepted until this is changed")
        self._queue.stopped = f"the store may lose what it accepts: {reason}"

    def _resume(self) -> None:
        if self._was_safe and self._queue.stopped:
            log.warning("store_safe_again")
        self._queue.stopped, self._was_safe = "", True


async def read_config(client: Redis) -> DurabilityConfig:
    """Hosted servers that refuse CONFIG reveal all but `appendfsync` by INFO."""
    try:
        found = await client.config_get("appendonly", "appendfsync", "maxmemory-policy")
    except ResponseError:
        memory, persistence = await client.info("memory"), await client.info("persistence")
        return DurabilityConfig(bool(persistence["aof_enabled"]), None, str(memory["maxmemory_policy"]))
    config = {_text(name): _text(value) for name, value in found.items()}
    return DurabilityConfig(config["appendonly"] == "yes", config["appendfsync"], config["maxmemory-policy"])


def _text(value: str | bytes | None) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
