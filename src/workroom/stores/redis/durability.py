"""What a 202 means here: that depends on how the server was set up, so it is said at the start."""

from __future__ import annotations

from dataclasses import dataclass

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Setup:
    appendonly: bool
    appendfsync: str
    eviction: str


def promise(setup: Setup) -> list[str]:
    """What should be known about this server, from the worst on. Nothing, if it keeps the full promise."""
    said = []
    if not setup.appendonly:
        said.append(
            "the server has no append-only file: jobs that were accepted are lost if it stops"
            " (set appendonly yes)"
        )
    elif setup.appendfsync != "always":
        wait = "a second" if setup.appendfsync == "everysec" else "half a minute"
        said.append(
            f"appendfsync is {setup.appendfsync}: jobs that were accepted {wait} before a crash may be lost"
            " (set appendfsync always for the full promise)"
        )
    if setup.eviction != "noeviction":
        said.append(
            f"maxmemory-policy is {setup.eviction}: the server may throw away jobs when memory is short"
            " (set maxmemory-policy noeviction)"
        )
    return said


async def read_setup(client: Redis) -> Setup | None:
    """None if the server does not say: many that are hosted do not."""
    try:
        found = await client.config_get("appendonly", "appendfsync", "maxmemory-policy")
    except RedisError:
        return None
    told = {_text(name): _text(value) for name, value in found.items()}
    return Setup(told["appendonly"] == "yes", told["appendfsync"], told["maxmemory-policy"])


async def say_promise(client: Redis) -> None:
    setup = await read_setup(client)
    if setup is None:
        log.warning("store_promise", reason="the server does not tell how it keeps what it accepts")
        return
    for reason in promise(setup):
        log.warning("store_promise", reason=reason)


def _text(value: str | bytes | None) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
