"""Checks at start how durable the Redis server's configuration makes accepted jobs."""

from __future__ import annotations

from dataclasses import dataclass

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class DurabilityConfig:
    appendonly: bool
    appendfsync: str
    eviction: str


def durability_warnings(config: DurabilityConfig) -> list[str]:
    """Return what this configuration may lose, the worst first. Empty if an accepted job is never lost."""
    warnings = []
    if not config.appendonly:
        warnings.append(
            "the server has no append-only file: accepted jobs are lost when it stops (set appendonly yes)"
        )
    elif config.appendfsync != "always":
        wait = "a second" if config.appendfsync == "everysec" else "half a minute"
        warnings.append(
            f"appendfsync is {config.appendfsync}: jobs accepted within {wait} before a crash may be lost"
            " (set appendfsync always)"
        )
    if config.eviction != "noeviction":
        warnings.append(
            f"maxmemory-policy is {config.eviction}: the server may delete jobs when memory runs out"
            " (set maxmemory-policy noeviction)"
        )
    return warnings


async def read_config(client: Redis) -> DurabilityConfig | None:
    """Return None if the server does not allow CONFIG GET, as many hosted ones do not."""
    try:
        found = await client.config_get("appendonly", "appendfsync", "maxmemory-policy")
    except RedisError:
        return None
    config = {_text(name): _text(value) for name, value in found.items()}
    return DurabilityConfig(config["appendonly"] == "yes", config["appendfsync"], config["maxmemory-policy"])


async def log_durability(client: Redis) -> None:
    config = await read_config(client)
    if config is None:
        log.warning("store_durability", reason="the server does not reveal how it persists data")
        return
    for reason in durability_warnings(config):
        log.warning("store_durability", reason=reason)


def _text(value: str | bytes | None) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
